#!/bin/bash
# tools/run_tests.sh must fail where what it runs fails, dies, or runs less than it should. A scratch
# tree holds it and stand-ins for ctest, pytest and the other checks, which do as they are told.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir -p "$tree/tools" "$tree/tests/scripts" "$scratch/bin"
cp "$root/tools/run_tests.sh" "$tree/tools/"
git -C "$tree" init -q
echo 'int x;' >"$tree/x.c"

script() { # FILE: an executable one from standard input
    { echo '#!/bin/bash'; cat; } >"$1"
    chmod +x "$1"
}
for name in tools/setup.sh tools/valgrind.sh tools/lint.sh tools/doc.sh tests/docs.sh tests/install.sh tests/layers.sh \
    tests/layers_selftest.sh tests/scripts/one.sh; do
    echo 'exit 0' | script "$tree/$name"
done
printf '/build*/\n' >"$tree/.gitignore"
git -C "$tree" add -A
echo 'exit 0' | script "$scratch/bin/cmake"
echo 'exit 0' | script "$scratch/bin/clang-format"
good_ctest='case "$*" in *-N*) echo "Total Tests: 3"; exit 0 ;; esac
pwd >>"$PLACES"
echo "1/3 Test #1: unit.a ......   Passed    0.01 sec"
echo "2/3 Test #2: unit.b ......***Skipped   0.01 sec"
echo "3/3 Test #3: cli.c .......   Passed    0.01 sec"'
good_python='mkdir -p build-test; echo "5 passed, 1 skipped in 1.0s" >build-test/pytest.log'
export PLACES="$scratch/places"
PATH="$scratch/bin:$PATH"

ends() { # WHAT STATUS LAST-LINE STAGE...: runs the stages
    local what=$1 want=$2 last=$3 status=0
    shift 3
    "$tree/tools/run_tests.sh" "$@" >"$scratch/log" 2>&1 || status=$?
    if [ $status != "$want" ] || [ "$(tail -n 1 "$scratch/log")" != "$last" ]; then
        sed 's/^/# /' "$scratch/log"
        echo "not ok - $what: exit $status, want $want and '$last'"
        exit 1
    fi
}
ctest_is() { script "$scratch/bin/ctest"; }
python_is() { script "$tree/tools/test_python.sh"; }

echo "$good_ctest" | ctest_is
echo "$good_python" | python_is
ends "all is well" 0 "3 passed, 0 failed, 1 skipped" gcc
ends "python is well" 0 "5 passed, 0 failed, 1 skipped" python
ends "unknown stage" 2 "run_tests: no such stage: gc" gcc gc

echo "$good_ctest; kill -9 \$\$" | ctest_is
ends "ctest killed at its end" 1 "3 passed, 1 failed, 1 skipped" gcc
echo "$good_ctest; exit 8" | ctest_is
ends "ctest fails without a failed test" 1 "3 passed, 1 failed, 1 skipped" gcc
echo "$good_ctest" | sed '/unit.b/i kill -9 $$' | ctest_is
ends "ctest killed after its first test" 1 "2 passed, 2 failed" gcc
echo "$good_ctest" | sed '/unit.b/d' | ctest_is
ends "a listed test did not run" 1 "3 passed, 1 failed" gcc
for how in 'Exception: SegFault' Failed Timeout 'Not Run (Disabled)'; do
    echo "$good_ctest; exit 8" | sed "s/   Passed    0.01 sec\"\$/***$how  0.01 sec\"/" | ctest_is
    ends "tests that end with $how" 1 "2 passed, 1 failed, 1 skipped" gcc
done
echo 'exit 127' | ctest_is
ends "no ctest" 1 "1 passed, 3 failed" gcc
echo "$good_ctest" | ctest_is

echo 'echo "error: no such file" >&2; exit 1' | script "$scratch/bin/cmake"
ends "the build fails" 1 "0 passed, 1 failed" gcc
echo 'exit 0' | script "$scratch/bin/cmake"

echo 'kill -9 $$' | python_is
ends "pytest killed, an earlier log is there" 1 "0 passed, 1 failed" python
echo 'mkdir -p build-test; echo "...." >build-test/pytest.log' | python_is
ends "pytest ends with 0 and without a summary" 1 "0 passed, 1 failed" python
echo 'mkdir -p build-test; echo "1 failed, 4 passed, 2 errors in 1s" >build-test/pytest.log; exit 1' | python_is
ends "failed Python tests" 1 "4 passed, 3 failed" python
echo "$good_python" | python_is

for part in tools/valgrind.sh tools/lint.sh tools/doc.sh tests/docs.sh tests/install.sh tests/scripts/one.sh; do
    stage=$(basename "$part" .sh)
    echo 'exit 3' | script "$tree/$part"
    ends "$part fails" 1 "0 passed, 1 failed" "${stage/one/scripts}"
    echo 'exit 0' | script "$tree/$part"
done
echo 'exit 1' | script "$scratch/bin/clang-format"
ends "clang-format fails" 1 "2 passed, 1 failed" format
echo 'exit 0' | script "$scratch/bin/clang-format"
git -C "$tree" rm -q --cached x.c
ends "git knows no source file" 1 "2 passed, 1 failed" format
git -C "$tree" add x.c

# everything: the copy lies at a path with a space and the name habitat, holds new files and no deleted ones
echo new >"$tree/new file"
rm "$tree/x.c"
: >"$PLACES"
ends "everything" 0 "21 passed, 0 failed, 3 skipped"
clone="$tree/build-test/habitat clone/habitat"
[ "$(head -n 1 "$PLACES")" = "$clone" ] && [ -f "$clone/new file" ] && [ ! -e "$clone/x.c" ] ||
    { echo "not ok - the copy of the working tree"; exit 1; }
rm "$tree/new file"
echo 'int y;' >"$tree/y.c"
git -C "$tree" add -A
ends "everything again" 0 "21 passed, 0 failed, 3 skipped"
[ ! -e "$clone/new file" ] && [ -f "$clone/y.c" ] || { echo "not ok - the second copy of the working tree"; exit 1; }
echo 'case "$PWD" in *clone*) kill -9 $PPID ;; esac' | script "$tree/tests/docs.sh"
ends "the run in the copy is killed" 1 "10 passed, 1 failed, 1 skipped"
echo "ok - run_tests.sh notices what fails, dies or does not run"
