#!/bin/sh
# Writes the figures of docs/performance.md anew: what `make bench` says on this machine, goals that
# are missed included. usage: performance_doc.sh BUILD
# A few minutes of one core.
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 1 "$@"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
said=$(mktemp)
trap 'rm -f "$said"' EXIT
bench/run.sh "$build" >"$said" || echo "performance_doc: a goal is missed; see docs/performance.md" >&2
[ -s "$said" ]
awk -v said="$said" '
    $0 == "<!-- end bench -->" { inside = 0 }
    !inside { print }
    $0 == "<!-- begin bench -->" {
        inside = 1
        print "```"
        while ((getline line < said) > 0) print line
        print "```"
    }' docs/performance.md >docs/performance.md.new
mv docs/performance.md.new docs/performance.md
