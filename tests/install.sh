#!/bin/sh
# Installs a build below a scratch prefix, and checks what lies there: the files that are promised, and
# a program that runs. usage: install.sh BUILD
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"
fail() {
    echo "not ok - $*"
    exit 1
}

# Without pandoc everything but the man pages is installed, and a warning says so. pandoc is looked for
# when installing: a tree that was configured without it must not stay without (see below).
mkdir "$scratch/no programs"
rm -rf "$build/man"
PATH="$scratch/no programs" "$(command -v cmake)" --install "$build" --prefix "$scratch/first" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "cmake --install without pandoc"; }
grep -q 'no man pages: pandoc is not there' "$scratch/log" || fail "no warning where pandoc is missing"
[ -x "$scratch/first/bin/habitat" ] || fail "nothing was installed without pandoc"
! ls "$scratch/first/share/man/man1" 2>/dev/null | grep . || fail "man pages came from nowhere"

cmake --install "$build" --prefix "$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cmake --install"; }
habitat="$prefix/bin/habitat"
commands=$("$habitat" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || fail "habitat --help names no command"
for command in $commands; do
    page=$("$habitat" "$command" --help | grep -o 'man habitat[a-z-]*' | tail -n 1)
    [ -s "$prefix/share/man/man1/${page#man }.1" ] || fail "habitat $command --help names '$page', which is not installed"
done
for source in "$root"/docs/man/habitat*.1.md; do
    [ -s "$prefix/share/man/man1/$(basename "$source" .md)" ] || fail "no man page from $source"
done
# What bash completes: commands, options, GPUs after a comma, words, files. zsh and fish where they are.
completes() { # WORD.. [last is what stands there]: what bash would offer, one line
    PATH="$prefix/bin:$PATH" bash -c '
        cd "$1" && . "$2" && shift 2 || exit 1
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _habitat && echo "${COMPREPLY[*]}"' complete "$scratch" "$prefix/share/bash-completion/completions/habitat" habitat "$@"
}
complete_to() { # WANTED WORD..
    wanted=$1
    shift
    got=$(completes "$@") || fail "completion of: habitat $*"
    [ "$got" = "$wanted" ] || fail "habitat $* completes to '$got', want '$wanted'"
}
touch "$scratch/step one.json"
complete_to "predict-ops predict" pred
complete_to "--sharded --sort --since --steps --samples --spot" predict step.json --s
complete_to "A100-SXM4-80GB,H100-NVL-94GB" predict step.json --to A100-SXM4-80GB,H100-N
complete_to "replay sum" predict step.json --assemble ""
complete_to "mlp" explain step.json --method m
complete_to "step one.json" info step
complete_to "step one.json" record -o step
complete_to "" predict step.json --steps ""
complete_to "H200-NVL-141GB" gpus H200-N
bash -n "$prefix/share/bash-completion/completions/habitat" || fail "bash does not read its completions"
for shell in "zsh zsh/site-functions/_habitat" "fish fish/vendor_completions.d/habitat.fish"; do
    [ -s "$prefix/share/${shell#* }" ] || fail "no completions for ${shell%% *}"
    ! command -v "${shell%% *}" >/dev/null || "${shell%% *}" -n "$prefix/share/${shell#* }" || fail "${shell%% *} does not read its completions"
done
for file in LICENSE NOTICE; do
    cmp "$root/$file" "$prefix/share/doc/habitat/$file" || fail "share/doc/habitat/$file"
done
# what the README promises; libraries may lie in lib64 or lib/ARCHITECTURE
promised=$(grep -o '`PREFIX/[^`]*`' "$root/README.md" | tr -d '`')
[ "$(echo "$promised" | wc -l)" -ge 7 ] || fail "the README does not say what is installed"
for path in $promised; do
    name=${path#PREFIX/}
    case $name in
    lib/*) find "$prefix" -path "$prefix/lib*/${name#lib/}" | grep -q . ;;
    *) [ -e "$prefix/$name" ] ;;
    esac || fail "the README promises $path"
done

# A program of somebody else, built against the installed tree: by pkg-config where it is there, and by CMake.
"$root/tests/build_against.sh" "$prefix" "$scratch"

echo "ok - program, library, headers, man pages and licences are installed; a C program builds against them"
