#!/bin/bash
# tools/setup.sh: what it says, what it installs and how, when it asks, and what it finds by itself. The
# PATH holds a few real programs and stand-ins for the package manager, sudo, id and what is looked for.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree="$scratch/a tree"
bin="$scratch/bin"
mkdir -p "$tree/tools" "$bin"
cp "$root/tools/setup.sh" "$tree/tools/"
for program in sh bash dirname grep awk cat env mktemp rm cmp cp; do
    ln -s "$(command -v $program)" "$bin/$program"
done
export CALLS="$scratch/calls"

fake() { # NAME: a program that does what standard input says
    { echo '#!/bin/sh'; cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
machine() { # PACKAGES...: a Debian system with these installed, no tool to be found, nobody's terminal
    echo 'case "$3" in /*) exit 1 ;; esac
for p in '"$*"'; do [ "$p" != "$4" ] || { echo "install ok installed"; exit 0; }; done; exit 1' | fake dpkg-query
    echo 'echo "apt-get $*" >>"$CALLS"' | fake apt-get
    echo 'echo "sudo $*" >>"$CALLS"; while [ "$1" = -n ]; do shift; done; exec "$@"' | fake sudo
    rm -f "$bin"/{cc,gcc,clang,cmake,ninja,pandoc}
    user 0
    : >"$CALLS"
}
user() { echo "echo $1" | fake id; }
most="gcc libc6-dev cmake libyajl-dev zlib1g-dev libsqlite3-dev libssl-dev libprotobuf-c-dev protobuf-c-compiler libjs-chart.js"

# expect STATUS WHAT [NAME=VALUE...]: runs `setup.sh build`; standard input holds all it must print
expect() {
    local want=$1 what=$2 status=0
    shift 2
    cat >"$scratch/want"
    env -i PATH="$bin" CALLS="$CALLS" "$@" "$tree/tools/setup.sh" "${groups[@]}" >"$scratch/got" 2>&1 </dev/null || status=$?
    diff -u "$scratch/want" "$scratch/got" && [ $status = "$want" ] ||
        { echo "not ok - setup.sh: $what (exit $status, want $want)"; exit 1; }
}
called() { # all calls of package manager and sudo, from standard input
    diff -u - "$CALLS" || { echo "not ok - setup.sh: the calls above"; exit 1; }
}
groups=(build)
sure="env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
install="${sure#env DEBIAN_FRONTEND=noninteractive }"

machine $most ninja-build libopenblas-dev
expect 0 "all there" </dev/null
called </dev/null

machine $most
expect 0 "root installs, and says what" <<<"setup: installing with apt-get: ninja-build libopenblas-dev"
called <<TEXT
apt-get update -q
$install ninja-build libopenblas-dev
TEXT

# not root, no terminal: nothing is run
refusal="setup: Debian packages that are missing: ninja-build libopenblas-dev
setup: nothing was installed. Run this, then make again:
    sudo apt-get update && sudo apt-get install --no-install-recommends ninja-build libopenblas-dev
setup: or let make run it (HABITAT_SETUP=yes), or build with what is there (HABITAT_SETUP=no)"
machine $most
user 1000
expect 1 "no sudo unasked" <<<"$refusal"
expect 1 "an empty word is no word" HABITAT_SETUP= <<<"$refusal"
called </dev/null
expect 0 "HABITAT_SETUP=no" HABITAT_SETUP=no </dev/null
expect 2 "unknown word" HABITAT_SETUP=maybe <<<"setup: HABITAT_SETUP is 'maybe'; use yes or no"
called </dev/null
expect 0 "HABITAT_SETUP=yes" HABITAT_SETUP=yes <<TEXT
setup: Debian packages that are missing: ninja-build libopenblas-dev
setup: installing with sudo apt-get: ninja-build libopenblas-dev
TEXT
called <<TEXT
sudo apt-get update -q
apt-get update -q
sudo $sure ninja-build libopenblas-dev
$install ninja-build libopenblas-dev
TEXT
: >"$CALLS"
expect 0 "CI" CI=true <<TEXT
setup: Debian packages that are missing: ninja-build libopenblas-dev
setup: installing with sudo -n apt-get: ninja-build libopenblas-dev
TEXT
grep -q '^sudo -n apt-get update' "$CALLS"
: >"$CALLS"
rm "$bin/sudo"
expect 1 "no sudo there" HABITAT_SETUP=yes <<<"$refusal"
called </dev/null

# on a terminal it asks (script gives it one, where the machine has pseudo terminals)
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    machine $most
    user 1000
    ask() { # ANSWER
        echo "$1" | script -qec "env -u CI -u HABITAT_SETUP PATH='$bin' '$tree/tools/setup.sh' build" /dev/null >"$scratch/got" 2>&1
    }
    ! ask n || { echo "not ok - setup.sh: 'n' was taken for yes"; exit 1; }
    grep -q 'install them with sudo apt-get? \[y/N\]' "$scratch/got" || { echo "not ok - setup.sh did not ask"; exit 1; }
    called </dev/null
    ! ask "" || { echo "not ok - setup.sh: an empty answer was taken for yes"; exit 1; }
    called </dev/null
    ask y || { cat "$scratch/got"; echo "not ok - setup.sh: 'y' was not taken"; exit 1; }
    grep -q '^sudo apt-get update' "$CALLS"
else
    echo "# no terminal to be had: asking is not tested"
fi

# a tool that came another way counts
machine $most libopenblas-dev
echo 'exit 0' | fake ninja
expect 0 "an own ninja" </dev/null
called </dev/null

# a failing package manager
machine $most
echo 'echo "E: no network" >&2; exit 100' | fake apt-get
expect 100 "apt-get fails" <<TEXT
setup: installing with apt-get: ninja-build libopenblas-dev
E: no network
TEXT

# no Debian: tools and headers are looked for
machine
rm "$bin/dpkg-query" "$bin/apt-get" "$bin/sudo"
echo 'grep -q "<$MISSING>" && exit 1; exit 0' | fake cc
echo 'exit 0' | fake cmake
echo 'exit 0' | fake ninja
echo 'exit 0' | fake protoc-c
expect 0 "all found" MISSING=none </dev/null
rm "$bin/ninja"
expect 1 "a header and a tool are missing" MISSING=yajl/yajl_parse.h <<TEXT
setup: not found, and there is no apt-get to install it:
    program ninja (Debian: ninja-build)
    header yajl/yajl_parse.h (Debian: libyajl-dev)
setup: install these; or build with what is there: HABITAT_SETUP=no make
TEXT
expect 0 "HABITAT_SETUP=no" HABITAT_SETUP=no MISSING=yajl/yajl_parse.h </dev/null
groups=(man)
expect 1 "no pandoc" <<TEXT
setup: not found, and there is no apt-get to install it:
    program pandoc (Debian: pandoc)
setup: install these; or build with what is there: HABITAT_SETUP=no make
TEXT
groups=(build moon)
expect 2 "no such group" <<<"setup: no such group: moon"
echo "ok - setup.sh installs what it says, asks first, and finds what is there"
