#!/bin/sh
# Fails on a number that a prediction rests on and that is not a row of src/base/constants.h: a
# scalar `const double NAME = NUMBER` in the modules that predict. Also on a row that nothing uses,
# and on a row without unit or source.
# usage: constants.sh [ROOT]
set -eu
root=${1:-.}
table=$root/src/base/constants.h
fail=0
say() { echo "$1"; fail=1; }

# Of mathematics. The rule of `auto` keeps its few numbers beside its derivation.
allowed='within_80'
own_files='predict/(auto_rule|auto_models|usual)\.c:'
found=$(grep -rnE 'const double [a-z_0-9]+ = [-.0-9]' "$root/src/operator" "$root/src/formula" "$root/src/models" \
    "$root/src/workload" "$root/src/predict" --include='*.[ch]' | grep -vE "const double ($allowed) = |$own_files" || true)
[ -z "$found" ] || say "$found: a number of a prediction belongs in src/base/constants.h, with unit and source"

rows=$(grep -oE '^CONSTANT\([a-z]+, [a-z_0-9]+' "$table" | sed 's/CONSTANT(//; s/, /_/')
[ -n "$rows" ] || say "$table: no rows"
for name in $rows; do
    case $name in fitted_* | hardware_* | chosen_*) ;; *) say "$name: a constant is fitted, hardware or chosen" ;; esac
    grep -rqw "$name" "$root/src" "$root/lab" --include='*.c' || say "$name: nothing uses it"
done
[ "$(grep -c '^CONSTANT(' "$table")" = "$(tr '\n' ' ' <"$table" | grep -oE 'CONSTANT\([a-z]+, [a-z_0-9]+, [^"]+, "[^"]+", +"[^"]+' | wc -l)" ] ||
    say "$table: a row without unit or source"
[ $fail = 0 ] && echo "ok - every constant is a row of the table"
exit $fail
