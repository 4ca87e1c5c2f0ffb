#!/bin/sh
# NOTICE is one text, beside the measurements by a link (what is installed and in the wheel is the root's), and says where
# each table of data/measurements comes from, by the table's name or its folder's.
# usage: notice.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
data=$root/data/measurements
fail=0
say() { echo "not ok - $*"; fail=1; }

[ -L "$data/NOTICE" ] || say "data/measurements/NOTICE is no link to NOTICE"
cmp -s "$root/NOTICE" "$data/NOTICE" || say "data/measurements/NOTICE is another text than NOTICE"
count=0
for file in "$data"/*.csv "$data"/*.csv.gz "$data"/*/; do
    name=$(basename "$file")
    [ -d "$file" ] && name=$name/
    grep -qF -- "$name" "$root/NOTICE" || say "$name: NOTICE does not say where it comes from"
    count=$((count + 1))
done
[ $count -gt 20 ] || say "only $count tables in $data"
[ $fail = 0 ] && echo "ok - NOTICE names $count tables and folders of data/measurements"
exit $fail
