# What a trace has is true or false, in JSON as in CSV.
flags() {
    "$habitat" info "$1" --json | python3 -c 'import json, sys; t = json.load(sys.stdin)["trace"]; print([t[k] for k in ("has_operations", "has_shapes", "has_counters")])'
    "$habitat" info "$1" --csv | grep '^has_' | tr '\n' ' '
    echo
}
flags "$fixtures/step.json"
sed 's/"Input Dims"/"No Dims"/' "$fixtures/step.json" >shapeless.json
flags shapeless.json
