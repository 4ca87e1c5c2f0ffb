# --ranks: two ranks made by hand, replayed together. A 1.1 us pause (the default of what nothing shows), rank 1's kernel
# of 300 us, 2, the message of 50, 2, a kernel of 100: 455.1 us. Without the message 405.1; rank 0 with its kernel of 100 us
# alone 1.1 + 100 + 1.1 (it waited: its pause is not seen) + 2 + 100 = 204.2, so it waits 200.9, and rank 1 nothing.
cp "$fixtures/rank0.json" "$fixtures/rank1.json" .
zero=rank0.json one=rank1.json gpu=H200-SXM5-141GB
show() {
    "$habitat" predict "$@" --to $gpu --json | python3 -c '
import json, sys
p = json.load(sys.stdin)["predictions"][0]
print(*(f"{p[k] * 1e3:.2f}" for k in ("iteration_ms", "communication_ms", "exposed_communication_ms", "waiting_ms")),
      p["gpus"], [(r["rank"], round(r["waiting_ms"] * 1e3, 2)) for r in p["ranks"]])'
}
show --ranks $zero,$one
show --ranks $one $zero
show --ranks $zero $one --cpu-scale 0.5
# 4 GPUs: 4 MiB need 43.46 us by the model, 30.89 among 2: the message takes 50 * 1.407 = 70.36
show --ranks $zero --ranks $one --gpus 4
"$habitat" predict --ranks $zero $one --to $gpu
"$habitat" predict --ranks $zero $one --to $gpu --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["waiting_ms"], $at["gpus"] }'
# on a GPU with half the link the message takes longer, waiting is not scaled
"$habitat" predict --ranks $zero $one --to A100-SXM4-80GB --method bandwidth --json | grep -c '"waiting_ms"'
# one rank alone: what its messages cost is not known
"$habitat" predict "$one" --to $gpu --json 2>/dev/null | grep -E '"(exposed_)?(communication|waiting)_ms"'
wrong() { "$habitat" predict "$@" --to $gpu; echo "$?"; }
wrong --ranks $zero
wrong --ranks $one,$one
sed 's/"rank": 1, //' $one >unnumbered.json
wrong --ranks unnumbered.json,unnumbered.json
sed 's/"world_size": 2/"world_size": 3/' $one >of_three.json
wrong --ranks $zero of_three.json
sed 's/"rank": 1/"rank": 5/' $one >fifth.json
wrong --ranks $zero,fifth.json
sed 's/1048576/524288/g' $one >smaller.json
wrong --ranks $zero,smaller.json
sed '/ncclDevKernel/d' $one >fewer.json
wrong --ranks $zero,fewer.json
sed '/ncclDevKernel/d' $zero >none.json
wrong --ranks none.json,fewer.json
sed 's/NVIDIA H200/NVIDIA A100-SXM4-80GB/; s/150109880320/85899345920/; s/"numSms": 132/"numSms": 108/; s/"computeMajor": 9/"computeMajor": 8/' $one >other_gpu.json
wrong --ranks $zero,other_gpu.json
sed 's/"Group size": 2/"Group size": 4/' $zero >group0.json; sed 's/"Group size": 2/"Group size": 4/' $one >group1.json
wrong --ranks group0.json,group1.json
sed 's/"allreduce"/"_allgather_base"/' $zero >gather0.json; sed 's/"allreduce"/"_allgather_base"/' $one >gather1.json
wrong --ranks gather0.json,gather1.json --gpus 4
wrong --ranks $zero "$fixtures/no_gpu.json"
wrong --ranks $zero missing.json
wrong --ranks $zero,$one --timeline x
wrong --ranks $zero,$one --batch 8
wrong --ranks $zero,$one --gpus 1
# another step of the same model: its messages end elsewhere
two=$source/data/recordings/two_gpus
cp "$two"/resnet50_b64_tf32.rank0.json.gz a.gz
python3 - <<'PY'
import gzip, json
d = json.load(gzip.open("a.gz"))
d["distributedInfo"]["rank"] = d["habitat"]["rank"] = 1
late = 0
for e in d["traceEvents"]:
    if e.get("cat") == "kernel" and "AllReduce" in e["name"]:
        late += 700
        e["ts"] += late
json.dump(d, open("b.json", "w"))
PY
wrong --ranks a.gz,b.json
# a GPU without a known link is named once
"$habitat" predict --ranks $zero $one --gpus 4 --to GB10; echo "$?"
# what the second rank alone does once, or waits for, is told
for call in cuModuleLoadData cudaHostRegister; do
    sed 's/"ts": 0, "dur": 20}/"ts": 0, "dur": 31000}/' $zero >long0.json
    sed 's/"ts": 0, "dur": 20}/"ts": 0, "dur": 31000},\
{"ph": "X", "cat": "cuda_runtime", "name": "'$call'", "pid": 1, "tid": 1, "ts": 8, "dur": 30000, "args": {"correlation": 9}}/' $one >long1.json
    "$habitat" predict --ranks long0.json,long1.json --to $gpu --json | grep -oE '[0-9.]+ ms [^"]*'$call | sort -u
done
# rank 0's second kernel ran beside its waiting message, 130 us; rank 1's, beside the message itself, took 100: so it takes
# without the waiting. 100 + 100 + 50 us of kernels, not 280. One of other blocks is another kernel, and stays as it was
python3 - "$zero" "$one" <<'PY'
import json, sys
for rank, (first, second, message) in enumerate((((10, 100), (111.1, 130), (112, 250)), ((10, 300), (311.1, 100), (312, 50)))):
    d = json.load(open(sys.argv[1 + rank]))
    kernels = [e for e in d["traceEvents"] if e["cat"] == "kernel"]
    for event, (at, lasts), stream in zip(kernels, (first, message, second), (7, 9, 7)):
        event.update(ts=at, dur=lasts, tid=stream)
        event["args"]["stream"] = stream
    json.dump(d, open(f"beside{rank}.json", "w"))
    kernels[2]["args"]["grid"] = [100 + rank, 1, 1]
    json.dump(d, open(f"unlike{rank}.json", "w"))
PY
for ranks in beside unlike; do
    "$habitat" predict --ranks ${ranks}0.json,${ranks}1.json --to $gpu --json | grep -m 1 -o '"kernel_ms": [0-9.]*'
done
# a large sum in the forward pass, or one that is passed on: the ranks work on one batch, 8 samples in 455.1 us. Another
# number of GPUs would divide it otherwise. A small sum there is a norm's or a loss's
forward() { # KIND ELEMENTS [late]: the message before the first backward operation, or behind its begin
    for rank in 0 1; do
        python3 - "$fixtures/rank$rank.json" "$1" "$2" "${3:-}" >"share$rank.json" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
op = lambda name, at, lasts: {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": lasts,
                              "args": {"Sequence number": 1, "Fwd thread id": 1 if at > 7 else 0}}
d["traceEvents"] += [op("aten::mm", 0.5, 6.0), op("autograd::engine::evaluate_function: MmBackward0", 8.0, 2.0)]
message = next(e for e in d["traceEvents"] if e["cat"] == "kernel" and "nccl" in e["name"])
if sys.argv[4]:
    call = next(e for e in d["traceEvents"] if e["cat"] == "cuda_runtime" and e["args"]["correlation"] == message["args"]["correlation"])
    call["ts"] = 8.5
if sys.argv[2] == "SendRecv":
    message["name"] = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
    message["args"] = {k: v for k, v in message["args"].items() if k[0].islower()}
else:
    message["args"].update({"Collective name": sys.argv[2], "In msg nelems": int(sys.argv[3]), "Out msg nelems": int(sys.argv[3])})
json.dump(d, sys.stdout)
PY
    done
}
for message in "allreduce 1048576" "allreduce 1000" "SendRecv 0" "_reduce_scatter_base 1048576" "all_to_allv 1000" "_allgather_base 1048576" "_allgather_base 1000" "broadcast 1048576" "broadcast 1048576 late"; do
    # shellcheck disable=SC2086 # two words
    forward $message
    echo "$message: $("$habitat" predict --ranks share0.json,share1.json --to $gpu --recorded-batch 8 --json 2>&1 |
        grep -oE '"samples_per_s": [0-9]*|work on one batch together: they sum' | tr '\n' ' ')"
    "$habitat" predict --ranks share0.json,share1.json --to $gpu --gpus 4 --recorded-batch 8 --csv 2>&1 | grep -vE '^(gpu|habitat: note)' | cut -c1-200
done
# 1000 samples are 125 steps of the ranks' one batch, and 63 where each has its own
for message in "allreduce 1048576" "allreduce 1000"; do
    # shellcheck disable=SC2086 # two words
    forward $message
    "$habitat" predict --ranks share0.json,share1.json --to $gpu --recorded-batch 8 --samples 1000 --json 2>/dev/null | grep -oE '"steps": [0-9]*' | tr '\n' ' '
    "$habitat" predict --ranks share0.json,share1.json --to $gpu --recorded-batch 8 --samples 1000 --html page.html >/dev/null 2>&1
    grep -oE 'has [0-9]+ iterations' page.html | sort -u
done
