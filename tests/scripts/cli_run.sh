#!/bin/bash
# tests/cli/run.sh must fail a case whose output or exit code is another, and one in which a sanitizer
# found something, also where a pipe hides it. The program under test is a stand-in.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/a tree"
echo 1.0 >"$scratch/a tree/VERSION"
cat >"$scratch/program.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char *volatile text = malloc(8);
    int *volatile far = (int *)(void *)text;
    puts("fine");
    fflush(stdout);
    if (argc > 1 && argv[1][0] == 'o')
        return far[2];
    if (argc > 1 && argv[1][0] == 'l')
        text = NULL, far = NULL;
    else
        free(text);
    return argc > 1 && argv[1][0] == 'e' ? 3 : 0;
}
C
clang -g -fsanitize=address,undefined "$scratch/program.c" -o "$scratch/program"

expect() { # STATUS WHAT COMMAND-OF-THE-CASE
    local status=0
    echo "$3" >"$scratch/case.sh"
    ASAN_OPTIONS=detect_leaks=1 "$root/tests/cli/run.sh" "$scratch/program" "$scratch/a tree" "$scratch/case.sh" >"$scratch/log" 2>&1 || status=$?
    [ $status = "$1" ] || { cat "$scratch/log"; echo "not ok - run.sh: $2: exit $status, want $1"; exit 1; }
}
echo fine >"$scratch/case.stdout.exact"
expect 0 "a good case" '"$habitat"'
expect 1 "another output" 'echo other'
expect 1 "something on stderr" '"$habitat"; echo more >&2'
expect 1 "another exit code" '"$habitat" e'
expect 1 "output missing" 'true'
expect 1 "bad access, in a pipe and hidden" '"$habitat" o 2>/dev/null | cat'
expect 1 "a leak, in a pipe and hidden" '"$habitat" l 2>/dev/null | cat'
expect 77 "a skipped case" 'echo "no such thing here" >&2; exit 77'
echo 3 >"$scratch/case.exit"
expect 0 "an exit code that is wanted" '"$habitat" e'
expect 1 "an exit code that is missing" '"$habitat"'
echo "ok - run.sh notices other output, other exit codes, and what sanitizers find"
