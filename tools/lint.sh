#!/bin/sh
# cppcheck over all C, clang-tidy (with .clang-tidy) over the files of a build's compile commands.
# usage: lint.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability --inline-suppr \
    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
    -D__GNUC__=12 -I include -I src src cli recorder 2>&1 | grep -v '^$' && exit 1
# the sources of library and command line; tests and fixtures repeat themselves on purpose
files=$(git ls-files 'src/*.c' 'cli/*.c')
# shellcheck disable=SC2086
printf '%s\n' $files | xargs -P 2 -n 1 clang-tidy --quiet -p "$1" 2>/dev/null >"$1/tidy.log" || true
if grep -E 'warning:|error:' "$1/tidy.log"; then
    exit 1
fi
echo "ok - cppcheck and clang-tidy have nothing to say"
