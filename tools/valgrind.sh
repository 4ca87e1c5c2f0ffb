#!/bin/sh
# Runs every reading and predicting command under Valgrind on the recordings; any leak or invalid
# access fails. usage: valgrind.sh BUILD
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
habitat="$(cd "$1" && pwd)/habitat"
trace=$(ls "$root"/data/recordings/*.json.gz | head -n 1)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
    valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect,possible \
        --error-exitcode=99 "$habitat" "$@" >"$out/stdout" 2>"$out/stderr" || {
        echo "not ok - valgrind: habitat $*"
        tail -n 20 "$out/stderr"
        exit 1
    }
    echo "ok - valgrind: habitat $*" | sed "s|$root/||"
}
run gpus
run gpus H100
run gpus --check
run info "$trace"
run predict "$trace"
run predict "$trace" --to T4,V100 --method wave --json
run predict "$trace" --to all --method habitat --csv
run explain "$trace" --to A100 --html "$out/page.html"
run op gemm --m 512 --n 512 --k 512 --to all
