#!/bin/sh
# The check of references must fail on each kind that leads nowhere, and let those pass that do not.
# usage: doc_links_selftest.sh ROOT
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=$(cd "${1:-.}" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/docs/decisions" "$copy/src"
check() { python3 "$root/tests/doc_links.py" "$copy" >"$copy/answer"; }
echo '# 7. A rule' >"$copy/docs/decisions/0007-a-rule.md"
{
    # shellcheck disable=SC2016
    echo '## The `least` time, and why'
    echo '<a id="by-hand"></a>[a](#the-least-time-and-why) [b](decisions/0007-a-rule.md) [c](https://example.org/x#y)'
    # shellcheck disable=SC2016
    echo '`least_time()`, and `zero_grad()` of PyTorch'
} >"$copy/docs/page.md"
echo '/* docs/page.md#the-least-time-and-why, docs/page.md#by-hand, decision 007, docs/decisions/0007 */ double least_time(void);' >"$copy/src/a.c"
check || { cat "$copy/answer"; echo "not ok - references that are there were refused"; exit 1; }
plant() { # file, text, what must be said
    echo "$2" >"$copy/$1"
    if check; then echo "not ok - $1 with $2 was let through"; exit 1; fi
    grep -qF "$3" "$copy/answer" || { cat "$copy/answer"; echo "not ok - $1 with $2: not '$3'"; exit 1; }
    rm "$copy/$1"
}
plant src/b.c '/* docs/page.md#the-least */' 'docs/page.md#the-least: that page has no such heading'
plant src/b.c '/* docs/pages.md */' 'docs/pages.md: no such file'
plant src/b.h '/* decision 0008 */' 'decision 0008: there is none'
plant docs/b.md '[a](page.md#by-eye)' 'page.md#by-eye: that page has no such heading'
plant docs/b.md '[a](../page.md)' '../page.md: no such file'
# shellcheck disable=SC2016
plant docs/b.md '`large_time()`' 'docs/b.md: large_time(): no code of this repository has a function'
rm -r "$copy/src" "$copy/docs"
if check; then echo "not ok - a tree without references was let through"; exit 1; fi
echo "ok - the check of references notices those that lead nowhere"
