#!/bin/sh
# Installs the package from this checkout into .venv/tests (pip install .) and runs pytest. usage: test_python.sh
set -eu
. "$(dirname "$0")/usage.sh"
usage 0 0 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
venv="$root/.venv/tests"
mkdir -p build-test
"$venv/bin/pip" install -q --disable-pip-version-check . >build-test/pip.log 2>&1 ||
    { tail -n 30 build-test/pip.log; exit 1; }
status=0
"$venv/bin/python" -m pytest -q -rs --no-header python/tests >build-test/pytest.log 2>&1 || status=$?
tail -n 15 build-test/pytest.log
exit $status
