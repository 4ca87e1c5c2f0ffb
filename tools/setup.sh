#!/bin/sh
# Sees to it that what a target of the Makefile needs is there; silent and quick when all is.
# usage: setup.sh GROUP...   groups: build test lint python man doc deb wheel roots
# A need is met where its Debian package is installed, or where the thing itself is found (another
# system, an own build). What is missing is named, then installed with apt-get: at once as root,
# otherwise with sudo, after asking on a terminal. HABITAT_SETUP=yes does not ask; HABITAT_SETUP=no
# looks for no package and installs none; CI=true is yes with `sudo -n`, which asks for no password.
# Python packages of the tests go into .venv and nowhere else, whatever HABITAT_SETUP says.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

# GROUP PACKAGE KIND WHAT: Debian's name, and what to look for where that package is not installed.
# Kind debian: installed where there is apt-get, done without elsewhere.
needs() {
    cat <<'TABLE'
build gcc program cc gcc clang
build libc6-dev header stdio.h
build cmake program cmake
build ninja-build program ninja
build libyajl-dev header yajl/yajl_parse.h
build zlib1g-dev header zlib.h
build libsqlite3-dev header sqlite3.h
build libssl-dev header openssl/evp.h
build libprotobuf-c-dev header protobuf-c/protobuf-c.h
build protobuf-c-compiler program protoc-c
build libopenblas-dev debian -
build libjs-chart.js file /usr/share/javascript/chart.js/chart.min.js /usr/share/nodejs/chart.js/dist/chart.min.js
test clang program clang
test libclang-rt-14-dev sanitizers address,undefined
test valgrind program valgrind
test git program git
test locales file /usr/share/i18n/locales/de_DE
test ca-certificates file /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem
lint clang-format program clang-format
lint clang-tidy program clang-tidy
lint cppcheck program cppcheck
doc doxygen program doxygen
python python3 program python3
python python3-venv python import ensurepip, venv
python python3-dev python import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")
python g++ program c++ g++ clang++
python chromium program chromium chromium-browser google-chrome
man pandoc program pandoc
roots debootstrap program debootstrap
wheel python3 program python3
wheel python3-venv python import ensurepip, venv
deb dpkg-dev program dpkg-shlibdeps
deb file program file
TABLE
}

first_program() { # NAME...: the first that is there
    for name in "$@"; do
        if command -v "$name"; then return 0; fi
    done
    return 1
}

first_file() {
    for name in "$@"; do
        if [ -e "$name" ]; then return 0; fi
    done
    return 1
}

found() { # KIND WHAT: whether a need is met without Debian's package
    # shellcheck disable=SC2086
    case $1 in
    program) first_program $2 >/dev/null ;;
    file) first_file $2 ;;
    header) echo "#include <$2>" | "${CC:-$(first_program cc gcc clang || echo cc)}" -E -x c - >/dev/null 2>&1 ;;
    sanitizers)
        program=$(mktemp) && status=0
        echo 'int main(void) { return 0; }' | clang -x c -fsanitize="$2" - -o "$program" >/dev/null 2>&1 || status=1
        rm -f "$program"
        return $status ;;
    python) python3 -c "$2" >/dev/null 2>&1 ;;
    debian) ! command -v apt-get >/dev/null ;;
    *) echo "setup: no such kind of need: $1" >&2; exit 2 ;;
    esac
}

installed() { # PACKAGE
    command -v dpkg-query >/dev/null &&
        dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing_packages() { # GROUP...: one line a need that is not met: PACKAGE KIND WHAT
    for wanted in "$@"; do
        needs | while read -r group package kind what; do
            [ "$group" = "$wanted" ] || continue
            installed "$package" || found "$kind" "$what" || echo "$package $kind $what"
        done
    done
}

refuse() { # PACKAGES: what a person can do
    {
        echo "setup: nothing was installed. Run this, then make again:"
        echo "    sudo apt-get update && sudo apt-get install --no-install-recommends$1"
        echo "setup: or let make run it (HABITAT_SETUP=yes), or build with what is there (HABITAT_SETUP=no)"
    } >&2
    exit 1
}

agreed() { # how packages come when this is not root: asks on a terminal, else no
    case ${HABITAT_SETUP:-} in yes) return 0 ;; esac
    [ "${CI:-}" != true ] || return 0
    [ -t 0 ] && [ -t 2 ] || return 1
    printf 'setup: install them with sudo apt-get? [y/N] ' >&2
    read -r answer || return 1
    case $answer in y | Y | yes) return 0 ;; esac
    return 1
}

install_packages() { # PACKAGES
    as_root=""
    how="apt-get"
    if [ "$(id -u)" != 0 ]; then
        echo "setup: Debian packages that are missing:$1" >&2
        command -v sudo >/dev/null && agreed || refuse "$1"
        as_root="sudo"
        [ "${CI:-}" != true ] || as_root="sudo -n"
        how="$as_root apt-get"
    fi
    echo "setup: installing with $how:$1" >&2
    # shellcheck disable=SC2086
    $as_root apt-get update -q >/dev/null
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $1 >/dev/null
}

packages() { # GROUP...
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if command -v apt-get >/dev/null; then
        install_packages "$(echo "$missing" | awk '{ printf " %s", $1 }')"
        return
    fi
    {
        echo "setup: not found, and there is no apt-get to install it:"
        echo "$missing" | awk '{ p = $1; $1 = ""; printf "   %s (Debian: %s)\n", $0, p }'
        echo "setup: install these; or build with what is there: HABITAT_SETUP=no make"
    } >&2
    exit 1
}

# A Python environment per group of requirements: made once, remade when the list changes.
environment() { # name requirements-file [file-of-packages-without-what-they-ask-for]
    venv="$root/.venv/$1"
    stamp="$venv/.requirements"
    if ! cat "$2" ${3:+"$3"} | cmp -s - "$stamp" 2>/dev/null; then
        echo "setup: Python environment .venv/$1 (from ${2#"$root"/})" >&2
        python3 -m venv "$venv"
        "$venv/bin/pip" install -q --disable-pip-version-check -r "$2"
        [ -z "${3:-}" ] || "$venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$3"
        cat "$2" ${3:+"$3"} >"$stamp"
    fi
}

for group in "$@"; do
    needs | grep -q "^$group " || { echo "setup: no such group: $group" >&2; exit 2; }
done
case ${HABITAT_SETUP:-} in
no) ;;
yes | "") packages "$@" ;;
*) echo "setup: HABITAT_SETUP is '$HABITAT_SETUP'; use yes or no" >&2; exit 2 ;;
esac
for group in "$@"; do
    case $group in
    python) environment tests "$root/python/tests/requirements.txt" "$root/python/tests/requirements-alone.txt" ;;
    wheel) environment wheel "$root/tools/requirements-wheel.txt" ;;
    esac
done
