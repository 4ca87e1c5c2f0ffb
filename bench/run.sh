#!/bin/sh
# All benchmarks. usage: run.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python3 "$root/bench/speed.py" "$1"
