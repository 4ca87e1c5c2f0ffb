# Default answers end on a screen of 24 lines and 80 columns, names whole: recordings that were beyond it before.
recordings="$source/data/recordings"
show() {
    "$habitat" predict "$recordings/$1.json.gz" $2 >out || echo "exit $?"
    lines=$(wc -l <out)
    [ "$lines" -le 23 ] || echo "$1 $2: $lines lines"
    grep '.\{81\}\|^[A-Z0-9-]*[.][.]' out
    grep -o '^Fastest' out
}
show vgg16_training_b12_fp16_h200 "--batch 8,16,32"
show gpt2_large_training_s1024_b1_fp32_h200 "--batch 8,16,32"
show mobilenet_v2_inference_b12_fp32_h200 "--batch 8,16,32"
show bert_b2_amp_bf16_h100 "--batch 8,16,32"
show densenet121_training_b12_fp16_h200 "--batch 8,16,32 --steps 100000"
show llama_b4_bf16_h200 "--steps 10000"
show without_gpu/resnet50_b16_fp32 "--steps 10000"
"$habitat" predict "$recordings/vgg16_training_b12_fp16_h200.json.gz" --batch 8,16,32 | sed -n '/^Note: batch/p'
exit 0
