# What is said of one batch size in the same words as of another is said once, with the list; a share that reads 0 is left out.
data=$source/data/recordings
notes() { "$habitat" predict "$@" --json 2>/dev/null | python3 -c '
import json, sys
print(*(w for w in json.load(sys.stdin)["warnings"] if "instead of" in w and w.startswith("batch")), sep="\n")'; }
notes "$data/resnet50_b4_fp32_h200.json.gz" --to T4,L40S --batch 1,2,8,16,32
notes "$data/resnet50_b4_fp32_h200.json.gz" --to T4 --batch 8
notes "$data/gpt2_b8_bf16_h200.json.gz" --to T4,A10 --batch 4,16,4
notes "$data/bert_large_inference_s512_b8_fp32_h200.json.gz" --to T4 --batch 4,16
