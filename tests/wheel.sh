#!/bin/bash
# Tests what `make wheel` made. The wheel: in a bare Debian with python3 and pip and nothing else, no compiler, no network. The source distribution:
# built and installed in a fresh environment here, away from the checkout. Needs root, debootstrap and network (to make both).
# usage: wheel.sh FOLDER
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
# shellcheck source=tests/bare.bash
. "$(dirname "$0")/bare.bash"
out=$(cd "$1" && pwd)
wheel=$(basename "$out"/habitat_predict-*-py3-none-manylinux_2_36_*.whl)
version=$(cat "$root/VERSION")
(cd "$out" && sha256sum --quiet -c SHA256SUMS) || fail "checksums"

cat >"$scratch/use.py" <<'P'
import sys, sysconfig
from pathlib import Path
import habitat
from habitat.recording import counters
prefix, package = Path(sysconfig.get_path("data")), Path(habitat.__file__).parent
assert not str(package).startswith(sys.argv[2]), package
trace = habitat.Trace(sys.argv[1])
assert trace.gpu == "H200-SXM5-141GB" and trace.predict("V100-PCIE-32GB").iteration_ms > trace.iteration_ms
assert len(habitat.gpus()) > 100
needed = [package / "_lib/libhabitat.so", package / "_lib/libhabitat_cupti.so", prefix / "lib/habitat/libhabitat_cupti.so"]
needed += [prefix / "share/habitat/gpu-template.json", prefix / "share/man/man1/habitat-predict.1"]
missing = [str(f) for f in needed if not f.is_file()]
assert not missing, missing
print(habitat.__version__)
P
used() { # WHAT RUN.. : the package and the program that an environment holds; RUN says how its files are run
    local what=$1 bin=$2 trace=$3 script=$4
    shift 4
    [ "$("$@" "$bin/python3" "$script" "$trace" "$root")" = "$version" ] || fail "$what: import habitat"
    [ "$("$@" "$bin/habitat" --version)" = "habitat $version" ] || fail "$what: habitat --version"
    "$@" "$bin/habitat" predict "$trace" --to V100-PCIE-32GB --csv 2>/dev/null | grep -q '^V100-PCIE-32GB,auto,' ||
        fail "$what: habitat predict"
    "$@" "$bin/habitat" record -o /tmp/none.json -- /bin/true >"$scratch/log" 2>&1 && fail "$what: a recording without a GPU"
    ! grep -q 'was not found' "$scratch/log" || { cat "$scratch/log"; fail "$what: the recorder's library"; }
}

"$root/tests/bare_root.sh" "$bare" python3 python3-venv python3-pip
mkdir "$bare/tmp/wheels"
cp "$out/$wheel" "$bare/tmp/wheels/"
cp "$root/compat/0.1.0/step.json.gz" "$scratch/use.py" "$bare/tmp/"
within sh -c '! command -v cc gcc clang' || fail "a compiler in the bare root"
within python3 -m venv /opt/env
within /opt/env/bin/pip install -q --no-index --find-links /tmp/wheels habitat-predict || fail "pip install of the wheel"
used "the wheel" /opt/env/bin /tmp/step.json.gz /tmp/use.py within
echo "ok - $wheel works where there is only Python"

python3 -m venv "$scratch/env"
cp "$root/compat/0.1.0/step.json.gz" "$scratch/"
(cd "$scratch" && "$scratch/env/bin/pip" install -q --disable-pip-version-check "$out"/habitat_predict-*.tar.gz) || fail "pip install of the source distribution"
cd "$scratch"
used "the source distribution" "$scratch/env/bin" "$scratch/step.json.gz" "$scratch/use.py" env
echo "ok - the source distribution builds and works away from the checkout"
