#!/bin/sh
# The layer check must fail on a forbidden include: plants some in a copy and expects to be told.
# usage: layers_selftest.sh ROOT
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=$(cd "${1:-.}" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/src/base" "$copy/src/gpu" "$copy/src/work" "$copy/cli"
if "$root/tests/layers.sh" "$copy" >/dev/null; then echo "not ok - a tree without sources was let through"; exit 1; fi
echo '#include "base/error.h"' >"$copy/src/gpu/fine.c"
"$root/tests/layers.sh" "$copy" >/dev/null || { echo "not ok - a clean tree was refused"; exit 1; }
plant() { # file line
    echo "$2" >"$copy/$1"
    if "$root/tests/layers.sh" "$copy" >/dev/null; then
        echo "not ok - $1 with $2 was let through"
        exit 1
    fi
    rm "$copy/$1"
}
plant src/base/bad.c '#include "gpu/table.h"'
plant src/gpu/bad.c '#include <habitat/trace.h>'
plant src/work/bad.c '# include <cuda.h>'
plant cli/bad.c '#include "trace/reader.h"'
mkdir -p "$copy/lab" "$copy/bench"
plant src/work/bad.c '#include "lab/lab.h"'
plant cli/bad.c '#include "lab/train.h"'
plant bench/bad.c '#include "lab/lab.h"'
echo "ok - the layer check notices forbidden includes"
