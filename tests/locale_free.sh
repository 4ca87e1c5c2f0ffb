#!/bin/sh
# Fails on code whose result depends on the locale of the program it runs in: floating-point
# conversions of printf() and scanf(), strtod() and the like. usage: locale_free.sh FOLDER
set -u
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
found=$(grep -nE '%[-+ #0-9.*l]*[aAeEfFgG]([^a-zA-Z0-9_]|$)|(strto(d|f|ld)|atof|wcstod)[[:space:]]*\(' "$1"/*.[ch])
[ -z "$found" ] && exit 0
echo "$found"
echo "numbers are written and read by decimal.h: a host program's locale may have a decimal comma"
exit 1
