#!/bin/sh
# Runs a command inside another root, with /proc there and nothing of this environment. Needs root. usage: within_root.sh FOLDER COMMAND..
set -eu
# shellcheck disable=SC2016
exec unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"' "$@"
