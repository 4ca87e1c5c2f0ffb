# A recording without a GPU notes copies between the host's memory and the GPU's, and where the CPU waits for its GPU: a batch from pageable
# memory is copied at the CPU's pace, one from pinned memory at the link's, and a value that is read keeps the GPU waiting for the next launch.
cat >loop.json <<'EOF'
{"habitat":{"schema":1,"recorded_without_gpu":true,"batch_size":64},"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":40,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::_to_copy","pid":1,"tid":1,"ts":2,"dur":1,"args":{"Input Dims":[[64,250000],[]],"Input type":["float","Scalar"],"Concrete Inputs":["",""],"Copy":"HtoD (Pageable -> Device)"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":4,"dur":1,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":6,"dur":1,"args":{"Input Dims":[[4096,4096],[4096,4096]],"Input type":["float","float"],"Concrete Inputs":["",""]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":8,"dur":1,"args":{}}
]}
EOF
of() { # FILE WHAT
    "$habitat" predict "$1" --to A100-PCIE-40GB,GH200-96GB --json 2>/dev/null | python3 -c '
import json, sys
answer = json.load(sys.stdin)
for row in answer["predictions"]:
    print("%-20s %-15s copies %.3f ms, kernels %.3f, iteration %.3f, idle %.3f" % (
        sys.argv[1], row["gpu"], row["copy_ms"], row["kernel_ms"], row["iteration_ms"], row["idle_ms"]))' "$2"
}
of loop.json "pageable, waits"
sed 's/Pageable/Pinned/; s/cudaStreamSynchronize/cudaGetDevice/' loop.json >pinned.json
of pinned.json "pinned, waits once"
python3 - <<'EOF'
import json
trace = json.load(open("loop.json"))
trace["traceEvents"] = [e for e in trace["traceEvents"] if "Synchronize" not in e["name"]]
json.dump(trace, open("none.json", "w"))
EOF
of none.json "pageable, no waits"
"$habitat" predict loop.json --to A100-PCIE-40GB | grep -A2 "waits for the GPU 2"
"$habitat" predict loop.json --to A100-PCIE-40GB --batch 128 --json 2>/dev/null | grep -E '"(copy_ms|batch_size)": [0-9.]'
"$habitat" export --timeline loop.json --to A100-PCIE-40GB -o loop.timeline.json 2>/dev/null && grep -o '"gpu_memcpy"[^}]*"bytes": [0-9]*' loop.timeline.json
# Hundreds of waits may be of a loop that ends by what it reads, which is made up.
python3 - <<'END'
import json
trace = json.load(open("loop.json"))
wait = trace["traceEvents"][-1]
for n in (499, 500):
    events = trace["traceEvents"][:2] + [{**wait, "ts": 10 + i, "dur": 0.5} for i in range(n)]
    events[0] = {**events[0], "dur": 600}
    json.dump({**trace, "traceEvents": events}, open(f"{n}.json", "w"))
END
for n in 499 500; do
    "$habitat" predict $n.json --to A100-PCIE-40GB --json 2>/dev/null | python3 -c '
import json, sys
print(*(w for w in json.load(sys.stdin)["trace"]["warnings"] if "waits for the GPU" in w))'
done
