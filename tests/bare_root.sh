#!/bin/sh
# Makes a Debian that has nothing but what it cannot do without (debootstrap --variant=minbase), of this machine's release and from this machine's
# mirror, with the packages that are named. Needs root. usage: bare_root.sh FOLDER [PACKAGE..]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 1 99 "$@"
folder=$1
shift
[ "$(id -u)" = 0 ] || { echo "bare_root: needs root" >&2; exit 1; }
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# the first line of the machine's sources that has a Debian archive, in the newer format or the older one
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -nE 's/^(URIs: |deb (\[[^]]*\] )?)(https?:[^ ]*\/debian)\/?( .*)?$/\3/p' | sed -n 1p)
log=$(mktemp)
include=$(echo "$*" | tr ' ' ,)
debootstrap --variant=minbase ${include:+"--include=$include"} "$release" "$folder" ${mirror:+"$mirror"} >"$log" 2>&1 || {
    tail -n 20 "$log" "$folder/debootstrap/debootstrap.log" >&2
    exit 1
}
rm -f "$log"
