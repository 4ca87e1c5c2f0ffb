# --precision: the recorded one is the recording, which says it of itself; precisions that a GPU computes alike are one answer there, and
# a note says so; a step in 16 bit throughout has no autocast form.
R=$source/data/recordings
rows() { recording=$1; shift; "$habitat" predict "$R/$recording.json.gz" --json "$@" 2>/dev/null | python3 -c '
import json, sys
for row in json.load(sys.stdin)["predictions"]:
    print("%-16s %-9s" % (row["gpu"], row["precision"]), *("%.4g" % row[k] for k in ("iteration_ms", "low_ms", "high_ms")), "%.2f GB" % (row["memory_bytes"] / 1e9))'; }
echo "GNMT in fp16 autocast"
for precision in recorded amp-fp16 fp32; do rows gnmt_b32_amp_fp16_h200 --to H200-SXM5-141GB,T4 --precision $precision; done
echo "GNMT in fp32, GPUs without TF32"
for precision in fp32 tf32; do rows gnmt_b32_fp32_h100 --to K40,V100-SXM2-16GB --precision $precision; done
"$habitat" predict "$R/gnmt_b32_fp32_h100.json.gz" --to K40,V100-SXM2-16GB,A10 --precision tf32 | grep '^Note: no TF32'
echo "ResNet-50 in fp32, both autocasts"
for precision in amp-fp16 amp-bf16; do rows resnet50_b16_fp32_h200 --to T4,A10 --precision $precision; done
"$habitat" predict "$R/resnet50_b16_fp32_h200.json.gz" --to T4,A10 --precision amp-bf16 | sed -n '/^Note: .*instead/,/added/p;/^Note: no bf16/p'
echo "16 bit throughout"
for precision in amp-fp16 amp-bf16; do "$habitat" predict "$R/llama_b2_bf16_h100.json.gz" --to T4 --precision $precision; echo $?; done
