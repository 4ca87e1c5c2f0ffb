# --nvtx-range and --iterations: what each says of the same trace, and what is refused
step() {
    echo '{"ph":"X","cat":"user_annotation","name":"step","pid":1,"tid":1,"ts":'"$1"',"dur":9},'
    echo '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":'"$2"',"dur":1,"args":{"correlation":'"$1"'}},'
    echo '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":'"$3"',"dur":40,"args":{"device":0,"stream":7,"correlation":'"$1"'}},'
}
{
    echo '{"deviceProperties":[{"id":0,"name":"Tesla T4"}],"traceEvents":['
    step 10 12 100
    step 20 22 200
    step 30 32 300
    step 40 42 400
    echo '{"ph":"M","name":"x"}]}'
} >steps.json
facts() { "$habitat" info steps.json --csv "$@" | grep -E '^(iterations|iterations_by|kernel_ms),' | tr '\n' ' '; echo; }
facts
facts --nvtx-range step
facts --iterations 4
for command in 'info' 'predict --to V100-SXM2-16GB' 'explain --to V100-SXM2-16GB'; do
    "$habitat" $command steps.json --nvtx-range stp >/dev/null
    echo "no such range: $?"
    "$habitat" $command steps.json --nvtx-range step --iterations 4
    echo "both: $?"
done
"$habitat" info steps.json --iterations 5
echo "more than launches: $?"
"$habitat" info steps.json --iterations 0
echo "none: $?"
"$habitat" predict steps.json --to T4 --iterations 4 --json | grep '"iterations"'
"$habitat" predict steps.json --to T4 --csv 2>&1 >/dev/null | grep marks
"$habitat" predict steps.json --to T4 --iterations 3 --csv 2>&1 >/dev/null | grep alike
