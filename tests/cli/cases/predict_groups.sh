# Convolutions whose groups are samples (StyleGAN's): more groups take as much longer, and in 16 bit each is run by itself
trace=$source/data/recordings/unusual/styles_b8_fp32_h100.json.gz
for more in "" "--batch 32" "--batch 2" "--precision amp-bf16"; do
    # shellcheck disable=SC2086
    "$habitat" predict "$trace" --to H100-SXM5-80GB --assemble sum $more --json 2>/dev/null |
        sed -n "s/^      \"kernel_ms\": \([0-9.]*\).*/${more:-as recorded}: \1/p"
done
