# A range that is one of the trace's own steps is that step: what is noted of it holds. Of a part of it, it does not.
step=$source/compat/0.2.0/step.json.gz
for range in "ProfilerStep#1" "Optimizer.step#Adam.step"; do
    "$habitat" predict "$step" --to T4 --nvtx-range "$range" --json >one.json 2>/dev/null || echo "exit $?"
    echo "$range: $(sed -n 's/^    "\(batch_size\|iteration_source\|peak_memory_bytes\)": \(.*\),$/\1 \2/p' one.json | tr '\n' ' ')"
    grep -c "is not the recorded step" one.json
done
