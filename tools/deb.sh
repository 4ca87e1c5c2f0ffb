#!/bin/sh
# Builds the Debian package of this tree for this machine's architecture, into OUT. Prints where it lies, with its checksum beside it.
# usage: deb.sh OUT   needs: tools/setup.sh build man deb
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$root"
build=build-deb
"$root/tools/build.sh" $build -DCMAKE_INSTALL_PREFIX=/usr -DHABITAT_TESTS=OFF -DHABITAT_BENCH=OFF
rm -f "$out"/habitat_*.deb $build/habitat_*.deb
umask 022
(cd $build && cpack -G DEB >cpack.log 2>&1) || { cat $build/cpack.log >&2; exit 1; }
mv $build/habitat_*.deb "$out/"
cd "$out"
for package in habitat_*.deb; do
    sha256sum "$package" >"$package.sha256"
    echo "$out/$package"
done
