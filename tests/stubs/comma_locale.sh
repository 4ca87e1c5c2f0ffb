#!/bin/sh
# Makes a locale `comma` in FOLDER whose only category is a decimal comma; for LOCPATH=FOLDER and
# setlocale(LC_NUMERIC, "comma"). Needs localedef of glibc and nothing installed besides.
# usage: comma_locale.sh FOLDER
set -u
mkdir -p "$1" && cd "$1" || exit 1
cat >comma.locale <<'END'
comment_char %
escape_char /
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
END
awk 'BEGIN {
    print "<code_set_name> ANSI_X3.4-1968"; print "<comment_char> %"; print "<escape_char> /"; print "CHARMAP"
    for (i = 0; i < 128; i++) printf "<U%04X> /x%02x C%d\n", i, i, i
    print "END CHARMAP"
}' >ascii.charmap
localedef -c -i comma.locale -f ascii.charmap ./comma # warns of the categories that are not there
[ -f comma/LC_NUMERIC ]
