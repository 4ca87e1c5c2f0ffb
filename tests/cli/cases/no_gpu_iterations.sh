# a recording without a GPU of three iterations: `trace` counts all of them, as `info` does, and one is predicted
step() {
    cat <<EOF
,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#$1","pid":1,"tid":1,"ts":$2,"dur":90,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":$(($2 + 1)),"dur":9,"args":{"Input Dims":[[64,32],[32,16]],"Input type":["float","float"]}},
{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":$(($2 + 20)),"dur":9,"args":{"Input Dims":[[64,16]],"Input type":["float"]}}
EOF
}
trace() {
    echo '{"habitat":{"schema":1,"recorded_without_gpu":true},"traceEvents":[{"ph":"M"}'
    for i in "$@"; do
        step "$i" "${i}00"
    done
    echo ']}'
}
trace 1 2 3 >three.json
trace 1 >one.json
for name in one three; do
    echo "$name"
    "$habitat" info $name.json --json | grep -E '"(iterations|operations)"'
    "$habitat" predict $name.json --to V100-PCIE-16GB --json | grep -E '"(iterations|operations|kernels|kernel_ms|iteration_ms)"'
    "$habitat" predict $name.json --to V100-PCIE-16GB --csv | cut -d, -f1-3
done
# what `record --allow-cpu` times is the CPU's own: both commands have it; kernels there are none, and the head counts as its notes do
sed 's/"schema":1/"schema":1,"iteration_ms":5.5,"iteration_ms_all":[5.5,5.5]/' three.json >timed.json
for verb in info "predict --to T4"; do
    # shellcheck disable=SC2086
    "$habitat" $verb timed.json --json 2>/dev/null | sed '/"predictions"/,$d' | grep -E '"(iteration_ms|iteration_source|kernels)":'
done
"$habitat" predict timed.json --to T4 | head -1
