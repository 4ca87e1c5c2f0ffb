# a GPU that the trace only names: no SMs, no memory
cat >named.json <<'EOF'
{"deviceProperties":[{"id":0,"name":"NVIDIA Q9000"}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":1,"args":{"device":0,"stream":7}}]}
EOF
"$habitat" info named.json 2>&1 | sed -n '1,5p'
sed 's/"deviceProperties.*traceEvents/"traceEvents/' named.json >unnamed.json
"$habitat" info unnamed.json 2>&1 | sed -n '1,4p'
