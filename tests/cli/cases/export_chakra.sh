# Chakra execution traces: one, or one for each of several GPUs, all alike; what does not go together is refused.
step=$fixtures/step.json
"$habitat" export --chakra "$step" --to T4 --method bandwidth >piped
"$habitat" export --chakra "$step" --to T4 --method bandwidth -o named && cmp piped named && echo same
"$habitat" export --chakra "$step" --to T4 --gpus 1 --method bandwidth -o one && cmp piped one && echo same
two=$source/data/recordings/two_gpus/resnet50_b64_tf32_h200.json.gz
"$habitat" export --chakra "$two" --to A100-SXM4-80GB --gpus 3 -o many && ls many && cmp many/rank.0.et many/rank.2.et && echo same
"$habitat" export --chakra "$two" --to A100-SXM4-80GB --gpus 3 -o many && echo again
for wrong in "" "--chakra --timeline --to T4" "--chakra" "--chakra --to T4,L4" "--chakra --to all" "--chakra --to T4 --gpus 2" \
    "--timeline --to T4 --gpus 2" "--chakra --to T4 -o nowhere/x" "--chakra --to T4 --gpus 2 -o nowhere/x" "--chakra --to T4 --cpu-scale 0"; do
    "$habitat" export "$step" $wrong >/dev/null; echo "$?"
done
"$habitat" export --chakra "$two" --to T4 --gpus 2 -o named; echo "$?"
"$habitat" export --chakra "$fixtures/no_gpu.json" --to T4; echo "$?"
