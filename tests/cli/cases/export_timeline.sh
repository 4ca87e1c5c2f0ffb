# The predicted iteration as a Chrome trace: by both commands the same, and habitat itself reads it.
step=$fixtures/step.json
"$habitat" export --timeline "$step" --to T4 --method bandwidth >piped
"$habitat" export --timeline "$step" --to T4 --method bandwidth -o named && cmp piped named && echo same
"$habitat" predict "$step" --to T4 --method bandwidth --timeline beside >/dev/null && cmp piped beside && echo same
# .. compressed where the name says so
"$habitat" export --timeline "$step" --to T4 --method bandwidth -o named.json.gz && gzip -dc named.json.gz | cmp piped - && echo same
"$habitat" predict "$step" --to T4 --method bandwidth --timeline beside.json.gz >/dev/null && cmp named.json.gz beside.json.gz && echo same
"$habitat" export --timeline "$step" --to T4 -o nowhere/x.json.gz; echo "$?"
ln -s /dev/full full.gz
"$habitat" export --timeline "$source/data/recordings/dcgan_b16_fp32_h200.json.gz" --to T4 -o full.gz; echo "$?"
python3 - <<'PY'
import json
data = json.load(open("piped"))
print(data["habitat_prediction"]["gpu"], data["habitat_prediction"]["origin"])
for event in data["traceEvents"]:
    if event.get("cat") in ("kernel", "gpu_memset"):
        print(event["name"][:20], event["dur"], event["args"]["recorded us"], event["args"]["method"])
PY
"$habitat" predict piped --to T4 --method bandwidth --json 2>/dev/null | grep -o 'is a prediction that habitat wrote'
# .. and its iteration is the predicted one, although the CPU bound it: there was no profiler to take off.
"$habitat" export --timeline "$source/data/recordings/dcgan_b16_amp_bf16_h200.json.gz" --to H200-SXM5-141GB 2>/dev/null >back
for trace in "$source/data/recordings/dcgan_b16_amp_bf16_h200.json.gz" back; do
    "$habitat" predict "$trace" --to H200-SXM5-141GB --json 2>/dev/null | sed -n 's/^      "iteration_ms": \([0-9]*\.[0-9][0-9]\).*/\1/p'
done
"$habitat" info piped | sed -n '/^GPU  /p;/^Kernels/p;/^Operations/p'
for wrong in "" "--timeline" "--timeline --to T4,L4" "--timeline --to all" "--timeline --to T4 -o nowhere/x"; do
    "$habitat" export "$step" $wrong; echo "$?"
done
"$habitat" predict "$step" --timeline x --to T4 --assemble sum; echo "$?"
# What cannot be written is work that failed, in one line: a file (larger than a buffer), and standard output.
for to in /dev/full -; do
    "$habitat" export --timeline "$source/data/recordings/dcgan_b16_fp32_h200.json.gz" --to T4 -o "$to" >/dev/full; echo "$?"
done
