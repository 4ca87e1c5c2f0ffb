# Traces that others published, where they are: GPUs under other numbers, Triton, Nsight's ranges.
traces=$source/../shared/traces/others
[ -d "$traces" ] || traces=$source/../../shared/traces/others
[ -d "$traces" ] || { echo "no shared traces beside the repository" >&2; exit 77; }
# kernels of device 2, one GPU described under 0
for name in mi300x_bert_small compile_triton; do
    "$habitat" info "$traces/$name.json.gz" --csv | grep -E '^gpu,|^class'
done
# ranges of operations (emit_nvtx) around everything: no class comes from them
zcat "$traces/h100_2gpu_1s.sqlite.gz" >two.sqlite
"$habitat" info two.sqlite --from H100-SXM5-80GB --csv | grep -E '^class|^iterations'
"$habitat" info two.sqlite --from H100-SXM5-80GB --iterations 10 --csv | grep -E '^class.gemm|^iterations'
# one rank of eight, without events: its streams keep their order, so its own iteration is no shorter than its GPU is busy,
# which is longer than any stream's kernels
"$habitat" predict "$traces/ddp_rank0_sampled.json.gz" --from A100-SXM4-40GB --to A100-SXM4-40GB,H100-SXM5-80GB --json 2>/dev/null | python3 -c '
import json, sys
said = json.load(sys.stdin)
own, h100 = said["predictions"]
print(said["trace"]["busy_ms"], "%.1f %.1f %.0f" % (own["iteration_ms"], own["busy_ms"], h100["iteration_ms"]), own["busy_ms"] == said["trace"]["busy_ms"] <= own["iteration_ms"])
print(*[line for line in said["warnings"] if "keep the recorded order" in line])'
