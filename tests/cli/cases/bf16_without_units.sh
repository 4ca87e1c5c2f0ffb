# A step in autocast to bf16 trains in fp16 where there are no bf16 units, with the scaler that the
# recording does not hold: as --precision amp-fp16 says, in the sums by class, and in a timeline.
# Weights in bf16 have no scaler: that much is said.
r=$source/data/recordings
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB,A100-SXM4-80GB
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --precision amp-fp16 |
    sed -n 4,6p
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB,A100-SXM4-80GB --by class |
    sed -n 4,7p
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --by op --top 60 |
    grep -E "unscale|fused|foreach|adam" || true
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --timeline t.json >/dev/null
grep -c '"cat": "kernel"' t.json
"$habitat" predict "$r/dcgan_b16_amp_bf16_h200.json.gz" --to A100-SXM4-80GB --timeline t.json >/dev/null
grep -c '"cat": "kernel"' t.json
"$habitat" export --chakra "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --output t.et &&
    echo written
"$habitat" export --chakra "$r/dcgan_b16_amp_bf16_h200.json.gz" --to V100-SXM2-16GB --gpus 4 \
    --output u.et && echo written
"$habitat" predict "$r/llama_b2_bf16_h100.json.gz" --to V100-SXM2-16GB | grep -A 3 "no bf16"
