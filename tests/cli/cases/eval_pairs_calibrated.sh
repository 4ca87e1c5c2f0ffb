# Calibrating a GPU never makes the steps recorded on both GPUs worse: the mean error of each direction grows by at most half
# a point, whichever of the two is calibrated. A rate of another meaning in a calibration (two seconds of products alone) cost
# 2 points and more.
errors() { # files...: mean error of `auto` by origin, in per cent
    "$habitat" eval pairs --recordings "$source/data/recordings" --csv "$@" | awk -F, '
        $5 == "auto" { e = $8 / $7 - 1; sum[$3] += e < 0 ? -e : e; n[$3]++ }
        END { for (gpu in n) printf "%s %.3f %d\n", gpu, 100 * sum[gpu] / n[gpu], n[gpu] }' | LC_ALL=C sort
}
cp "$source/data/calibrations/H100-SXM5-80GB.json" h100.json # paths without blanks
cp "$source/data/calibrations/H200-SXM5-141GB.json" h200.json
h100=h100.json h200=h200.json
errors >before
awk '{ print $1 ": " ($3 >= 40 ? "enough" : "too few") " steps" }' before
for files in "$h100" "$h200" "$h100 $h200"; do
    set --
    for file in $files; do set -- "$@" --gpu-file "$file"; done
    errors "$@" >after
    LC_ALL=C join before after | awk '{ print "from " $1 ": " ($4 <= $2 + 0.5 ? "no worse" : "worse, " $2 " to " $4) }'
done
# products of two seconds alone: this is what the test would notice
sed 's/"bf16": 7[0-9.]*/"bf16": 685/; s/"fp16": 7[0-9.]*/"fp16": 656/; s/"tf32": [0-9.]*/"tf32": 359/' "$h100" >long.json
errors --gpu-file long.json >after
LC_ALL=C join before after | awk '{ print "from " $1 ", two seconds: " ($4 <= $2 + 0.5 ? "no worse" : "worse") }'
