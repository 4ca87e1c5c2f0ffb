# What only another GPU runs (T4 scales losses in fp16, an H200 computes in bf16) makes no row of nothing.
step=$source/data/recordings/bert_b2_amp_bf16_h100.json.gz
for by in op kernel class module; do
    "$habitat" predict "$step" --to H200-SXM5-141GB,T4 --by $by --csv 2>/dev/null >both
    "$habitat" predict "$step" --to H200-SXM5-141GB --by $by --csv 2>/dev/null >alone
    grep -v '^T4,' both | cmp - alone && echo "$by: as if asked alone"
done
"$habitat" predict "$step" --to H200-SXM5-141GB,T4 --by op --csv 2>/dev/null | grep -c '^T4,.*non_finite'
