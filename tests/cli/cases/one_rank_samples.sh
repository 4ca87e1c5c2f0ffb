# One file of two GPUs that trained together: hours of so many samples are of one, which is said; not where both files are given, and not
# where nothing is asked of samples.
one=$source/data/recordings/two_gpus/resnet50_b64_tf32.rank0.json.gz other=$source/data/recordings/two_gpus/resnet50_b64_tf32.rank1.json.gz
for command in predict choose; do
    for files in "$one" "--ranks $one $other"; do
        # shellcheck disable=SC2086
        "$habitat" $command $files --to H200-SXM5-141GB --samples 10000000 --json 2>&1 | grep -E '"hours"|takes all samples itself'
    done
done
"$habitat" predict "$one" --to H200-SXM5-141GB 2>&1 | grep 'all samples itself'
true
