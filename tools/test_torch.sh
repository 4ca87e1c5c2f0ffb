#!/bin/sh
# The Python tests with another version of PyTorch, in an environment of its own (.venv/torch-VERSION): what moves in its
# profiler's export or in its operations is found before users have it. Takes gigabytes of disk; not part of `make test`.
# usage: test_torch.sh VERSION [PYTEST ARGUMENTS]
set -eu
. "$(dirname "$0")/usage.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
version=${1:-}
case $version in
[0-9]*.[0-9]*) shift ;;
*) usage_end ;;
esac
venv=$root/.venv/torch-$version
mkdir -p build-test
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
{ echo "torch==$version"; grep -v '^torch==' python/tests/requirements.txt; } >"build-test/requirements-torch-$version.txt"
"$venv/bin/pip" install -q --disable-pip-version-check -r "build-test/requirements-torch-$version.txt"
"$venv/bin/pip" install -q --disable-pip-version-check --no-deps -r python/tests/requirements-alone.txt
"$venv/bin/pip" install -q --disable-pip-version-check . >"build-test/pip-torch-$version.log" 2>&1 ||
    { tail -n 30 "build-test/pip-torch-$version.log"; exit 1; }
"$venv/bin/python" -c 'import torch; print("torch", torch.__version__)'
"$venv/bin/python" -m pytest -q -rs --no-header python/tests "$@"
