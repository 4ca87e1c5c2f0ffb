#!/bin/bash
# All tests, as CI runs them. Each stage says what it does; a failing stage does not stop the next.
# The last line counts single tests over all stages: "N passed, N failed".
# usage: run_tests.sh [STAGE...]
#   stages: gcc valgrind docs install python clang format lint doc scripts clone
# Without a stage: clone clang format lint doc scripts. The stage clone copies the working tree to a path
# with a space in it, whose last part is habitat, and runs gcc valgrind docs install python there.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
in_clone=(gcc valgrind docs install python)
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(clone clang format lint doc scripts)
passed=0
failed=0
skipped=0
failures=()
TIMEFORMAT='%0R s (%0U s user, %0S s system)'

say() { printf '\n== %s\n' "$*"; }

result() { # name status
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$1")
    fi
}

add() { # passed failed [skipped]
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + ${3:-0}))
}

# Counts the tests of a ctest run from its log. A run that ended early, killed for instance, fails:
# every test that ctest lists must have left its line.
count_ctest() { # stage log status listed
    local ok bad skip
    ok=$(grep -cE 'Test +#[0-9]+:.* Passed ' "$2")
    skip=$(grep -cE 'Test +#[0-9]+:.*\*\*\*Skipped' "$2")
    bad=$(grep -E 'Test +#[0-9]+:.*\*\*\*' "$2" | grep -cvE '\*\*\*Skipped')
    add "$ok" "$bad" "$skip"
    [ "$bad" = 0 ] || failures+=("$1: $(grep -E 'Test +#[0-9]+:.*\*\*\*' "$2" | grep -vE '\*\*\*Skipped' | sed -E 's/.*#[0-9]+: ([^ ]+) .*/\1/' | tr '\n' ' ')")
    [ $((ok + bad + skip)) = "$4" ] || result "$1: $((ok + bad + skip)) of ${4:-an unknown number of} tests ran" 1
    [ "$3" = 0 ] || [ "$bad" != 0 ] || result "$1: ctest ended with $3" 1
    [ $((ok + bad)) -gt 0 ] || result "$1: no test ran" 1
}

build_and_test() { # stage compiler sanitizers ctest-args...
    local stage=$1 compiler=$2 sanitizers=$3
    shift 3
    local dir="build-test/$stage"
    mkdir -p "$dir"
    rm -f "$dir/build.log" "$dir/ctest.log"
    CC=$compiler cmake -S . -B "$dir" -G Ninja -DHABITAT_WERROR=ON -DHABITAT_ALLOC_HOOK=ON -DHABITAT_SANITIZE="$sanitizers" \
        >"$dir/configure.log" 2>&1 && cmake --build "$dir" >"$dir/build.log" 2>&1
    local status=$? listed
    result "$stage build" $status
    if [ $status != 0 ]; then
        tail -n 25 "$dir/configure.log"
        [ -f "$dir/build.log" ] && grep -E 'error|warning|FAILED' -A4 "$dir/build.log" | head -n 40
        return
    fi
    listed=$(ctest --test-dir "$dir" -N "$@" | sed -n 's/^Total Tests: //p')
    ctest --test-dir "$dir" -j 2 --output-on-failure "$@" >"$dir/ctest.log" 2>&1
    count_ctest "$stage" "$dir/ctest.log" $? "$listed"
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
    git ls-files -z '*.c' '*.h' >build-test/format.files
    [ -s build-test/format.files ] && xargs -0 clang-format --dry-run -Werror <build-test/format.files >build-test/format.log 2>&1
    result "clang-format" $?
    head -n 20 build-test/format.log
    tests/layers.sh .
    result "layers" $?
    tests/layers_selftest.sh .
    result "layer check notices a forbidden include" $?
}

stage_lint() {
    say "cppcheck and clang-tidy"
    [ -f build-test/clang/compile_commands.json ] ||
        { mkdir -p build-test && CC=clang cmake -S . -B build-test/clang -G Ninja >build-test/lint-configure.log 2>&1; }
    tools/lint.sh build-test/clang
    result "lint" $?
}

stage_doc() {
    say "the C API reference: comments of the public headers"
    tools/doc.sh build-test/doc
    result "C API reference" $?
}

stage_docs() {
    say "commands shown in the documentation"
    tests/docs.sh build-test/gcc
    result "documentation commands" $?
}

stage_install() {
    say "what cmake --install puts where"
    tests/install.sh build-test/gcc
    result "installed files" $?
}

# The scripts that judge everything else: each must fail where what it runs fails.
stage_scripts() {
    say "the scripts of the build and of the tests notice failures"
    local script
    for script in tests/scripts/*.sh; do
        "$script"
        result "$script" $?
    done
}

stage_python() {
    say "Python package: pip install, pytest"
    local log=build-test/pytest.log
    rm -f "$log"
    tools/test_python.sh
    local status=$? ok bad skip
    ok=$(grep -oE '[0-9]+ passed' "$log" 2>/dev/null | tail -n 1 | cut -d' ' -f1)
    bad=$(tail -n 1 "$log" 2>/dev/null | grep -oE '[0-9]+ (failed|error)' | awk '{n += $1} END {print n + 0}')
    skip=$(grep -oE '[0-9]+ skipped' "$log" 2>/dev/null | tail -n 1 | cut -d' ' -f1)
    add "${ok:-0}" "${bad:-0}" "${skip:-0}"
    [ "${bad:-0}" = 0 ] || failures+=("python: ${bad} tests")
    [ $status = 0 ] || [ "${bad:-0}" != 0 ] || result "python (exit $status)" 1
    [ $status != 0 ] || [ "${ok:-0}" != 0 ] || result "python: no test passed" 1
}

# The working tree as it is, changes and new files included, ignored files not; build trees made there
# by an earlier run stay. A copy with an index of its own, so that `git ls-files` answers there too.
copy_working_tree() { # TO
    mkdir -p "$1"
    [ -d "$1/.git" ] || git -C "$1" init -q || return 1
    git -C "$1" ls-files -z | (cd "$1" && xargs -0 rm -f) || return 1
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
        done | tar -c --null -T - -f - | tar -x -C "$1" -f -
    [ "${PIPESTATUS[*]}" = "0 0 0 0" ] && git -C "$1" add -A || return 1
    # recordings of others, where a folder of them lies beside the checkout
    [ ! -d ../shared ] || ln -sfn "$(cd ../shared && pwd)" "$1/../shared"
}

stage_clone() {
    local clone="build-test/habitat clone/habitat" log=build-test/clone.log status numbers
    say "${in_clone[*]}: in $clone"
    copy_working_tree "$clone"
    status=$?
    result "copy of the working tree" $status
    [ $status = 0 ] || return
    "$clone/tools/run_tests.sh" "${in_clone[@]}" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    numbers=$(tail -n 1 "$log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p')
    [ -n "$numbers" ] || { result "clone: ended early ($status)" 1; return; }
    # shellcheck disable=SC2086
    add $numbers
    mapfile -t -O ${#failures[@]} failures < <(sed -n 's/^failed: //p' "$log")
    [ $status = 0 ] || [ "$(echo "$numbers" | cut -d' ' -f2)" != 0 ] || result "clone: ended with $status" 1
}

groups_of() { # stage: what tools/setup.sh must see to
    case $1 in
    gcc | clang | valgrind | docs) echo "build test" ;;
    install) echo "build man" ;;
    lint | format) echo "build test lint" ;;
    doc) echo doc ;;
    python) echo "build python" ;;
    scripts) echo "build test lint doc" ;;
    clone) for inner in "${in_clone[@]}"; do groups_of "$inner"; done | tr ' ' '\n' | grep -v python ;;
    *) return 1 ;;
    esac
}

groups=()
for stage in "${stages[@]}"; do
    mapfile -t -O ${#groups[@]} groups < <(groups_of "$stage" | tr ' ' '\n')
    groups_of "$stage" >/dev/null || { echo "run_tests: no such stage: $stage" >&2; exit 2; }
done
mapfile -t groups < <(printf '%s\n' "${groups[@]}" | sort -u)
tools/setup.sh "${groups[@]}" || exit 1
mkdir -p build-test
for stage in "${stages[@]}"; do
    time "stage_$stage"
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
