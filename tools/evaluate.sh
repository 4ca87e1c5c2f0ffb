#!/bin/sh
# Regenerates docs/accuracy.md: `habitat eval ops` (models trained anew, each GPU left out in turn) and
# `habitat eval e2e`, `cnn` (recordings onto whole models that others measured) and `pairs` (steps
# recorded on two GPUs); the figures of docs/iteration.md (`replay`, `scale`, `ddp`) and docs/memory.md (`memory`); and docs/choose.md (`choose`).
# usage: evaluate.sh BUILD     HABITAT_EVAL_MLP=1 adds the networks of method mlp (a quarter of an hour)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
habitat=$(cd "$1" && pwd)/habitat
cd "$root"
mlp=--no-mlp
[ "${HABITAT_EVAL_MLP:-}" = 1 ] && mlp=
out=docs/accuracy.md.new
trap 'rm -f "$out" "$out.tables"' EXIT
{
    echo "evaluate: operations (some minutes)" >&2
    # shellcheck disable=SC2086
    "$habitat" eval ops $mlp
    echo
    echo "evaluate: end to end" >&2
    "$habitat" eval e2e
    echo
    "$habitat" eval cnn
    echo
    "$habitat" eval pairs
    printf '\n## Operations of a GPU that no model saw\n\n%s\n%s\n\n' \
        'What `habitat collect` timed on an H100 (data/collected), predicted from sizes alone. No operator model was trained on a row of this GPU;' \
        'its sibling, the H200, is among the GPUs they were trained on. Rows of less than 10 us are mostly launch.'
    python3 tools/unseen_gpu.py "$habitat" data/collected/H100-SXM5-80GB.csv.gz
} >"$out.tables"
{
    cat <<'TEXT'
# Accuracy

Made by `make eval` from `data/measurements` and `data/recordings`; do not edit. Protocol, and what each column means:
[modelling.md](modelling.md#protocol). No model was fitted to the rows it is judged on; what was settled by hand is listed there.

TEXT
    python3 tools/accuracy_summary.py "$out.tables"
    echo
    sed '1{/^$/d}' "$out.tables"
} >"$out"
mv "$out" docs/accuracy.md
echo "docs/accuracy.md"
{
    sed '/^<!-- figures:/q' docs/iteration.md
    "$habitat" eval replay | sed 1,3d
    printf '\n## Another batch size or precision\n'
    "$habitat" eval scale
    echo
    "$habitat" eval ddp
} >"$out"
mv "$out" docs/iteration.md
echo "docs/iteration.md"
{
    sed '/^<!-- figures:/q' docs/memory.md
    "$habitat" eval memory | sed 1d
} >"$out"
mv "$out" docs/memory.md
echo "docs/memory.md"
"$habitat" eval choose >"$out"
mv "$out" docs/choose.md
echo "docs/choose.md"

# The whole bundle of measurements, where it lies beside the checkout: what thinning it costs.
bundle=${HABITAT_SHARED_DATA:-../shared/data}
[ -f "$bundle/ops_gemm_lowprec.csv.gz" ] || exit 0
{
    cat <<'TEXT'
# Accuracy on the whole bundle

Made by `make eval` where the bundle of public measurements is present; do not edit. `data/measurements` holds all rows of the other classes, and
thins those of the classes below (docs/dataset.md): beside the tables of [accuracy.md](accuracy.md) these show what that costs. The bundle's
A100 rows of element-wise operations are mostly another source's, fp16 layers of a serving framework with times in whole microseconds.
TEXT
    echo "evaluate: the whole bundle, classes that are thinned (some minutes)" >&2
    "$habitat" eval ops --no-mlp --data "$bundle" --class elementwise --class gemm-matrix >"$out.tables"
    sed '/^## Published per-class metric/,/^## Per operation/{/^## Per operation/!d}' "$out.tables"
    echo
    "$habitat" eval suite --data "$bundle"
    others=$bundle/../traces/others
    if [ -d "$others" ]; then
        printf '\n## Two vendors\n\n%s\n%s\n%s\n' \
            'BERT-small in bf16, forward, recorded by others on an H100 and on an MI300X: each predicts the other. The libraries of the two vendors' \
            'are not the same: attention on the MI300X ran a kernel of 16 blocks, which no rule can know from the H100. Kernels of 2 to 5 us are the' \
            'rest of the difference: what a launch costs at least on an MI300X was measured by nobody here.'
        python3 tools/two_vendors.py "$habitat" "$others/h100_bert_small.json.gz" "$others/mi300x_bert_small.json.gz"
    fi
} >"$out"
mv "$out" docs/accuracy-bundle.md
echo "docs/accuracy-bundle.md"
