# A step whose optimiser is handed a closure of two passes of 32 samples each: 800 us of forward and backward pass grow with the batch of 64, 200 us of update do not.
step() { python3 -c '
import json, sys
events, at = [], 0
def add(category, name, thread, start, length, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": length, "args": args})
def operation(name, thread, sizes, **args):
    global at
    at += 200
    add("cpu_op", name, thread, at, 20, **{"Input Dims": [sizes], "Input type": ["float"]}, **args)
    add("cuda_runtime", "cudaLaunchKernel", thread, at + 5, 2, correlation=at)
    add("kernel", "elementwise_kernel", 7, at + 100, 199, correlation=at, device=0, stream=7, grid=[100000, 1, 1], block=[128, 1, 1])
add("user_annotation", "Optimizer.step#SGD.step", 1, 0, 1250)
for number in (1, 2):
    operation("aten::roll", 1, [32, 100, 768], **{"Sequence number": number, "Fwd thread id": 0})
    operation("autograd::engine::evaluate_function: RollBackward0", 2, [], **{"Sequence number": number, "Fwd thread id": 1})
    add("cpu_op", "aten::roll", 2, at + 2, 15, **{"Input Dims": [[32, 100, 768]], "Input type": ["float"]})
    add("cpu_op", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 2, at + 30, 5)
operation("aten::mul_", 1, [32, 100, 768])
noted = {"schema": 1, "memory": {"parameter_sizes": {"float32": [2457600]}}, **json.loads(sys.argv[1])}
print(json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "habitat": noted, "traceEvents": events}))' "$1"; }
step '{"batch_size": 64}' >noted.json
step '{}' >plain.json
"$habitat" predict noted.json --batch 16,21,64,256 --to H200 --assemble sum --json 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print(row["batch_size"], "%.3f" % row["iteration_ms"])'
for said in 32 64 128; do
    "$habitat" predict plain.json --recorded-batch $said --batch 16 --to H200 --assemble sum --json 2>&1 | sed -n 's/ *"iteration_ms"/iteration_ms/p; /^habitat: .*batch/p' | tail -n 1; done

"$habitat" predict noted.json --batch 1 --to H200
echo "exit $?"
for batch in 16 512; do # the halves of 512 come by the recorded 64
    "$habitat" predict noted.json --batch $batch --to H200 --json 2>/dev/null | grep -o "batch size $batch instead of 64[^:]*" | head -n 1
done
step '{"batch_size": 32}' >pass.json
"$habitat" predict pass.json --batch 64 --to H200 2>/dev/null | grep -A 2 "gathers the gradients"
