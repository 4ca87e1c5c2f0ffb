#!/bin/sh
# Installs what a target of the Makefile needs and is not there yet; silent and quick when all is.
# usage: setup.sh GROUP...   groups: build test lint python man
# Debian packages come through apt-get (with sudo where not root), Python packages go into .venv.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

packages_of() {
    case $1 in
    build) echo "gcc libc6-dev cmake ninja-build pkg-config libyajl-dev zlib1g-dev libsqlite3-dev libssl-dev libopenblas-dev" ;;
    test) echo "locales clang libclang-rt-14-dev valgrind git ca-certificates" ;;
    lint) echo "clang-format clang-tidy cppcheck" ;;
    python) echo "python3 python3-venv python3-dev g++" ;;
    man) echo "pandoc" ;;
    esac
}

missing=""
for group in "$@"; do
    for package in $(packages_of "$group"); do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
done
if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null; then
        echo "setup: please install these packages (Debian names):$missing" >&2
        exit 1
    fi
    echo "setup: installing$missing" >&2
    as_root=""
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q >/dev/null
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends $missing >/dev/null
fi

# A Python environment per group of requirements: made once, remade when the list changes.
environment() { # name requirements-file
    venv="$root/.venv/$1"
    stamp="$venv/.requirements"
    if ! cmp -s "$2" "$stamp" 2>/dev/null; then
        echo "setup: Python environment .venv/$1 (from ${2#"$root"/})" >&2
        python3 -m venv "$venv"
        "$venv/bin/pip" install -q --disable-pip-version-check -r "$2"
        cp "$2" "$stamp"
    fi
}
for group in "$@"; do
    case $group in
    python) environment tests "$root/python/tests/requirements.txt" ;;
    esac
done
