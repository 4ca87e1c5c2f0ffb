#!/bin/sh
# Fails on a number that a prediction rests on and that is not a row of src/base/constants_*.h: a
# scalar `const double NAME = NUMBER`, or a share returned as a bare number, in the modules that
# predict. Also on a row that nothing uses, on one that stands twice, and on one without unit or source.
# usage: constants.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
fail=0
say() { echo "$1"; fail=1; }

# Of mathematics; bytes of number formats; a bound of a search.
allowed='within_80|half_bytes|single_bytes|most'
folders='operator formula models workload predict replay memory'
found=$(cd "$root/src" && {
    # shellcheck disable=SC2086
    grep -rnE 'const double [a-z_0-9]+ = [-.0-9]' $folders --include='*.[ch]' | grep -vE "const double ($allowed) = "
    # shellcheck disable=SC2086
    grep -rnE 'return [0-9]*\.[0-9]*[1-9][0-9]*;' $folders --include='*.[ch]'
} || true)
[ -z "$found" ] || say "$found: a number of a prediction belongs in one of src/base/constants_*.h, with unit and source"

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
