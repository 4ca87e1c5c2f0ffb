#!/bin/bash
# All tests, as CI runs them. Each stage says what it does; a failing stage does not stop the next.
# The last line counts single tests over all stages: "N passed, N failed".
# usage: run_tests.sh [STAGE...]   stages: gcc clang valgrind layers format lint python docs
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(gcc clang valgrind format lint docs python)
passed=0
failed=0
skipped=0
failures=()

say() { printf '\n== %s\n' "$*"; }

result() { # name status
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$1")
    fi
}

# Counts the tests of a ctest run from its log.
count_ctest() { # stage log
    local ok bad skip
    ok=$(grep -cE 'Test +#[0-9]+:.* Passed ' "$2")
    skip=$(grep -cE 'Test +#[0-9]+:.*\*\*\*Skipped' "$2")
    bad=$(grep -cE 'Test +#[0-9]+:.*\*\*\*(Failed|Timeout|Exception|Not Run)' "$2")
    passed=$((passed + ok))
    skipped=$((skipped + skip))
    failed=$((failed + bad))
    [ "$bad" = 0 ] || failures+=("$1: $(grep -E '\*\*\*(Failed|Timeout|Exception|Not Run)' "$2" | sed -E 's/.*: ([a-z][^ ]*) .*/\1/' | tr '\n' ' ')")
    [ $((ok + bad)) -gt 0 ] || result "$1: no test ran" 1
}

build_and_test() { # stage compiler sanitizers ctest-args...
    local stage=$1 compiler=$2 sanitizers=$3
    shift 3
    local dir="build-test/$stage"
    mkdir -p "$dir"
    CC=$compiler cmake -S . -B "$dir" -G Ninja -DHABITAT_WERROR=ON -DHABITAT_SANITIZE="$sanitizers" \
        >"$dir/configure.log" 2>&1 && cmake --build "$dir" >"$dir/build.log" 2>&1
    local status=$?
    result "$stage build" $status
    if [ $status != 0 ]; then
        tail -n 25 "$dir/configure.log"
        [ -f "$dir/build.log" ] && grep -E 'error|warning|FAILED' -A4 "$dir/build.log" | head -n 40
        return
    fi
    ctest --test-dir "$dir" -j 2 --output-on-failure "$@" >"$dir/ctest.log" 2>&1
    count_ctest "$stage" "$dir/ctest.log"
    grep -E '\*\*\*|tests passed|not ok|^# ' "$dir/ctest.log" | head -n 60
}

stage_gcc() {
    say "gcc, warnings as errors: unit, property, command-line and fuzz-seed tests"
    build_and_test gcc gcc ""
}

stage_clang() {
    say "clang, warnings as errors, address and undefined-behaviour sanitizers: the same tests"
    ASAN_OPTIONS=detect_leaks=1 build_and_test clang clang address,undefined
}

stage_valgrind() {
    say "Valgrind: every command on a real recording"
    tools/valgrind.sh build-test/gcc
    result valgrind $?
}

stage_format() {
    say "clang-format, layers, generated files"
    local files
    files=$(git ls-files '*.c' '*.h')
    clang-format --dry-run -Werror $files 2>&1 | head -n 20
    clang-format --dry-run -Werror $files >/dev/null 2>&1
    result "clang-format" $?
    tests/layers.sh .
    result "layers" $?
    tests/layers_selftest.sh .
    result "layer check notices a forbidden include" $?
}

stage_lint() {
    say "cppcheck and clang-tidy"
    tools/lint.sh build-test/clang
    result "lint" $?
}

stage_docs() {
    say "commands shown in the documentation"
    tests/docs.sh build-test/gcc
    result "documentation commands" $?
}

stage_python() {
    say "Python package: pip install, pytest"
    tools/test_python.sh
    local status=$? log=build-test/pytest.log
    local ok bad skip
    ok=$(grep -oE '[0-9]+ passed' "$log" 2>/dev/null | tail -n 1 | cut -d' ' -f1)
    bad=$(grep -oE '[0-9]+ (failed|error)' "$log" 2>/dev/null | awk '{n += $1} END {print n + 0}')
    skip=$(grep -oE '[0-9]+ skipped' "$log" 2>/dev/null | tail -n 1 | cut -d' ' -f1)
    passed=$((passed + ${ok:-0}))
    failed=$((failed + ${bad:-0}))
    skipped=$((skipped + ${skip:-0}))
    if [ $status != 0 ] && [ "${bad:-0}" = 0 ]; then
        result "python" 1
    fi
    [ "${bad:-0}" = 0 ] || failures+=("python: ${bad} tests")
}

tools/setup.sh build test lint python || exit 1
mkdir -p build-test
for stage in "${stages[@]}"; do
    begun=$(date +%s)
    "stage_$stage"
    echo "($(($(date +%s) - begun)) s)"
done

echo
for failure in "${failures[@]:-}"; do
    [ -z "$failure" ] || echo "failed: $failure"
done
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed = 0 ] && [ $passed -gt 0 ]
