# Times that no GPU has: kernels of nothing beside copies that last, and times in another unit.
python3 - <<'P'
import copy, json, os
step = json.load(open(os.environ["fixtures"] + "/step.json"))
zero, small = copy.deepcopy(step), copy.deepcopy(step)
for event in zero["traceEvents"]:
    if event.get("cat") == "kernel":
        event["dur"] = 0
for event in small["traceEvents"]:
    if "dur" in event:
        event["ts"], event["dur"] = event["ts"] / 1000, event["dur"] / 1000
json.dump(zero, open("zero.json", "w"))
del small["habitat"]
json.dump(small, open("small.json", "w"))
P
for verb in "info" "predict --to T4" "choose"; do
    "$habitat" $verb zero.json; echo "$?"
done
"$habitat" predict small.json --to T4 --json | grep "0.1 us"
"$habitat" predict "$fixtures/step.json" --to T4 --json | grep -c "0.1 us"
true
