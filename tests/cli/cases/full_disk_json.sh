[ -e /dev/full ] || { echo "no /dev/full here" >&2; exit 77; }
"$habitat" predict "$fixtures/step.json" --json >/dev/full
