# --batch, --batch-from and --precision: a row each GPU and batch size, what is as recorded, what stays; and what is refused.
step=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
twin=b32.json.gz # a path without blanks
cp "$source/data/recordings/resnet50_b32_fp32_h200.json.gz" $twin
show() { "$habitat" predict "$step" --to H200-SXM5-141GB,T4 --assemble sum --json "$@" 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print(row["gpu"], "%.2f" % row["iteration_ms"], row["batch_size"], row["precision"], row["fits"])'; }
show --batch 16,64
"$habitat" predict "$step" --to T4 --batch 64 --batch-from "$twin" --precision amp-fp16 | sed -n '/^GPU/p;/^T4/p;/^Note: .*instead/,/recorded/p'
for wrong in "--batch 0" "--batch -4" "--batch many" "--batch 8 --by op" "--precision amp-bf16 --timeline x" "--precision half" "--batch-from $twin"; do
    "$habitat" predict "$step" --to T4 $wrong 2>&1; done
"$habitat" predict "$step" --to T4 --batch 8 --batch-from "$step"
cp "$source/data/recordings/bert_b8_fp32_h200.json.gz" bert.json.gz
"$habitat" predict "$step" --to T4 --batch 8 --batch-from bert.json.gz
cp "$source/data/recordings/resnet50_b64_amp_fp16_h200.json.gz" amp.json.gz
"$habitat" predict "$step" --to T4 --batch 8 --batch-from amp.json.gz
cp "$source/data/recordings/resnet50_b64_tf32_h200.json.gz" tf32.json.gz # the same operations
"$habitat" predict "$step" --to T4 --batch 8 --batch-from tf32.json.gz | sed -n '/^Note: .*instead/,/recorded/p'
# what does fit where the batch does not; the column that tells it of every GPU
"$habitat" predict "$step" --to V100-SXM2-16GB,T4,RTX4090,A10,P4 --batch 16,512 2>/dev/null | grep -A2 'largest batch'
"$habitat" predict "$step" --to T4,A10 --batch 16,512 --columns iteration_ms,largest_batch | sed -n '/^GPU  /p;/^T4/p;/^A10/p'
