# Every default answer of `choose` fits 80x24: at most 23 lines of at most 80 columns, the recommendation among them, names whole.
# These were longer or wider once. With --top the recommendation follows a long table.
data=$source/data/recordings
"$habitat" gpus --csv | sed '1d;s/,.*//' | sort >names
look() { # $1: what; the rest: arguments
    what=$1
    shift
    "$habitat" choose "$@" >out 2>err || echo "$what: failed: $(cat err)"
    [ "$(wc -l <out)" -le 23 ] || echo "$what: $(wc -l <out) lines"
    LC_ALL=C.UTF-8 grep -n '.\{81\}' out && echo "$what: too wide"
    grep -q '^Take \|^No GPU can be taken' out || echo "$what: no recommendation"
    sed -n '/^GPU /,/^$/{/^GPU /d;/^$/d;s/ .*//;p}' out | sort -u | comm -23 - names
}
for t in without_gpu/resnet50_b16_fp32 mobilenet_v2_inference_b12_fp16_h200 inception_v3_b64_fp32_h200 resnet50_b4_fp32_h200; do
    for more in "" "--steps 100000" "--vendor any"; do
        # shellcheck disable=SC2086
        look "$t $more" "$data/$t.json.gz" $more
        [ "$(sed -n '/^GPU /,/^$/p' out | grep -c .)" -ge 5 ] || echo "$t $more: few rows"
    done
done
rank=$data/two_gpus/resnet50_b64_tf32.rank0.json.gz
look "long training" "$rank" --objective time --vendor any --steps 999999999999999
look "energy" "$rank" --objective energy --steps 100000
look "spot" "$rank" --spot
for more in "" "--objective time" "--samples 10000000"; do
    # shellcheck disable=SC2086
    look "several $more" "$data/two_gpus/resnet50_b16_fp32_h200.json.gz" --gpus 1,2,4,16 --batch 2,64,128 $more
done
look "no room" "$data/llama_b4_bf16_h200.json.gz" --must-fit --steps 100000 --deadline 1h
look "two vendors" "$data/llama_b4_bf16_h200.json.gz" "$source/tests/cli/fixtures/step.json" --objective time --vendor any --steps 100000
look "no sum" "$data/without_gpu/resnet50_b16_fp32.json.gz" --assemble sum --steps 100000 --vendor any
long=recorded_on_a_day_of_a_year_that_had_many_days_and_names_that_had_many_letters.json.gz
cp "$data/resnet50_b4_fp32_h200.json.gz" "$long"
look "a long name" "$long" --steps 100000
head -1 out
"$habitat" choose "$data/llama_b4_bf16_h200.json.gz" --top 30 | tail -12 | grep -o '^Take the'
