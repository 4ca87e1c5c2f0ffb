# Every key of --json is in the page of its command, or in that of predict, on which it rests.
data=$source/data/recordings
pages=$source/docs/man
ranks=$data/two_gpus/vit_b64_tf32
keys() { # names of classes and of methods are no keys
    sed -e '/"by_class": {/,/}/d' -e '/"coverage": {/,/}/d' | grep -oE '"[a-z_0-9]+": ' | tr -d '": ' | sort -u
}
check() { # verb, arguments..
    verb=$1
    "$habitat" "$@" --json 2>/dev/null | keys >found
    [ -s found ] || echo "$*: no keys"
    while read -r key; do
        grep -qF "\`$key\`" "$pages/habitat-$verb.1.md" "$pages/habitat-predict.1.md" || echo "$verb: $key is in no page"
    done <found
    echo "$verb $(wc -l <found | tr -d ' ') keys" >>said
}
check info "$data/resnet50_b4_fp32_h200.json.gz"
check info --ranks "$ranks.rank0.json.gz" "$ranks.rank1.json.gz"
check predict "$data/resnet50_b4_fp32_h200.json.gz" --to T4 --steps 10
check predict --ranks "$ranks.rank0.json.gz" "$ranks.rank1.json.gz" --to A100-SXM4-80GB
check choose "$data/resnet50_b4_fp32_h200.json.gz" --steps 10 --deadline 1h
for by in op kernel class module; do
    check explain "$data/resnet50_b4_fp32_h200.json.gz" --to T4 --by $by
done
check op gemm --m 8 --n 8 --k 8 --to T4
grep -c keys said
