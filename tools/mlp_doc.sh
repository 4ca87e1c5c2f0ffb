#!/bin/sh
# Writes the tables of docs/mlp.md anew: rows behind each network, errors, depth and width.
# usage: mlp_doc.sh BUILD [rows|errors|study]...
# About 15 minutes of one core for all; what each part leaves out, docs/mlp.md says.
set -eu
. "$(dirname "$0")/usage.sh"
usage 1 99 "$@"
folder=$1
shift
[ $# -gt 0 ] || set -- rows errors study
for part in "$@"; do usage_word "$part" rows errors study; done
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$folder" && pwd)
cd "$root"
data=data/measurements
for part in "$@"; do
    if [ -n "${MLP_DOC_TABLES:-}" ]; then # tables made before, one file each
        cp "$MLP_DOC_TABLES/$part.md" docs/mlp.table
    else
        "$build/mlp_tables" "$part" $data/collected_h200.csv.gz $data/conv_fp32.csv.gz \
            $data/gemm_fp32.csv.gz $data/rnn_fp32.csv.gz $data/mlp/gemm_fp32.csv.gz >docs/mlp.table
    fi
    awk -v part="$part" '
        $0 == "<!-- end " part " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- begin " part " -->" {
            inside = 1
            print ""
            while ((getline line < "docs/mlp.table") > 0) print line
            print ""
        }' docs/mlp.md >docs/mlp.new
    mv docs/mlp.new docs/mlp.md
    rm docs/mlp.table
done
