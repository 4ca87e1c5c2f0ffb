#!/bin/sh
# Trains every shipped model from the measurements of the repository and records their checksums.
# usage: train_models.sh BUILD [trees|networks]
# The trees of method auto take minutes, the networks of method mlp two minutes of one core.
# Equal inputs give equal bytes on one kind of processor; which give the shipped ones: docs/mlp.md.
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 2 "$@"
which=${2:-all}
usage_word "$which" all trees networks
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
cd "$root"
data=data/measurements
if [ "$which" != networks ]; then
    "$build/habitat" train "$data" -o data/models --no-mlp
fi
if [ "$which" != trees ]; then
    "$build/mlp_tables" train data/models/paper.habitat-models $data/collected_h200.csv.gz \
        $data/conv_fp32.csv.gz $data/gemm_fp32.csv.gz $data/rnn_fp32.csv.gz \
        $data/mlp/gemm_fp32.csv.gz
    chmod 644 data/models/paper.habitat-models
fi
(cd data/models && sha256sum ./*.habitat-models >SHA256SUMS)
cat data/models/SHA256SUMS
