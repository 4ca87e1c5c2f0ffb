#!/bin/bash
# No script of tools/ and tests/ begins its work where it is called in a way that it does not know: it says how, and ends with 2.
# usage: usage.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
refused() { # SCRIPT ARGUMENTS..
    local script=$1 status=0
    shift
    timeout 20 "$(sed -n "1s/^#!//p" "$script")" "$script" "$@" >"$scratch/log" 2>&1 </dev/null || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$scratch/log")" = 1 ] && grep -qE "^usage: |no such " "$scratch/log" || {
        cat "$scratch/log"
        echo "not ok - $script $*: exit $status, want 2 and one line of usage"
        exit 1
    }
    count=$((count + 1))
}
cd "$root"
for script in tools/*.sh tests/*.sh; do
    case $script in
    tools/usage.sh) continue ;;            # sourced
    tests/within_root.sh) continue ;;      # runs what it is given, below two others
    esac
    refused "$script" --nonsense
done
refused tools/alloc.sh all
refused tools/evaluate.sh build everything
refused tools/train_models.sh build tree
refused tools/mlp_doc.sh build rows columns
refused tools/fuzz.sh ten
refused tools/fuzz.sh 1 nosuch
refused tools/run_tests.sh gcc nosuch
refused tools/build.sh ""
refused tests/deb.sh
echo "ok - $count calls that no script knows are refused"
