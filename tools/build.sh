#!/bin/sh
# Configures BUILD where that was not done yet, and builds it. Prints the last line of a build that
# went well, and what the compiler said of one that did not; exits with the build's own status.
# usage: build.sh BUILD [CMAKE-OPTION...]
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 ${1+"$1"}
build=$1
shift
cd "$(dirname "$0")/.."
mkdir -p "$build"
log=$build/build.log
if [ ! -f "$build/build.ninja" ]; then
    cmake -S . -B "$build" -G Ninja "$@" >"$log" 2>&1 || { status=$?; cat "$log" >&2; exit $status; }
fi
status=0
cmake --build "$build" >"$log" 2>&1 || status=$?
if [ $status != 0 ]; then
    grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2 || cat "$log" >&2 # all but the lines of progress
    echo "build: failed; the whole log is $log" >&2
    exit $status
fi
tail -n 1 "$log"
