#!/bin/sh
# Builds examples/predict.c against an installed Habitat, with pkg-config and with CMake, and runs both: they must say what the
# installed program says. usage: build_against.sh PREFIX SCRATCH
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 2 2 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=$1
scratch=$2/against
mkdir -p "$scratch"
trace=$root/tests/cli/fixtures/step.json
fail() {
    echo "not ok - $*"
    exit 1
}
libdir=$(dirname "$(find "$prefix" -name 'libhabitat.so' | sed -n 1p)")
want=$("$prefix/bin/habitat" predict "$trace" --to V100-PCIE-32GB --assemble sum --csv 2>/dev/null |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kernel_ms") c = i } NR == 2 { printf "%.3f", $c }')
[ -n "$want" ] || fail "the installed program predicts nothing"
says() { # WHAT PROGRAM
    got=$(LD_LIBRARY_PATH="$libdir" "$2" "$trace" V100-PCIE-32GB)
    [ "$got" = "V100-PCIE-32GB: kernels take $want ms" ] || fail "$1: '$got', want $want ms"
}

if command -v pkg-config >/dev/null; then
    # pkg-config escapes blanks of a path for the shell
    flags=$(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs habitat)
    eval "${CC:-cc} '$root/examples/predict.c' $flags -o '$scratch/by_pkg_config'"
    says pkg-config "$scratch/by_pkg_config"
fi
cat >"$scratch/CMakeLists.txt" <<T
cmake_minimum_required(VERSION 3.20)
project(against LANGUAGES C)
find_package(habitat $(cat "$root/VERSION") REQUIRED)
add_executable(by_cmake "$root/examples/predict.c")
target_link_libraries(by_cmake PRIVATE habitat::habitat)
T
cmake -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/build" >>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "find_package(habitat)"; }
says CMake "$scratch/build/by_cmake"
