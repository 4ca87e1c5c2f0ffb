#!/bin/sh
# The C API reference: Doxygen over the public headers, into OUT/html. Fails on what is wrong in a comment: a function, parameter, result,
# structure or enumeration that is not described, a parameter that is not there, a name that leads nowhere. Fields may stand without a
# comment where their names say all, as the headers have it.
# usage: doc.sh OUT
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
HABITAT_DOC=$(cd "$1" && pwd)
HABITAT_VERSION=$(cat "$root/VERSION")
export HABITAT_DOC HABITAT_VERSION
cd "$root"
rm -rf "$HABITAT_DOC/html"
doxygen docs/doxygen/Doxyfile >"$HABITAT_DOC/doxygen.log" 2>&1 || { cat "$HABITAT_DOC/doxygen.log"; exit 1; }
if grep -vE 'warning: Member .* \((variable|enumvalue)\) of .* is not documented\.$' "$HABITAT_DOC/doxygen.log"; then
    echo "not ok - Doxygen has something to say of the headers"
    exit 1
fi
pages=$(find "$HABITAT_DOC/html" -name '*_8h.html' | wc -l)
headers=$(find include/habitat -name '*.h' ! -name habitat.h | wc -l)
[ "$pages" = "$headers" ] || { echo "not ok - $pages pages of $headers headers"; exit 1; }
echo "ok - $headers headers in $HABITAT_DOC/html/index.html"
