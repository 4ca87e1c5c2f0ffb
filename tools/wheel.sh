#!/bin/sh
# Builds the source distribution from what git knows, and from that, unpacked elsewhere, the wheel for machines
# without compilers and without our system libraries. auditwheel refuses a wheel that needs any other library than
# manylinux_2_36 has (glibc 2.36 or newer: Debian 12, Ubuntu 24.04). Prints where both lie, with their checksums.
# usage: wheel.sh OUT   needs: tools/setup.sh build man wheel
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=$root/.venv/wheel/bin/python
PATH=$root/.venv/wheel/bin:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rm -f "$out"/*.whl "$out"/*.tar.gz "$out"/SHA256SUMS
step() { # LOG COMMAND...: quiet where it goes well
    log=$scratch/$1.log
    shift
    "$@" >"$log" 2>&1 || { status=$?; tail -n 30 "$log" >&2; exit $status; }
}

step sdist "$python" -m build --no-isolation --sdist -o "$out" "$root"
mkdir "$scratch/source"
tar -xzf "$out"/habitat_predict-*.tar.gz -C "$scratch/source" --strip-components 1
step wheel "$python" -m build --no-isolation --wheel -o "$scratch/plain" \
    -C cmake.define.HABITAT_STATIC_DEPENDENCIES=ON "$scratch/source"
step repair auditwheel repair --plat "manylinux_2_36_$(uname -m)" --only-plat -w "$out" "$scratch"/plain/*.whl
cd "$out"
sha256sum -- *.whl *.tar.gz >SHA256SUMS
ls "$out"/*.whl "$out"/*.tar.gz "$out"/SHA256SUMS
