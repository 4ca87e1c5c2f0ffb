# Sourced by scripts, so that none begins a long job by mistake: `usage LEAST MOST "$@"` ends a script with 2, after the line "usage:" of its head,
# where it has fewer or more arguments than these, an empty one or an option. `usage_word WORD A B..`: the same where WORD is none of the others.
# shellcheck shell=sh
usage_end() {
    sed -n 's/^#.*\(usage: .*\)/\1/p' "$0" | sed -n 1p >&2
    exit 2
}
usage() {
    usage_least=$1 usage_most=$2
    shift 2
    [ $# -ge "$usage_least" ] && [ $# -le "$usage_most" ] || usage_end
    for usage_argument in "$@"; do
        case $usage_argument in '' | -*) usage_end ;; esac
    done
}
usage_word() {
    usage_wanted=$1
    shift
    for usage_argument in "$@"; do
        [ "$usage_argument" != "$usage_wanted" ] || return 0
    done
    usage_end
}
