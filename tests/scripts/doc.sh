#!/bin/bash
# tools/doc.sh must fail where a comment of a public header is wrong or missing, and name the header's own line.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree="$scratch/a tree"
mkdir -p "$tree/tools" "$tree/docs" "$tree/include/habitat"
cp "$root/tools/doc.sh" "$root/tools/usage.sh" "$root/tools/doxygen_filter.py" "$tree/tools/"
cp -r "$root/docs/doxygen" "$tree/docs/"
cp "$root/VERSION" "$tree/"
header="$tree/include/habitat/planted.h"

planted() { # COMMENT: a header with one function of two parameters, and what stands before it
    printf '/* A header.\n *\n * Half: stable. */\n\ntypedef struct thing thing;%s\n\n%s\n' " /* what it is */" "$1" >"$header"
    echo 'HABITAT_API int habitat_planted(const char *name, int n);' >>"$header"
}
expect() { # STATUS WORDS COMMENT
    local status=0
    planted "$3"
    (cd / && "$tree/tools/doc.sh" "$scratch/out") >"$scratch/log" 2>&1 || status=$?
    [ $status = "$1" ] && grep -q "$2" "$scratch/log" || { cat "$scratch/log"; echo "not ok - doc.sh: exit $status, want $1 and '$2'"; exit 1; }
}
expect 0 'ok - 1 headers' '/** Plants. @param name whose. @param n how many. @return 0. */'
expect 1 "planted.h:7: .*habitat_planted" '/** Plants. @return 0. */'
expect 1 'return type of member habitat_planted' '/** Plants. @param n how many. */'
expect 1 'habitat_planted.* is not documented' ''
expect 1 "argument 'm'" '/** Plants. @param name whose. @param m what. @param n how many. @return 0. */'
expect 1 "'nowhere'" '/** Plants, see @ref nowhere. @param name whose. @param n how many. @return 0. */'
echo "ok - doc.sh notices what is missing or wrong in a header's comments"
