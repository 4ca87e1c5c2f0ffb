#!/bin/sh
# Which share of its reader's lines each fuzz target's inputs (seeds, and the corpus that `make fuzz` left) reach.
# Fails where it is less than LEAST percent, which the seeds alone come up to.
# usage: fuzz_coverage.sh [TARGET...]
set -eu
. "$(dirname "$0")/usage.sh"
usage 0 99 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
targets=$(cd fuzz && ls fuzz_*.c | sed 's/^fuzz_//;s/\.c$//')
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $targets
# shellcheck disable=SC2086
for target in "$@"; do usage_word "$target" $targets; done
LEAST=85
failed=0
build=$root/build-coverage
mkdir -p "$build"
CC=clang CFLAGS="-fprofile-instr-generate -fcoverage-mapping -O1" cmake -S . -B "$build" -G Ninja -DHABITAT_BENCH=OFF >"$build/build.log" 2>&1 ||
    { tail -n 20 "$build/build.log"; exit 1; }
for target in "$@"; do
    case $target in # what reads its bytes
    gpu) reader='src/gpu/parse.c src/gpu/fields.c src/gpu/file_*.c src/gpu/complete.c src/gpu/check.c src/base/json.c src/base/json_tree.c' ;;
    model) reader='src/models/file.c src/models/trees.c' ;;
    price) reader='src/ask/prices.c src/ask/prices_*.c' ;;
    table) reader='src/base/csv.c src/question/*.c' ;;
    nsys) reader='src/trace/reader_nsys.c src/trace/nsys_rows.c src/trace/iterations_asked.c' ;;
    trace) reader=$(ls src/trace/*.c | grep -v -e nsys -e sha256) ;;
    *) echo "fuzz_coverage: which files read for \"$target\"?" >&2; exit 1 ;;
    esac
    cmake --build "$build" --target "replay_$target" >"$build/build.log" 2>&1 || { tail -n 20 "$build/build.log"; exit 1; }
    inputs=$root/fuzz/seeds/$target
    corpus=$root/build-fuzz/corpus/$target
    binary=$(find "$build" -name "replay_$target" -type f)
    [ -d "$corpus" ] || corpus=
    LLVM_PROFILE_FILE=$build/$target.raw "$binary" "$inputs" ${corpus:+"$corpus"} >/dev/null
    llvm-profdata merge -o "$build/$target.profile" "$build/$target.raw"
    # shellcheck disable=SC2086
    llvm-cov report "$binary" -instr-profile="$build/$target.profile" $reader >"$build/$target.txt"
    awk -v target="$target" -v least=$LEAST '
        $1 == "TOTAL" {
            print "fuzz: " target " reaches " $(NF - 3) " of the lines of its reader"
            reached = $(NF - 3) + 0
        }
        END { exit reached < least }' "$build/$target.txt" || { failed=1; echo "fuzz: $target reaches less than $LEAST %"; }
done
exit $failed
