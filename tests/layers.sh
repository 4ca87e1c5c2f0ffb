#!/bin/sh
# Fails on an include that goes against the direction of the tree:
#   base <- gpu, trace <- work <- memory <- workload <- rescale, question <- formula <- kernels, operator <- models <- predict <- replay <- ask, export <- report <- cli
# A module may include its own headers and those of the modules left of it, the public headers of
# the same modules, the system, and libraries. The laboratory (lab/) may include all of them, and none of
# them the laboratory. The recorder may include public headers only, the command line too, and the
# laboratory's lab.h. cuda.h and cupti.h are nowhere but in recorder/.
# usage: layers.sh [ROOT]
set -eu
. "$(dirname "$0")/../tools/usage.sh"
usage 0 1 "$@"
root=${1:-.}
fail=0

allowed() { # modules that a module may include
    case $1 in
    base) echo "base" ;;
    gpu) echo "base gpu" ;;
    trace) echo "base gpu trace" ;;
    work) echo "base gpu trace work" ;;
    memory) echo "base gpu trace work memory" ;;
    workload) echo "base gpu trace work memory workload" ;;
    rescale) echo "base gpu trace work memory workload rescale" ;;
    question) echo "base work question" ;;
    formula) echo "base gpu work formula" ;;
    kernels) echo "base gpu work workload rescale formula kernels" ;;
    operator) echo "base gpu work question formula operator" ;;
    models) echo "base gpu work question formula operator models" ;;
    predict) echo "base gpu trace work memory workload rescale question formula kernels operator models predict" ;;
    replay) echo "base gpu trace work memory workload formula predict replay" ;;
    export) echo "base gpu trace work memory workload predict replay export" ;;
    ask) echo "base gpu trace work memory workload rescale question formula operator models predict replay ask" ;;
    report) echo "base gpu trace work memory workload question formula operator models predict replay ask report" ;;
    lab) echo "base gpu trace work memory workload rescale question formula operator models predict replay ask lab" ;;
    esac
}

public() { # public headers that belong to a module
    case $1 in
    base) echo "status units words version csv text" ;;
    question) echo "question" ;;
    formula) ;;
    kernels) ;;
    operator) ;;
    models) echo "models" ;;
    gpu) echo "gpu" ;;
    trace) echo "trace" ;;
    work) echo "work" ;;
    memory) echo "memory" ;;
    workload) echo "workload" ;;
    rescale) ;;
    predict) echo "method predict" ;;
    replay) echo "replay" ;;
    export) echo "export" ;;
    ask) echo "ask price choose" ;;
    report) echo "report json" ;;
    esac
}

check_source_file() { # file module
    headers=""
    for m in $(allowed "$2"); do headers="$headers $(public "$m")"; done
    sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]\([^>"]*\)[>"].*/\1/p' "$1" |
    while read -r include; do
        case $include in
        habitat/*)
            name=${include#habitat/}; name=${name%.h}
            case " $headers " in *" $name "*) ;; *) echo "$1: may not include <$include>" ;; esac ;;
        *cuda*.h | *cupti*.h | *nvtx*.h) echo "$1: GPU headers belong in recorder/: $include" ;;
        */*)
            owner=${include%%/*}
            case $owner in
            base | gpu | trace | work | memory | workload | rescale | question | formula | kernels | operator | models | predict | replay | export | ask | report | lab)
                case " $(allowed "$2") " in *" $owner "*) ;; *) echo "$1: may not include \"$include\"" ;; esac ;;
            esac ;;
        esac
    done
}

check_client_file() { # file: public headers and its own folder only
    sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$1" |
    while read -r include; do
        case $include in
        lab/lab.h) case $1 in */cli/*) ;; *) echo "$1: only the command line uses the laboratory" ;; esac ;;
        base/* | gpu/* | trace/* | work/* | memory/* | workload/* | rescale/* | question/* | formula/* | kernels/* | operator/* | models/* | predict/* | replay/* | export/* | ask/* | report/* | lab/* | *src/*)
            echo "$1: clients use public headers only: \"$include\"" ;;
        esac
    done
}

[ -n "$(find "$root/src" -name '*.[ch]' 2>/dev/null | head -n 1)" ] || { echo "no sources in $root/src"; exit 1; }
problems=$(
    for module in base gpu trace work memory workload rescale question formula kernels operator models predict replay export ask report; do
        find "$root/src/$module" -name '*.[ch]' 2>/dev/null | while read -r file; do
            check_source_file "$file" "$module"
        done
    done
    find "$root/lab" -name '*.[ch]' 2>/dev/null | while read -r file; do check_source_file "$file" lab; done
    find "$root/cli" "$root/recorder" "$root/bench" "$root/examples" -name '*.[ch]' 2>/dev/null |
    while read -r file; do check_client_file "$file"; done
)
if [ -n "$problems" ]; then
    echo "$problems"
    fail=1
fi
[ $fail = 0 ] && echo "ok - no include goes against the layers"
exit $fail
