# As of 0.1.0 (but its softmax rows are too few to train on), and what is new in these files. usage: check.sh FOLDER (of these files)
set -e
sh "$1/../0.1.0/check.sh" "$1" | grep -v 'rows of softmax that train'
cd "$1"
fact() { # FIELD, WHAT: of the listing of the recording
    "$habitat" info step.json.gz --csv | awk -F, -v field="$1" -v what="step.json.gz: $2" '$1 == field { print what "," $2 }'
}
fact peak_memory_bytes "peak of memory [B]"
fact iterations "recorded iterations"
"$habitat" predict step.json.gz --to V100-SXM2-16GB --method wave --assemble sum --batch 128 --csv 2>/dev/null |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "memory_bytes") c = i } NR == 2 { print "step.json.gz: memory at batch 128 [B]," $c }'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$habitat" train operations.csv.gz -o "$scratch" --no-mlp |
    awk '/gemm-matrix *seen/ { print "operations.csv.gz: rows of products on matrix units that train," $3 }'
