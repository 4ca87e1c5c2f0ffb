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
