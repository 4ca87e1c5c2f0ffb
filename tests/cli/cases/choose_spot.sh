# --spot: GPUs of the front whose price on demand is lower are named, not the one that is recommended alone; others are not.
cat >prices.csv <<'P'
AcceleratorName,AcceleratorCount,Price,SpotPrice
T4,1,0.5,0.1
L40S,1,0.8,1.2
H100-SXM5-80GB,1,2.5,6.5
A40,1,0.4,9.5
P
step=$source/data/recordings/resnet50_b64_fp32_h200.json.gz
"$habitat" choose "$step" --prices prices.csv --to T4,L40S,H100-SXM5-80GB,A40 --spot | grep -A2 '^Front\|^Without' | grep -v '^Price\|^If\|^--'
"$habitat" choose "$step" --prices prices.csv --to T4,L40S,H100-SXM5-80GB,A40 | grep -c '^Without'
"$habitat" predict "$step" --to T4 --columns gpu,headroom_gb,memory_gb | sed -n '/GPU  /,/^T4/p'
