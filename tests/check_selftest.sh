#!/bin/sh
# The harness of the unit tests (tests/unit/check.h) must fail when a check fails, wherever it
# stands, and when there is no case: builds small programs and looks at how they end.
# usage: check_selftest.sh ROOT COMPILER
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 2 2 "$@"
root=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail=0

# ends STATUS NAME BODY [WORDS]: a main() of BODY ends with STATUS and prints WORDS.
ends() {
    printf '#include "check.h"\nint main(void) {\n%s\nreturn check_done();\n}\n' "$3" >"$work/program.c"
    "$compiler" -I"$root/tests/unit" -o "$work/program" "$work/program.c" -lm
    status=0
    "$work/program" >"$work/said" || status=$?
    if [ $status = "$1" ] && grep -qF -- "${4:-1..}" "$work/said"; then
        echo "ok - $2"
    else
        echo "not ok - $2: status $status, said:"
        cat "$work/said"
        fail=1
    fi
}

ends 0 "a program whose checks hold passes" 'CHECK(1); CHECK_INT(2, 2); check_case("a");' "ok 1 - a"
ends 1 "a check that fails in a case" 'CHECK(0); check_case("a");' "not ok 1 - a"
ends 1 "a case that fails before one that holds" 'CHECK(0); check_case("a"); CHECK(1); check_case("b");' "ok 2 - b"
ends 1 "a check after the last case" 'CHECK(1); check_case("a"); CHECK(0);' "not ok 2 - a check after the last case holds"
ends 1 "a number after the last case" 'check_case("a"); CHECK_INT(1, 2);' "1..2"
ends 1 "a nearness that is not a number" 'CHECK_NEAR(NAN, 1, 1); check_case("a");' "not ok 1 - a"
ends 1 "a text that is absent" 'CHECK_TEXT(NULL, "x"); check_case("a");' "not ok 1 - a"
ends 1 "a program without any case" '' "# no case"
ends 1 "a program without any case whose check fails" 'CHECK(0);' "1..1"
exit $fail
