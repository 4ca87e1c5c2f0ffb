# Two recordings, of which one does not say its memory: a GPU that is known to be too small for the other is not taken, and
# how much is missing is said. The CPU sets the time only where it sets that of both.
known=$source/data/recordings/bert_b8_fp32_h100.json.gz
unknown=unknown.json
python3 -c 'import json, os; made = json.load(open(os.environ["fixtures"] + "/step.json")); made.pop("habitat"); json.dump(made, open("unknown.json", "w"))'
cpu=$source/data/recordings/dcgan_b16_fp32_h100.json.gz
"$habitat" choose "$known" "$unknown" --to A4500,A10,T4 --objective time --json 2>/dev/null >one.json
sed -n '/"excluded"/,/\]/p' one.json | grep -E '"(gpu|reason)"'
grep -E '"(recommended|fits|headroom_bytes)"' one.json
"$habitat" choose "$known" "$unknown" --to T4 2>/dev/null | grep Memory
"$habitat" choose "$known:99" "$cpu:1" --to L40S,RTX4090 --objective time 2>/dev/null | grep -c "The CPU sets the time"
"$habitat" choose "$cpu" --to L40S,RTX4090 --objective time 2>/dev/null | tr '\n' ' ' | grep -c "The CPU sets the time"
# Kernels alone tell no rate of a step whose GPU waited for its CPU, of two recordings as of one; the recorded GPU has its recorded
# time (34.29 samples a second of the first alone).
waits=$source/data/recordings/bert_b2_amp_bf16_h100.json.gz
"$habitat" choose "$known" "$waits" --to H100-SXM5-80GB,L40S --assemble sum --objective time --json 2>/dev/null | sed -n '/"ranking"/,$p' | grep -E '"(gpu|samples_per_s)":'
of_kernels() { "$habitat" choose "$@" --to H100-SXM5-80GB --assemble sum --json 2>/dev/null | grep '"samples_per_s"'; }
of_kernels "$known"
of_kernels "$known" "$known"
