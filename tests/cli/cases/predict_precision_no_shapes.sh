# Without shapes and formats nothing tells what another precision changes: no number that looks like one.
sed -E 's/"Input (Dims|type)"/"no \1"/g' "$fixtures/step.json" >bare.json
for precision in amp-bf16 tf32 fp32; do
    "$habitat" predict bare.json --to T4 --precision $precision
    echo "$?"
done
"$habitat" predict "$fixtures/step.json" --to T4 --precision amp-fp16 --json | grep '"precision"'
# a GPU without a name in the recording: what to do is to say it
cat >nameless.json <<'EOF'
{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":1,"args":{"device":0,"stream":7}}]}
EOF
"$habitat" info nameless.json 2>/dev/null | grep -A1 "GPU's name"
