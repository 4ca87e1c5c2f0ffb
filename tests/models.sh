#!/bin/sh
# The shipped models are the ones that `make models` made: their checksums, and their size together.
# usage: models.sh ROOT
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 1 1 "$@"
cd "$1/data/models"
status=0
for file in *.habitat-models; do
    grep -q " \./$file\$" SHA256SUMS || {
        echo "not ok - $file is not in SHA256SUMS; make models writes both"
        status=1
    }
done
sha256sum --quiet -c SHA256SUMS || {
    echo "not ok - a model is not what was trained; make models"
    status=1
}
size=$(cat ./*.habitat-models | wc -c)
[ "$size" -le 5000000 ] || {
    echo "not ok - $size bytes of models, 5 MB allowed"
    status=1
}
[ $status -ne 0 ] || echo "ok - $size bytes of models, as recorded"
exit $status
