# --batch, --batch-from and --precision: a row each GPU and batch size, what is as recorded, what stays; and what is refused.
step=$source/data/recordings/resnet50_b16_fp32_h200.json.gz
twin=$source/data/recordings/resnet50_b32_fp32_h200.json.gz
show() { "$habitat" predict "$step" --to H200-SXM5-141GB,T4 --assemble sum --csv "$@" 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } { print $1, $3, $at["batch_size"], $at["precision"], $at["fits"] }' | sed 's/\(\.[0-9][0-9]\)[0-9]*/\1/g'; }
show --batch 16,64
"$habitat" predict "$step" --to T4 --batch 64 --batch-from "$twin" --precision amp-fp16 | sed -n '/^GPU/p;/^T4/p;/^Note: .*instead/,/recorded/p'
for wrong in "--batch 0" "--batch -4" "--batch many" "--batch 8 --by op" "--precision amp-bf16 --timeline -" "--precision half" "--batch-from $twin" "--batch 8 --gpus 2"; do
    "$habitat" predict "$step" --to T4 $wrong 2>&1; done
"$habitat" predict "$step" --to T4 --batch 8 --batch-from "$step"
