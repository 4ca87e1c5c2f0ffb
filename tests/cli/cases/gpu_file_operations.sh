# Operations of a calibration: shown, used, said in notes and JSON; a bad one is one line and exit code 3.
calibration="$source/data/calibrations/H200-SXM5-141GB.json"
"$habitat" gpus H200-SXM5-141GB --gpu-file "$calibration" | sed -n '/^Measured/,/^$/p' | awk 'NF == 5 { print $1, $2 }'
"$habitat" gpus H200-SXM5-141GB --gpu-file "$calibration" --csv | grep measured_operations | cut -d, -f1,3,4
sed 's/"H200-SXM5-141GB"/"V100-PCIE-32GB"/' "$calibration" >v100.json
trace="$source/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz"
"$habitat" predict "$trace" --to V100-PCIE-32GB,T4 --gpu-file v100.json | tr -s '\n ' ' ' | grep -o "operations that a calibration[^(]*"
"$habitat" predict "$trace" --to V100-PCIE-32GB,T4 --gpu-file v100.json --json | grep -c calibrated_operations
"$habitat" predict "$trace" --to V100-PCIE-32GB --gpu-file v100.json --csv 2>&1 >/dev/null | grep -o "warning: operations that a calibration"
printf 'op,dtype,shape\nsoftmax,fp32,rows=65536 columns=512\nrelu,fp32,columns=67108864\n' >rows.csv
printf '{"schema": 1, "calibration_of": "T4", "operations": [\n{"op": "softmax", "dtype": "fp32", "shape": "rows=%s columns=512",\n "latency_ms": 4}], "sources": {}}' 65536 >t4.json
{ "$habitat" predict-ops rows.csv --to T4; "$habitat" predict-ops rows.csv --to T4 --gpu-file t4.json; } |
    awk -F, '$1 == "op" { next } !($1 in ms) { ms[$1] = $4; next } { print $1 ($4 > 1.3 * ms[$1] ? " is slower" : $4 == ms[$1] ? " is the same" : " moved") }'
sed 's/rows=65536/row=65536/' t4.json >bad.json
"$habitat" predict-ops rows.csv --to T4 --gpu-file bad.json 2>&1 >/dev/null; echo $?
"$habitat" predict "$trace" --to T4 --gpu-file bad.json 2>&1; echo $?
"$habitat" gpus --check --gpu-file bad.json 2>&1; echo $?
"$habitat" op softmax --rows 65536 --columns 512 --to T4 --gpu-file bad.json 2>&1; echo $?
sed 's/"latency_ms": 4/"latency_ms": "4"/' t4.json >bad.json
"$habitat" predict "$trace" --to T4 --gpu-file bad.json 2>&1; echo $?
