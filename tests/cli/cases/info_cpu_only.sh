# a recording of the CPU alone: info shows what is in it, the others say what to do
cat >cpu.json <<'EOF'
{"habitat":{"schema":1,"model":"Net","batch_size":4},"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":1,"dur":50},
{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":10,"dur":5,"args":{"Input Dims":[[2,3]],"Input type":["float"]}}
]}
EOF
"$habitat" info cpu.json
"$habitat" info cpu.json --json | grep -E '"(gpu|devices|kernel_ms|operations)"'
"$habitat" predict cpu.json --to V100-SXM2-16GB
echo "predict: $?"
"$habitat" explain cpu.json --to V100-SXM2-16GB
echo "explain: $?"
"$habitat" info cpu.json --from NOSUCH
echo "unknown GPU: $?"
