#!/bin/sh
# Fails on a number that a prediction rests on and that is not a row of src/base/constants_*.h: a bare
# one in any source of src/ but the tables that constant.h lists (literals.py). Also on a row that nothing uses, on one that stands twice, and on one without unit or source.
# usage: constants.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
fail=0
say() { echo "$1"; fail=1; }

python3 "$(dirname "$0")/literals.py" "$root" || fail=1

names() { grep -ohE '^CONSTANT\([a-z]+, [a-z_0-9]+' "$@" | sed 's/CONSTANT(//; s/, /_/'; }
rows=$(names "$root"/src/base/constants_*.h)
twice=$(echo "$rows" | sed 's/[a-z]*_//' | sort | uniq -d)
[ -z "$twice" ] || say "$twice: rows of one name"
for name in $rows; do
    case $name in fitted_* | hardware_* | chosen_*) ;; *) say "$name: a constant is fitted, hardware or chosen" ;; esac
    grep -rqw "$name" "$root/src" "$root/lab" --include='*.c' || say "$name: nothing uses it"
done
for table in "$root"/src/base/constants_*.h; do
    [ -n "$(names "$table")" ] || say "$table: no rows"
    [ "$(grep -c '^CONSTANT(' "$table")" = "$(tr '\n' ' ' <"$table" | grep -oE 'CONSTANT\([a-z]+, [a-z_0-9]+, [^"]+, "[^"]+", +"[^"]+' | wc -l)" ] ||
        say "$table: a row without unit or source"
done
[ $fail = 0 ] && echo "ok - every constant is a row of a table"
exit $fail
