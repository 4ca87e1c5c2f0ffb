# One file of two GPUs that trained together: hours of so many samples are of one, which is said; not where both files are given, and not
# where nothing is asked of samples.
one=$source/data/recordings/two_gpus/resnet50_b64_tf32.rank0.json.gz other=$source/data/recordings/two_gpus/resnet50_b64_tf32.rank1.json.gz
hours() { "$habitat" "$@" --to H200-SXM5-141GB --samples 10000000 --json 2>&1 | grep -E '"hours"|takes all samples itself'; }
for command in predict choose; do
    hours $command "$one"
    hours $command --ranks "$one" "$other"
done
"$habitat" predict "$one" --to H200-SXM5-141GB 2>&1 | grep 'all samples itself'
true
