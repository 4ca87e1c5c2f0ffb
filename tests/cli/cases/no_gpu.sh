# a recording without a GPU (`habitat record --no-gpu`): every operation is predicted from its shape, by models alone
trace=$fixtures/no_gpu.json
"$habitat" info "$trace"
"$habitat" predict "$trace" --to H200-SXM5-141GB,V100-PCIE-16GB
"$habitat" predict "$trace" --to V100-PCIE-16GB --json | grep -vE '"(file|sha256)"'
"$habitat" explain "$trace" --to H200-SXM5-141GB --top 3
"$habitat" predict "$trace" | sed -n '/^GPU/,/^$/p' | awk '{ print $1 }' | head -4
"$habitat" choose "$trace" | sed -n 1p
"$habitat" predict "$trace" --to V100-PCIE-16GB --method wave
echo "a method that scales: $?"
"$habitat" predict "$trace" --to V100-PCIE-16GB --method habitat
echo "and one that scales what its networks lack: $?"
# TF32 where the script lets products round to it: faster on a GPU that has it, the same on one that has not
sed 's/"matmul_allow_tf32":false/"matmul_allow_tf32":true/; s/"cudnn_allow_tf32":true/"cudnn_allow_tf32":false/' "$trace" >other.json
"$habitat" predict other.json --to H200-SXM5-141GB,V100-PCIE-16GB --csv | cut -d, -f1-3
# what is inside an operation of known work is part of it; what nobody knows is left out and named
cat >nested.json <<'EOF'
{"habitat":{"schema":1,"recorded_without_gpu":true},"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":1,"dur":9,"args":{"Input Dims":[[64,32],[16,32],[]],"Input type":["float","float",""],"Concrete Inputs":["","",""]}},
{"ph":"X","cat":"cpu_op","name":"aten::t","pid":1,"tid":1,"ts":2,"dur":1,"args":{"Input Dims":[[16,32]],"Input type":["float"]}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":4,"dur":1,"args":{"Input Dims":[[64,32],[32,16]],"Input type":["float","float"]}},
{"ph":"X","cat":"cpu_op","name":"mine::secret","pid":1,"tid":1,"ts":12,"dur":1,"args":{"Input Dims":[[64,16]],"Input type":["float"]}}
]}
EOF
"$habitat" predict nested.json --to V100-PCIE-16GB --json | grep -E '"(kernels|kernel_ms)"|left out' | sort -u
# .. so that times are at least these, and a choice says so
"$habitat" predict nested.json --to V100-PCIE-16GB | sed -n '/^GPU/,/^$/p'
"$habitat" predict nested.json --to V100-PCIE-16GB,T4 | grep Fastest
"$habitat" choose nested.json --json | grep -E '"(reason|at_least)"' | sort -u
"$habitat" choose nested.json | grep -A1 'Note: the work'
"$habitat" choose nested.json --html left.html >/dev/null && grep -o 'Note: the work of some[^<]*' left.html
sed '/"aten::/d' nested.json >unknown.json
"$habitat" predict unknown.json --to V100-PCIE-16GB
echo "nothing known: $?"
# the most that tensors take at once, where it is recorded: workspaces are not in it, so 12 % more is kept free
sed 's/"peak_memory_bytes":null/"peak_memory_bytes":12000000000/' "$trace" >peak.json
"$habitat" info peak.json | grep Memory
"$habitat" predict peak.json --to V100-PCIE-16GB,RTX3080,RTX3070 --json | grep -E '"(gpu|memory_bytes|fits|headroom_bytes|margin_bytes|largest_batch)"'
# random numbers that the CPU draws take it time, by rule
sed 's/"recorded_without_gpu":true/"recorded_without_gpu":true,"cpu_data_ms":140.5/' "$trace" >drawn.json
"$habitat" predict drawn.json --to V100-PCIE-16GB 2>/dev/null | grep -A 3 -e '^V100' -e 'CPU needs'
