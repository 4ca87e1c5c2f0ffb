#!/bin/sh
# The recordings of the repository: under 119 MB together, none shows a home folder, each has a row in docs/recordings.md,
# and each row's file is there.
# usage: recordings.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
data=$root/data/recordings
fail=0
say() { echo "not ok - $*"; fail=1; }

bytes=$(find "$data" -type f -exec cat {} + | wc -c)
[ "$bytes" -lt 119000000 ] || say "data/recordings holds $bytes bytes; 119,000,000 at most"
shown=$(find "$data" -name '*.json.gz' | while read -r file; do
    gzip -dc "$file" | grep -qE '/(home|root|Users)/[A-Za-z0-9._-]' && echo "$file" || true
done)
[ -z "$shown" ] || say "a home folder is in: $shown"
absolute=$(find "$data" -name '*.json.gz' | while read -r file; do
    gzip -dc "$file" | head -c 20000 | grep -qE '"command": ?"python[0-9.]*( -m)? /' && echo "$file" || true
done)
[ -z "$absolute" ] || say "a command with a path of the machine that recorded: $absolute"
for file in "$data"/*.json.gz; do
    name=$(basename "$file" .json.gz)
    grep -q "| $name |" "$root/docs/recordings.md" || say "$name: no row in docs/recordings.md"
done
for name in $(grep -oE '^\| [a-z0-9_.]+_(h100|h200) \|' "$root/docs/recordings.md" | tr -d '| '); do
    find "$data" -name "$name.json.gz" | grep -q . || say "docs/recordings.md: $name is no file"
done
[ $fail = 0 ] && echo "ok - recordings of $bytes bytes, no home folder in them"
exit $fail
