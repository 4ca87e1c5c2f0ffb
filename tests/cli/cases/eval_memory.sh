# Each recording predicts the peak of the other, at another batch size and in other formats.
mkdir two
cp "$source/data/recordings/resnet50_b4_fp32_h200.json.gz" "$source/data/recordings/resnet50_b16_amp_bf16_h200.json.gz" two
"$habitat" eval memory --recordings two | head -n 16
"$habitat" eval memory --recordings two --csv
