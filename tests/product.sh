#!/bin/sh
# Fails on what belongs to the laboratory, to data or to docs and stands in a source of the library: the name of
# a GPU of data/gpus, a publication or its data set, a table in Markdown. (Headers may hold them: src/base/constants_*.h
# and src/question/sources.h say where a number or a word comes from.)
# usage: product.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
gpus=$(for file in "$root"/data/gpus/*.json; do
    name=$(basename "$file" .json)
    echo "${name%%-*}"
done | sort -u | tr '\n' '|')
[ -n "$gpus" ] || { echo "no GPUs in $root/data/gpus"; exit 1; }
published='neusight|deepbench|aiconfigurator|cdecatapult|usenix|asplos|arxiv|doi\.org|et al\b|vidur'
problems=$(find "$root/src" -name '*.c' | sort | while read -r file; do
    grep -nHE "(^|[^A-Za-z0-9_])(${gpus%|})([^A-Za-z0-9_]|\$)" "$file" | sed 's/$/   <- a GPU/'
    grep -nHiE "$published" "$file" | sed 's/$/   <- a publication/'
    grep -nHE '\|[ :]?-+:?\||"\*\*' "$file" | sed 's/$/   <- Markdown/'
done)
if [ -n "$problems" ]; then
    echo "$problems"
    exit 1
fi
echo "ok - no GPU, publication or Markdown in src/"
