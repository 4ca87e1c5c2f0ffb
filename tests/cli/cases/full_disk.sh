# Results that cannot be written are a failure, not a success.
[ -e /dev/full ] || { echo "no /dev/full here" >&2; exit 77; }
"$habitat" --help >/dev/full
