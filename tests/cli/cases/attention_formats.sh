# Fused attention of a step in TF32, asked in bf16: as training steps have it, not as serving frameworks do (docs/decisions/0522)
for step in gpt2_xl_b2 bert_large_b8 words_1b_b1; do
    "$habitat" predict "$source/data/recordings/full_size/${step}_tf32_h100.json.gz" --to H100-SXM5-80GB --assemble sum --precision amp-bf16 --json 2>/dev/null |
        sed -n "s/^      \"kernel_ms\": \([0-9.]*\).*/$step: \1/p"
done
