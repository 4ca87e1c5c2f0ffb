#!/bin/sh
# The check of calls must fail on a forbidden one: plants some in a copy and expects to be told.
# usage: calls_selftest.sh ROOT
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=$(cd "${1:-.}" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/src/base" "$copy/lab" "$copy/cli"
printf '/* strtod(text) */\nint f(void) { return printf("%%d %%%% free %%s", 1, "a"); }\n' >"$copy/src/base/fine.c"
"$root/tests/calls.sh" "$copy" >/dev/null || { echo "not ok - a clean tree was refused"; exit 1; }
plant() { # file line
    printf '%s\n' "$2" >"$copy/$1"
    if "$root/tests/calls.sh" "$copy" >/dev/null; then
        echo "not ok - $1 with $2 was let through"
        exit 1
    fi
    rm "$copy/$1"
}
plant src/base/bad.c 'double f(const char *t) { return strtod(t, 0); }'
plant src/base/bad.c 'int f(char *t) { return snprintf(t, 9, "%d"
    " and %.3g", 1, 2.0); }'
plant cli/bad.c 'int f(void) { return printf("%5.1f %%", 2.0); }'
plant cli/bad.c 'int f(int c) { return tolower(c); }'
plant src/base/bad.c 'void *f(void) { return yajl_tree_parse("", 0, 0); }'
echo "ok - the check notices forbidden calls"
