# --timeline: the predicted iteration of the GPU that is recommended, as predict writes it.
step=$fixtures/step.json
resnet=$source/data/recordings/resnet50_b4_fp32_h200.json.gz
best() { sed -n 's/^  "recommended": "\(.*\)",/\1/p'; }
gpu=$("$habitat" choose "$step" --json --timeline chosen.json | best)
"$habitat" predict "$step" --to "$gpu" --timeline named.json >/dev/null && cmp chosen.json named.json && echo same
echo "-- of several recordings the first"
gpu=$("$habitat" choose "$resnet" "$step" --objective time --json --timeline chosen.json.gz | best)
"$habitat" export --timeline "$resnet" --to "$gpu" -o named.json.gz && cmp chosen.json.gz named.json.gz && echo same
echo "-- beside a page and a report"
"$habitat" choose "$step" --timeline again.json --html page.html | grep -c '^Take'
ls again.json page.html
echo "-- refused, and nothing is written"
run() { "$habitat" choose "$@"; echo "exit $?"; }
run "$step" --to T4 --max-usd-hour 0.0001 --timeline none.json
run "$step" --timeline -
run "$step" --timeline none.json --html none.json
run "$step" --timeline none.json --assemble sum
run "$step" --timeline none.json --gpus 1,2
run "$resnet" --timeline none.json --batch 8
cp "$step" own.json
run own.json --timeline own.json
run "$fixtures/no_gpu.json" --to T4 --timeline line.json >/dev/null && [ -s line.json ] && echo written # without a GPU, too
ls none.json 2>/dev/null
