# --sharded: weights, gradients and states in parts; and what is refused.
step=$source/data/recordings/two_gpus/bert_large_b8_tf32_h200.json.gz
"$habitat" predict "$step" --to H200-SXM5-141GB,L40S --gpus 1,2,8 --sharded
"$habitat" predict "$step" --to L40S --gpus 1,8 --sharded --json 2>/dev/null | grep -E '"(gpus|sharded_layers|memory_bytes)":'
for wrong in "" "--gpus 1" "--gpus 2 --assemble sum" "--gpus 2 --ranks $step"; do
    "$habitat" predict "$step" --to L40S --sharded $wrong; echo "$?"
done
"$habitat" choose "$step" --to L40S,A100-SXM4-80GB --gpus 2,4 --sharded --top 2 | sed -n 1,10p
"$habitat" export --chakra "$step" --to L40S --gpus 2 --sharded -o out 2>/dev/null
for message in "all-gather of a layer's weights" "reduce-scatter of a layer's gradients" "all-reduce of a bucket"; do
    echo "$(grep -ac "$message" out/rank.0.et) $message"
done
cmp out/rank.0.et out/rank.1.et
