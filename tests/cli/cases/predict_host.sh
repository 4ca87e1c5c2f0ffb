# --host and --recorded-host: the CPU's times by two calibrations, as --cpu-scale of their ratio with a wider interval; and what is refused.
step=$fixtures/step.json
calibration() { # FILE LAUNCH FORWARD BACKWARD
    printf '{"schema": 1, "calibration_of": "T4", "host": {"launch_ns": %s, "launch_spread": 0.05, "forward_ns": %s, "forward_spread": 0.25, "backward_ns": %s,
 "backward_spread": 0}, "sources": {"calibration": {"covers": ["host"], "title": "x", "publisher": "me", "date": "2026"}}}' "$2" "$3" "$4" >"$1"
}
calibration mine.json 4000 10000 20000
calibration other.json 80000 100000 800000 # 20, 10 and 40 times: 20
show() { "$habitat" predict "$step" --to H200-SXM5-141GB,T4 --method bandwidth --csv "$@" | cut -d, -f1,3,8-10,17-20; }
show --cpu-scale 20
show --host other.json --recorded-host mine.json
"$habitat" predict "$step" --to T4 --method bandwidth --host other.json --recorded-host mine.json --json 2>/dev/null | grep 'CPU.s times'
"$habitat" choose "$step" --to T4,V100-PCIE-16GB --host other.json --recorded-host mine.json >chosen 2>&1; echo "$?"
# of two recordings it is said once
cp "$step" second.json
"$habitat" choose "$step" second.json --to T4,V100-PCIE-16GB --host other.json --recorded-host mine.json 2>&1 | grep -c "CPU's times"
printf '{"schema": 1, "calibration_of": "T4", "launch_floor_ns": 2000, "sources": {}}' >old.json
for wrong in "--host other.json" "--recorded-host mine.json" "--host other.json --recorded-host old.json" "--host old.json --recorded-host mine.json" \
    "--host none.json --recorded-host mine.json" "--host other.json --recorded-host mine.json --cpu-scale 2" \
    "--host other.json --recorded-host mine.json --cpu-scale 1" \
    "--host other.json --recorded-host mine.json --assemble sum"; do
    "$habitat" predict "$step" --to T4 $wrong; echo "$?"
done
"$habitat" predict "$fixtures/no_gpu.json" --to T4 --host other.json --recorded-host mine.json; echo "$?"
# nearly the same host is not known better than another one: the recorded step within 1.2 either way
calibration near.json 4004 10000 20000
cpu_bound=$source/data/recordings/bert_b2_amp_bf16_h200.json.gz
for host in mine near; do
    "$habitat" predict "$cpu_bound" --to H200-SXM5-141GB --host $host.json --recorded-host mine.json --csv 2>/dev/null | cut -d, -f1,3-5
done
"$habitat" predict "$cpu_bound" --to T4,H200-SXM5-141GB --host near.json --recorded-host mine.json 2>/dev/null | grep -A 2 "rows are set"
