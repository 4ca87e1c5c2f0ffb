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
