#!/bin/sh
# Runs each libFuzzer target for the given seconds under ASan and UBSan, starting from its seeds.
# usage: fuzz.sh [SECONDS [TARGET...]]
set -eu
. "$(dirname "$0")/usage.sh"
usage 0 99 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-600}
case $seconds in *[!0-9]*) usage_end ;; esac
targets=$(cd "$root/fuzz" && ls fuzz_*.c | sed 's/^fuzz_//;s/\.c$//')
[ $# -gt 0 ] && shift
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $targets
# shellcheck disable=SC2086
for target in "$@"; do usage_word "$target" $targets; done
build="$root/build-fuzz"
CC=clang "$root/tools/build.sh" "$build" -DHABITAT_FUZZ=ON -DHABITAT_TESTS=OFF \
    -DHABITAT_BENCH=OFF -DHABITAT_SANITIZE=address,undefined
for target in "$@"; do
    corpus="$build/corpus/$target"
    mkdir -p "$corpus"
    echo "fuzz: $target for $seconds s"
    "$build/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 "$corpus" "$root/fuzz/seeds/$target" >"$build/$target.log" 2>&1 ||
        { tail -n 30 "$build/$target.log"; echo "fuzz: $target failed; log in build-fuzz/$target.log"; exit 1; }
    grep -E 'number_of_executed_units|peak_rss' "$build/$target.log" | sed 's/^stat::/  /'
done
"$root/tools/fuzz_coverage.sh" "$@"
