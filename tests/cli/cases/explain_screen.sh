# The answer of explain and its reasons on a screen of 24 lines; rows of operations where they are asked for, the reasons last.
show() {
    "$habitat" explain "$source/data/recordings/$1.json.gz" --to "$2" >out
    lines=$(wc -l <out)
    [ "$lines" -le 23 ] || echo "$1: $lines lines"
    grep '.\{81\}' out
    grep -c '^iteration\|^[123]\. ' out
}
show llama_b4_bf16_h200 L40S
show resnet50_b4_fp32_h200 RTX4090
show bert_b8_amp_bf16_h200 MI300X
show without_gpu/resnet50_b16_fp32 T4
show two_gpus/bert_large_b8_tf32.rank0 T4
"$habitat" explain "$fixtures/step.json" --to T4 --method bandwidth --top 1 | tail -n 8
# modules of repeated blocks are told apart by their ends
"$habitat" explain "$source/data/recordings/llama_b4_bf16_h200.json.gz" --to L40S --by module | sed -n '/^module/,/^total/p;/^total/q' | cut -c 1-28 | grep -A1 'attention\|21[.]  '
# work that is not counted: what is known of it; the bound stays unknown
"$habitat" explain "$source/data/recordings/llama_b4_bf16_h200.json.gz" --to L40S --json |
    python3 -c 'import json, sys; print(*[(r["what"], r["bound"], r["words"]) for r in json.load(sys.stdin)["reasons"]], sep="\n")'
exit 0
