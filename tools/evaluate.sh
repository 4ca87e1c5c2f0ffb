#!/bin/sh
# Regenerates what is measured in docs/: accuracy.md (`habitat eval ops`: models trained anew, each GPU
# left out in turn; `e2e`, `cnn`: recordings onto whole models that others measured; `pairs`: steps recorded
# on two GPUs); the goals of iteration.md, iteration-figures.md (`replay`, `scale`, `ddp`) and the figures of memory.md (`memory`); new-models.md
# (tools/judge_new_models.py); training-ways.md (tools/judge_training_ways.py); ways-together.md (tools/judge_ways_together.py); unusual-steps.md (tools/judge_unusual_steps.py); full-size-steps.md (tools/judge_full_size_steps.py); choose.md (`choose`); shapes.md (`shapes`); case-studies.md; what README.md, the tutorial and the guides show; accuracy-bundle.md, where the whole
# bundle of measurements lies beside the checkout.
# usage: evaluate.sh BUILD [recordings|check]
#   recordings: all but what trains models, which stays as it is: seconds
#   check: the same, but nothing is written: says what differs from docs/, and fails if anything does
# HABITAT_EVAL_MLP=1 adds the networks of method mlp (a quarter of an hour).
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 2 "$@"
what=${2:-all}
usage_word "$what" all recordings check
root=$(cd "$(dirname "$0")/.." && pwd)
habitat=$(cd "$1" && pwd)/habitat
cd "$root"
mlp=--no-mlp
[ "${HABITAT_EVAL_MLP:-}" = 1 ] && mlp=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Puts a page in its place. A command that failed has ended the script before.
done_with() { # PAGE: $work/PAGE is whole
    if [ "$what" = check ]; then
        diff -u "docs/$1" "$work/$1" >"$work/difference" || {
            head -n 30 "$work/difference"
            echo "evaluate: docs/$1 is not what it is made of; run tools/evaluate.sh BUILD recordings" >&2
            touch "$work/differs"
        }
    else
        cat "$work/$1" >"docs/$1"
        echo "docs/$1"
    fi
}

# The whole bundle of measurements, where it lies beside the checkout: what thinning it costs. Made first: what was asked is judged by it, too.
bundle=${HABITAT_SHARED_DATA:-../shared/data}
if [ "$what" = all ] && [ -f "$bundle/ops_gemm_lowprec.csv.gz" ]; then
    cat >"$work/accuracy-bundle.md" <<'TEXT'
# Accuracy on the whole bundle

Made by `make eval` where the bundle of public measurements is present; do not edit. `data/measurements` holds all rows of the other classes, and
thins those of the classes below (docs/dataset.md): beside the tables of [accuracy.md](accuracy.md) these show what that costs. The bundle's
A100 rows of element-wise operations are mostly another source's, fp16 layers of a serving framework with times in whole microseconds.
TEXT
    echo "evaluate: the whole bundle, classes that are thinned (some minutes)" >&2
    "$habitat" eval ops --no-mlp --data "$bundle" --class elementwise --class gemm-matrix >"$work/part"
    sed '/^## Published per-class metric/,/^## Per operation/{/^## Per operation/!d}' "$work/part" >>"$work/accuracy-bundle.md"
    echo >>"$work/accuracy-bundle.md"
    "$habitat" eval suite --data "$bundle" >>"$work/accuracy-bundle.md"
    others=$bundle/../traces/others
    if [ -d "$others" ]; then
        printf '\n## Two vendors\n\n%s\n%s\n%s\n%s\n' \
            'BERT-small in bf16, forward, recorded by others on an H100 and on an MI300X: each predicts the other. **What was seen.** The rule for kernels of few' \
            'blocks where occupancy limits are unknown, as of all AMD GPUs, was settled with this pair of recordings in view: the figures show what it does and are no' \
            'clean test of it. The libraries of the two vendors are not the same: attention on the MI300X ran a kernel of 16 blocks, another one than on the H100.' \
            'Kernels of 2 to 5 us are the rest of the difference: what a launch costs at least on an MI300X was measured by nobody here.' >>"$work/accuracy-bundle.md"
        python3 tools/two_vendors.py "$habitat" "$others/h100_bert_small.json.gz" "$others/mi300x_bert_small.json.gz" >>"$work/accuracy-bundle.md"
    fi
    done_with accuracy-bundle.md
fi

if [ "$what" = all ]; then
    echo "evaluate: operations (some minutes)" >&2
    # shellcheck disable=SC2086
    "$habitat" eval ops $mlp >"$work/operations"
    sed '1{/^$/d}' "$work/operations" >"$work/tables"
    echo >>"$work/tables"
else
    sed -n '/^## Published per-class metric/,${/^## End to end$/q;p}' docs/accuracy.md >"$work/tables"
fi
[ "$what" = check ] || echo "evaluate: recordings" >&2
"$habitat" eval e2e >>"$work/tables"
echo >>"$work/tables"
"$habitat" eval e2e --data data/measurements/amd >"$work/part"
cat >>"$work/tables" <<'TEXT'
## End to end: GPUs of AMD

The same recordings of an H200 onto iterations that the same authors measured on GPUs of AMD (`data/measurements/amd`), matched as above. No model was
trained on a row of these GPUs, or of any of AMD's. Their rates of matrix units in fp32 are the upper quantile of these authors' linear layers;
without them: "auto, estimated rates". That fp32 products run on matrix units there was known from these rates; how operator models count them was
mended with these cases in view (docs/decisions/0400). Intervals are a default.

TEXT
sed -n '/^| method/,/^$/p; /^Mean error by GPU/,/^Forward and backward apart/{/^Forward and backward apart/!p}' "$work/part" >>"$work/tables"
"$habitat" eval cnn >>"$work/tables"
echo >>"$work/tables"
python3 tools/cnn_hosts.py "$habitat" >>"$work/tables"
echo >>"$work/tables"
python3 tools/ordered_bound.py "$habitat" >>"$work/tables"
echo >>"$work/tables"
python3 tools/other_origins.py "$habitat" >>"$work/tables"
echo >>"$work/tables"
python3 tools/judge_published.py "$habitat" >>"$work/tables"
echo >>"$work/tables"
"$habitat" eval pairs >>"$work/tables"
mkdir "$work/both"
ln -s "$root"/data/recordings/new_models/*.json.gz "$root"/data/recordings/new_models/on_h100/*.json.gz "$work/both"
"$habitat" eval pairs --recordings "$work/both" >"$work/part"
printf '\n## Pairs: other models\n\n%s\n%s\n%s\n%s\n\n' \
    'The steps of [new-models.md](new-models.md) (`tools/new_models.py`), recorded on one H200 and later on one H100 with the same software; the tables are made' \
    'as those above. **What was seen.** The recordings of the H100 were made after all rules of before ([decision 0450](decisions/0450-pairs-that-nobody-had-seen.md) has what they' \
    'were like then). Which kernels wait for memory and go on with instructions at once was settled with them in view, its one constant on the steps above' \
    '([decision 0501](decisions/0501-memory-and-instructions-side-by-side.md)).' >>"$work/tables"
sed -n '/^From .*:$/,/^| time unchanged/p' "$work/part" | sed '1!s/^From /\n&/' >>"$work/tables"
printf '\n## Operations of a GPU that no model saw\n\n%s\n%s\n\n' \
    'What `habitat collect` timed on an H100 (data/collected), predicted from sizes alone. No operator model was trained on a row of this GPU;' \
    'its sibling, the H200, is among the GPUs they were trained on. Rows of less than 10 us are mostly launch.' >>"$work/tables"
python3 tools/unseen_gpu.py "$habitat" data/collected/H100-SXM5-80GB.csv.gz >>"$work/tables"
echo >>"$work/tables"
python3 tools/measured_scatter.py data/measurements/gemm_fp32.csv.gz >>"$work/tables"
cat >"$work/accuracy.md" <<'TEXT'
# Accuracy

Made by `make eval` from `data/measurements` and `data/recordings`; do not edit. Protocol, and what each column means:
[modelling.md](modelling.md#protocol). No model was fitted to the rows it is judged on; what was settled by hand is listed there.

TEXT
python3 tools/accuracy_summary.py "$work/tables" >>"$work/accuracy.md"
echo >>"$work/accuracy.md"
python3 tools/accuracy_goals.py "$work/tables" docs/accuracy-bundle.md >>"$work/accuracy.md"
echo >>"$work/accuracy.md"
cat "$work/tables" >>"$work/accuracy.md"
done_with accuracy.md

cp docs/iteration.md "$work/iteration.md" # rules, and the table of what was asked, which is written below
sed '/^<!-- figures:/q' docs/iteration-figures.md >"$work/iteration-figures.md"
"$habitat" eval replay >"$work/part"
sed 1,3d "$work/part" >>"$work/iteration-figures.md"
printf '\n## Another batch size or precision\n' >>"$work/iteration-figures.md"
"$habitat" eval scale >>"$work/iteration-figures.md"
python3 tools/judge_precision.py "$habitat" >>"$work/iteration-figures.md"
python3 tools/judge_turns.py "$habitat" >>"$work/iteration-figures.md"
python3 tools/judge_elsewhere.py "$habitat" >>"$work/iteration-figures.md"
echo >>"$work/iteration-figures.md"
"$habitat" eval ddp >>"$work/iteration-figures.md"
sed '/^<!-- figures:/q' docs/memory.md >"$work/memory.md"
"$habitat" eval memory >"$work/part"
sed 1d "$work/part" >>"$work/memory.md"
# what recording.md shows is a source of these goals, so it is made before them
[ "$what" = check ] || python3 tools/shown.py "$habitat" docs/recording.md
python3 tools/iteration_goals.py "$work/iteration.md" "$work/iteration-figures.md" "$work/memory.md" docs/recording.md
done_with iteration.md
done_with iteration-figures.md
done_with memory.md

python3 tools/judge_new_models.py "$habitat" >"$work/new-models.md"
done_with new-models.md

python3 tools/judge_training_ways.py "$habitat" >"$work/training-ways.md"
done_with training-ways.md

python3 tools/judge_unusual_steps.py "$habitat" >"$work/unusual-steps.md"
done_with unusual-steps.md

python3 tools/judge_full_size_steps.py "$habitat" >"$work/full-size-steps.md"
done_with full-size-steps.md

python3 tools/judge_ways_together.py "$habitat" >"$work/ways-together.md"
done_with ways-together.md

"$habitat" eval choose >"$work/choose.md"
done_with choose.md

"$habitat" eval shapes >"$work/shapes.md"
done_with shapes.md

if [ "$what" = check ]; then
    [ ! -e "$work/differs" ] || exit 1
    echo "ok - the pages that recordings make are what they are made of"
    exit 0
fi
python3 tools/case_studies.py --write "$habitat" # these two have tests of their own
echo "docs/case-studies.md"
python3 tools/shown.py "$habitat"
