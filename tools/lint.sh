#!/bin/sh
# cppcheck over all C, clang-tidy (with .clang-tidy) over the files of a build's compile commands.
# Fails on a finding, and where one of the two does not work: each must first find a planted mistake.
# usage: lint.sh BUILD
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
cd "$root"

check() { # FILE...: cppcheck as it is used here
    cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
        -D__GNUC__=12 -DHABITAT_EXPERIMENTAL=1 -I include -I src "$@"
}

planted=$build/planted.c
echo 'int planted(const int *p);
int planted(const int *p) { if (!p) return *p; return 0; }' >"$planted"
check "$planted" 2>&1 | grep -q 'Null pointer\|nullPointer' ||
    { echo "not ok - cppcheck does not see a planted mistake"; exit 1; }
clang-tidy --quiet --config-file=.clang-tidy -p "$build" "$planted" 2>&1 | grep -q 'NullDereference' ||
    { echo "not ok - clang-tidy does not see a planted mistake"; exit 1; }

status=0
check src $([ -d lab ] && echo lab) cli recorder >"$build/cppcheck.log" 2>&1 || status=$?
if [ $status != 0 ] || grep -q . "$build/cppcheck.log"; then
    cat "$build/cppcheck.log"
    echo "not ok - cppcheck (exit $status)"
    exit 1
fi

# the sources of library and command line; tests and fixtures repeat themselves on purpose
git ls-files -z 'src/*.c' 'lab/*.c' 'cli/*.c' >"$build/tidy.files"
[ -s "$build/tidy.files" ] || { echo "not ok - no source files are known to git"; exit 1; }
# one log a file: two at once would write into each other's lines
rm -rf "$build/tidy"
mkdir "$build/tidy"
# shellcheck disable=SC2016
xargs -0 -P 2 -n 1 sh -c '
    log=$1/tidy/$(echo "$2" | tr / _)
    clang-tidy --quiet -p "$1" "$2" >"$log" 2>"$log.err" || { echo "clang-tidy: exit $? on $2"; tail -n 5 "$log.err"; exit 1; }
' tidy "$build" <"$build/tidy.files" >"$build/tidy.log" || status=$?
if grep -rhE 'warning:|error:' --include='*.c' "$build/tidy" || [ $status != 0 ]; then
    cat "$build/tidy.log"
    echo "not ok - clang-tidy (exit $status)"
    exit 1
fi
echo "ok - cppcheck and clang-tidy have nothing to say"
