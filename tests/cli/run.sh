#!/bin/sh
# Runs command-line cases: x.sh with x.stdout.exact or .stdout.glob, x.stderr.exact or .stderr.glob,
# x.exit (0 where absent). A missing stdout or stderr file means: nothing may be printed there.
# usage: run.sh [--regenerate] HABITAT SOURCE CASE...   (CASE: path of x.sh)
# Cases run in an empty folder with $habitat, $fixtures and $source set; 80 columns, no colour, no
# user configuration. In outputs the version reads @VERSION@, the source folder @SOURCE@.
set -u
regenerate=0
[ "$1" = --regenerate ] && { regenerate=1; shift; }
habitat=$1 source=$2
shift 2
fixtures=$source/tests/cli/fixtures
version=$(cat "$source/VERSION")
export habitat fixtures source LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=80
unset HABITAT_PYTHON HABITAT_PYTHONPATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A sanitizer's report goes to a file and fails the case: in a pipe, or with 2>/dev/null, nobody would see it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$work/sanitizer"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$work/sanitizer"
export HOME="$work" XDG_CONFIG_HOME="$work/config"
failed=0 skipped=0 number=0

normal() { sed -e "s|$source|@SOURCE@|g" -e "s|habitat $version|habitat @VERSION@|g" "$1"; }

# same KIND FILE STEM: whether FILE holds what STEM.KIND.exact or .glob asks for
same() {
    if [ -f "$3.$1.glob" ]; then
        text=$(cat "$2") pattern=$(cat "$3.$1.glob")
        # shellcheck disable=SC2254
        case $text in $pattern) return 0 ;; esac
        diff -u "$3.$1.glob" "$2" | sed 's/^/# /'
        return 1
    fi
    wanted=$3.$1.exact
    [ -f "$wanted" ] || wanted=/dev/null
    if [ $regenerate = 1 ]; then
        if [ -s "$2" ]; then cp "$2" "$3.$1.exact"; else rm -f "$3.$1.exact"; fi
        return 0
    fi
    cmp -s "$wanted" "$2" && return 0
    diff -u "$wanted" "$2" | sed 's/^/# /'
    return 1
}

for case in "$@"; do
    number=$((number + 1))
    stem=${case%.sh}
    name=$(basename "$stem")
    mkdir -p "$work/run"
    (cd "$work/run" && sh "$case" >"$work/out" 2>"$work/err" </dev/null)
    status=$?
    if [ $status = 77 ]; then
        echo "ok $number - $name # skipped: $(cat "$work/err")"
        skipped=$((skipped + 1))
        rm -rf "$work/run"
        continue
    fi
    normal "$work/out" >"$work/stdout"
    normal "$work/err" >"$work/stderr"
    good=1
    same stdout "$work/stdout" "$stem" || good=0
    same stderr "$work/stderr" "$stem" || good=0
    if [ $regenerate = 1 ]; then
        if [ $status = 0 ]; then rm -f "$stem.exit"; else echo $status >"$stem.exit"; fi
    fi
    wanted=0
    [ -f "$stem.exit" ] && wanted=$(cat "$stem.exit")
    [ "$status" = "$wanted" ] || { echo "# exit code $status, want $wanted"; good=0; }
    for report in "$work"/sanitizer.*; do
        [ -e "$report" ] || continue
        sed 's/^/# /' "$report"
        rm "$report"
        good=0
    done
    rm -rf "$work/run" "$work/config"
    if [ $good = 1 ]; then echo "ok $number - $name"; else echo "not ok $number - $name"; failed=1; fi
done
echo "1..$number"
[ $failed = 0 ] || exit 1
[ $skipped = $number ] && exit 77
exit 0
