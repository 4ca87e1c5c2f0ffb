#!/bin/bash
# Installs a Debian package of `make deb` with dpkg in a bare Debian, uses it there, and removes it again: nothing may be left. Needs root
# and debootstrap; a minute. usage: deb.sh PACKAGE
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
# shellcheck source=tests/bare.bash
. "$(dirname "$0")/bare.bash"
package=$(realpath "$1")
files() { find "$bare" -xdev -not -path "$bare/var/*" -not -path "$bare/tmp/*" -not -path "$bare/proc/*" -not -name 'ld.so.cache' | sort; }

# the package alone, unpacked: other programs build against it
dpkg-deb -x "$package" "$scratch/unpacked"
"$root/tests/build_against.sh" "$scratch/unpacked/usr" "$scratch"

needs=$(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
# shellcheck disable=SC2086
"$root/tests/bare_root.sh" "$bare" $needs
cp "$package" "$bare/tmp/habitat.deb"
cp "$root/compat/0.1.0/step.json.gz" "$bare/tmp/"
files >"$scratch/before"
within dpkg --install /tmp/habitat.deb >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "dpkg --install"; }

[ "$(within habitat --version)" = "habitat $(cat "$root/VERSION")" ] || fail "habitat --version"
within habitat predict /tmp/step.json.gz --to V100-PCIE-32GB --csv 2>/dev/null | grep -q '^V100-PCIE-32GB,auto,' || fail "habitat predict"
within ldconfig -p | grep -q libhabitat.so.0 || fail "the system does not find the library"
for page in "$root"/docs/man/habitat*.1.md; do
    [ -s "$bare/usr/share/man/man1/$(basename "$page" .md)" ] || fail "no man page from $page"
done
# no GPU and no CUDA here: what matters is that the recorder's library is found
within habitat record -o /tmp/none.json -- /bin/true >"$scratch/log" 2>&1 && fail "a recording without a GPU"
! grep -q 'was not found' "$scratch/log" || { cat "$scratch/log"; fail "the recorder's library"; }
within dpkg --verify habitat | grep . && fail "dpkg --verify"

within dpkg --purge habitat >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "dpkg --purge"; }
files >"$scratch/after"
diff "$scratch/before" "$scratch/after" || fail "the package leaves files behind"
echo "ok - $(basename "$package") is installed, works and is removed in a bare Debian"
