# Where the gradients' sizes come from is a fact of the recording: predict and explain say it as info does, whatever was asked.
data=$source/data/recordings
for step in resnet50_b16_fp32_h200 bert_large_inference_s512_b8_fp32_h200; do
    for ask in info "predict --to T4" "predict --to T4 --gpus 2" "explain --to T4"; do
        set -- $ask
        verb=$1
        shift
        "$habitat" "$verb" "$data/$step.json.gz" "$@" --json 2>/dev/null | grep -o '"gradients_source".*' || echo refused
    done
done
