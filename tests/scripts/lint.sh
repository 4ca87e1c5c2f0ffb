#!/bin/bash
# tools/lint.sh must fail on a finding, and where cppcheck or clang-tidy is missing, dies, or says nothing
# of what it should see. A scratch tree holds it and a source file; the tools are real or stand-ins.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree="$scratch/a tree"
mkdir -p "$tree/tools" "$tree/src" "$tree/cli" "$tree/recorder" "$tree/include" "$tree/build" "$scratch/bin"
cp "$root/tools/lint.sh" "$root/tools/usage.sh" "$tree/tools/"
cp "$root/.clang-tidy" "$tree/"
git -C "$tree" init -q
echo 'int good(int n);
int good(int n) { return n; }' >"$tree/src/good.c"
cat >"$tree/build/compile_commands.json" <<JSON
[{"directory": "$tree/build", "file": "$tree/src/good.c", "command": "cc -c '$tree/src/good.c'"}]
JSON

expect() { # STATUS WHAT TEXT: runs lint.sh; TEXT must be in its output
    local status=0
    PATH="$scratch/bin:$PATH" "$tree/tools/lint.sh" "$tree/build" >"$scratch/log" 2>&1 || status=$?
    if [ $status != "$1" ] || ! grep -qF -- "$3" "$scratch/log"; then
        sed 's/^/# /' "$scratch/log"
        echo "not ok - lint.sh: $2: exit $status, want $1 and '$3'"
        exit 1
    fi
}
stand_in() { # TOOL: does what standard input says where it is not shown the planted mistake
    { echo '#!/bin/bash
case "$*" in *planted*) exec '"$(command -v "$1")"' "$@" ;; esac'; cat; } >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

expect 1 "nothing to look at" "no source files are known to git"
git -C "$tree" add src .clang-tidy
expect 0 "all is well" "ok - cppcheck and clang-tidy have nothing to say"

echo 'int bad(const int *p);
int bad(const int *p) { if (!p) return *p; return 0; }' >"$tree/src/bad.c"
expect 1 "cppcheck finds something" "not ok - cppcheck (exit 1)"
git -C "$tree" add src
echo 'exit 0' | stand_in cppcheck
expect 1 "clang-tidy finds something" "warning: Dereference of null pointer"
echo '#include "nowhere.h"' >"$tree/src/bad.c"
expect 1 "clang-tidy cannot read a file" "clang-tidy: exit 1 on src/bad.c"
git -C "$tree" rm -qf src/bad.c

echo 'kill -9 $$' | stand_in cppcheck
expect 1 "cppcheck is killed" "not ok - cppcheck (exit 137)"
echo 'echo "cppcheck: out of memory" >&2' | stand_in cppcheck
expect 1 "cppcheck says something and ends with 0" "out of memory"
rm "$scratch/bin/cppcheck"
echo 'kill -9 $$' | stand_in clang-tidy
expect 1 "clang-tidy is killed" "not ok - clang-tidy (exit 123)"
for tool in cppcheck clang-tidy; do
    for how in 'exit 0' 'exit 127'; do
        printf '#!/bin/bash\n%s\n' "$how" >"$scratch/bin/$tool"
        chmod +x "$scratch/bin/$tool"
        expect 1 "$tool does nothing ($how)" "not ok - $tool does not see a planted mistake"
    done
    rm "$scratch/bin/$tool"
done
echo "ok - lint.sh notices findings, and tools that do not work"
