#!/bin/sh
# Each public header compiles alone, as C17 and as C++11, with warnings as errors: the whole of it, and
# its stable half without HABITAT_EXPERIMENTAL. A header that is experimental as a whole says so. Each
# header states its half, units, ownership, errors and threads. Names of the halves: docs/decisions/0119.
# usage: headers.sh [ROOT]
set -u
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cc=${CC:-cc}
cxx=$(command -v "${CXX:-c++}" || command -v g++ || command -v clang++ || true)
failed=0
count=0
fail() {
    echo "not ok - $*"
    failed=1
}

compile() { # file [option]: as C and, where there is a compiler, as C++
    "$cc" -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$root/include" ${2:+"$2"} -x c "$1" || return 1
    [ -z "$cxx" ] || "$cxx" -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$root/include" ${2:+"$2"} -x c++ "$1"
}

for header in "$root"/include/habitat/*.h; do
    name=$(basename "$header")
    count=$((count + 1))
    printf '#include <habitat/%s>\n#include <habitat/%s>\n' "$name" "$name" >"$scratch/alone.c"
    compile "$scratch/alone.c" -DHABITAT_EXPERIMENTAL || fail "$name does not compile alone"
    top=$(sed -n '1,/\*\//p' "$header")
    for word in Half Units Ownership Errors Threads; do
        echo "$top" | grep -q "[* ]$word: " || fail "$name: the first comment says nothing of \"$word:\""
    done
    if echo "$top" | grep -q 'Half: experimental\.'; then
        compile "$scratch/alone.c" 2>"$scratch/log" && fail "$name compiles without HABITAT_EXPERIMENTAL"
        grep -q "<habitat/$name> is experimental; define HABITAT_EXPERIMENTAL" "$scratch/log" ||
            fail "$name does not say that it is experimental"
    else
        compile "$scratch/alone.c" || fail "the stable half of $name does not compile alone"
    fi
done
[ $count -gt 0 ] || fail "no headers in $root/include/habitat"

# a GPU cannot be copied by a program: its fields are the library's
printf '#include <habitat/gpu.h>\nsize_t f(void);\nsize_t f(void) { return sizeof(habitat_gpu); }\n' >"$scratch/copy.c"
compile "$scratch/copy.c" 2>/dev/null && fail "habitat_gpu is not opaque"

# the way from a recording to a prediction needs the stable half alone
cat >"$scratch/predict.c" <<'C'
#include <stdio.h>
#include <habitat/habitat.h>

int main(int argc, char **argv) {
    habitat_error err;
    habitat_gpu_table *gpus = NULL;
    habitat_trace *trace = NULL;
    habitat_workload *workload = NULL;
    habitat_prediction *p = NULL;
    const habitat_gpu *origin = NULL, *dest = NULL;
    if (argc == 3 && habitat_gpu_table_create(NULL, &gpus, &err) == HABITAT_OK &&
        habitat_trace_read(argv[1], &trace, &err) == HABITAT_OK &&
        habitat_gpu_match(gpus, &habitat_trace_get_info(trace)->device_facts, &origin, &err) == HABITAT_OK &&
        habitat_gpu_find(gpus, argv[2], &dest, NULL, &err) == HABITAT_OK &&
        habitat_workload_create(trace, origin, &workload, &err) == HABITAT_OK &&
        habitat_predict(workload, dest, HABITAT_METHOD_AUTO, &p, &err) == HABITAT_OK)
        printf("%s %f ms\n", habitat_gpu_name(dest), p->iteration_ms);
    habitat_prediction_free(p);
    habitat_workload_free(workload);
    habitat_trace_free(trace);
    habitat_gpu_table_free(gpus);
    return p == NULL;
}
C
compile "$scratch/predict.c" || fail "a prediction needs more than the stable half"

[ $failed = 0 ] && echo "ok - $count headers compile alone, and say what belongs to them"
exit $failed
