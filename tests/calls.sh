#!/bin/sh
# Fails on calls in src/, lab/ and cli/ that go by the locale of the host program, or use memory of yajl's
# that may not be there. What to use: habitat_read_number(), habitat_format() (include/habitat/text.h),
# base/letter.h, base/json.h.
# usage: calls.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
words='strto(d|f|ld)|ato[fil]|v?[fs]?scanf|v(s|sn|f|d|as)?printf|asprintf|dprintf|setlocale|uselocale|newlocale|localeconv|strcoll|strxfrm|alphasort|str(n)?casecmp|to(lower|upper)|is(alpha|alnum|digit|xdigit|space|upper|lower|punct|print|graph|cntrl|blank)|strftime|yajl_tree_parse|yajl_gen_double|yajl_gen_alloc|yajl_alloc'

# Statements of a file, one a line, without comments.
statements() {
    "${CC:-cc}" -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null | tr '\n' ' ' | tr ';' '\n'
}

problems=$(
    find "$root/src" "$root/lab" "$root/cli" -name '*.[ch]' | sort | while read -r file; do
        case $file in
        */src/base/json.c) allowed='yajl_gen_alloc|yajl_alloc' ;;
        *) allowed='nothing' ;;
        esac
        statements "$file" | sed 's/%%//g' | awk -v file="$file" -v words="$words" -v allowed="$allowed" '
            {
                rest = $0
                while (match(rest, "(^|[^A-Za-z0-9_])(" words ") *\\(")) {
                    call = substr(rest, RSTART, RLENGTH)
                    gsub(/[^A-Za-z0-9_]/, "", call)
                    if (call !~ "^(" allowed ")$")
                        print file ": " call "()"
                    rest = substr(rest, RSTART + RLENGTH)
                }
            }
            /(^|[^A-Za-z0-9_])(f|sn|s)?printf *\(/ && /%[-+ #0]*([0-9]+|\*)?(\.([0-9]+|\*))?[aAeEfFgG]/ {
                print file ": a number with a point through printf()"
            }'
    done
)
if [ -n "$problems" ]; then
    echo "$problems"
    exit 1
fi
echo "ok - no call goes by the locale"
