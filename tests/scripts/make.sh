#!/bin/bash
# `make` must fail where the configuration or the compiler does, say why, and never go on to demo or
# install with an older program. A scratch copy of the tree is broken on purpose.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree="$scratch/a tree"
mkdir -p "$tree/tools" "$tree/data/recordings"
cp "$root/Makefile" "$tree/"
cp "$root"/tools/*.sh "$tree/tools/"
unset MAKEFLAGS MAKELEVEL
cat >"$tree/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES C)
add_executable(habitat main.c)
install(TARGETS habitat RUNTIME DESTINATION bin)
TEXT
good='#include <stdio.h>
int main(void) { return puts("program ran") < 0; }'
echo "$good" >"$tree/main.c"

expect() { # STATUS(0, or 2: make's own for a failed recipe) WHAT TEXT TARGET...: TEXT must be in the output
    local want=$1 what=$2 text=$3 status=0
    shift 3
    HABITAT_SETUP=no make -C "$tree" "$@" >"$scratch/log" 2>&1 || status=$?
    if [ $status != "$want" ] || ! grep -qF -- "$text" "$scratch/log"; then
        sed 's/^/# /' "$scratch/log"
        echo "not ok - make: $what: exit $status, want $want and '$text'"
        exit 1
    fi
}
must_not_say() {
    ! grep -F -- "$1" "$scratch/log" || { echo "not ok - make went on: $1"; exit 1; }
}

expect 0 "a good build" "Linking C executable habitat"
expect 0 "nothing to do" "ninja: no work to do"
expect 0 "demo" "program ran" demo
for target in $(sed -n 's/^\([a-z-]*\):.*/\1/p' "$root/Makefile"); do
    expect 0 "help lists $target" "make $target " help
done
expect 0 "help" "make demo         predict real recordings" help
expect 0 "install" "Installing: $scratch/in stalled/bin/habitat" install PREFIX="$scratch/in stalled"
expect 0 "another build folder" "Linking C executable habitat" BUILD="another build"

echo 'int main(void) { return undeclared_name; }' >"$tree/main.c"
for target in all demo bench eval models; do
    expect 2 "a source that does not compile: $target" "undeclared_name" $target
    must_not_say "program ran"
done
expect 2 "a source that does not compile: install" "undeclared_name" install PREFIX="$scratch/second"
[ ! -e "$scratch/second" ] || { echo "not ok - make install went on after a failed build"; exit 1; }
echo 'int f(void); int main(void) { return f(); }' >"$tree/main.c"
expect 2 "a program that does not link" "undefined reference"
echo "$good" >"$tree/main.c"
echo 'message(FATAL_ERROR "library is missing")' >>"$tree/CMakeLists.txt"
expect 2 "a tree that cannot be configured again" "library is missing" demo
must_not_say "program ran"
expect 2 "a tree that cannot be configured" "library is missing" BUILD=build-third
sed -i '$d' "$tree/CMakeLists.txt"
expect 0 "the same folder after the repair" "Linking C executable habitat" BUILD=build-third
expect 0 "demo after the repair" "program ran" demo

printf '#!/bin/sh\necho "habitat: something is wrong" >&2\nexit 3\n' >"$tree/build/habitat"
expect 2 "a command of the demo fails" "something is wrong" demo
printf '#!/bin/sh\ncase "$1" in info | explain) ;; *) exit 1 ;; esac\n' >"$tree/build/habitat"
expect 2 "a later command of the demo fails" "Error 1" demo
echo "ok - make fails where the compiler, the configuration or the program does"
