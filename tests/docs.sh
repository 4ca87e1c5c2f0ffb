#!/bin/bash
# Runs every command that the documentation shows in a ```console block (lines that begin with
# "$ habitat"), from the repository's root; report.html goes to a scratch folder. Each must succeed;
# "# exits N" at a line's end names another expected exit code.
# usage: docs.sh BUILD
set -u
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
PATH="$build:$PATH"
export PATH NO_COLOR=1
cd "$root" || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0
while IFS=$'\t' read -r file line command; do
    want=0
    [[ $command =~ \#\ exits\ ([0-9]+)$ ]] && want=${BASH_REMATCH[1]}
    command=${command// report.html/ "'$scratch'/report.html"}
    bash -o pipefail -c "$command" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    got=$?
    count=$((count + 1))
    if [ $got != "$want" ]; then
        failed=$((failed + 1))
        echo "not ok - $file:$line: $command (exit $got, want $want)"
        head -n 3 "$scratch/stderr"
    fi
done < <(awk '
    FNR == 1 { inside = 0 }
    /^```console/ { inside = 1; next }
    /^```/ { inside = 0 }
    inside && /^\$ habitat/ { print FILENAME "\t" FNR "\t" substr($0, 3) }
' README.md docs/*.md docs/guides/*.md docs/man/*.md 2>/dev/null)
echo "$count commands of the documentation run, $failed failed"
[ $failed = 0 ] && [ $count -gt 0 ]
