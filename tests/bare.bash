# Sourced by tests that need a bare Debian, first of all: mounts of their own, so that what debootstrap mounts inside the bare root ends with
# the script; $root, the checkout; $scratch, a folder that goes when the script ends; $bare in it, for tests/bare_root.sh; fail; within.
# shellcheck shell=bash
[ "${HABITAT_MOUNTS:-}" = own ] || HABITAT_MOUNTS=own exec unshare --mount "$0" "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
# shellcheck disable=SC2034
bare=$scratch/root
fail() {
    echo "not ok - $*"
    exit 1
}
within() { "$root/tests/within_root.sh" "$bare" "$@"; }
