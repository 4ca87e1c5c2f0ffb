#!/bin/sh
# Every allocation of every command fails once (make alloc): minutes. usage: alloc.sh
set -eu
. "$(dirname "$0")/usage.sh"
usage 0 0 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
build=build-test/gcc
mkdir -p "$build"
CC=gcc cmake -S . -B "$build" -G Ninja -DHABITAT_WERROR=ON -DHABITAT_ALLOC_HOOK=ON >"$build/configure.log"
cmake --build "$build" --target habitat_cli alloc_loop test_alloc test_alloc_hook >"$build/build.log"
status=0
HABITAT_ALLOC_LOOP=all "$build/test_alloc" || status=1
HABITAT_ALLOC_LOOP=all "$build/test_alloc_hook" || status=1
tests/alloc/run.sh all "$root/$build/liballoc_loop.so" "$root/$build/habitat" "$root" || status=1
exit $status
