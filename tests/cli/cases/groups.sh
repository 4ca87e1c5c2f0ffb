# Groups of unprofiled times: those before the profiler are the step's, what was timed in the same process after it is slower.
cat >made.py <<'P'
import json, os, pathlib, statistics
step = json.loads((pathlib.Path(os.environ["fixtures"]) / "step.json").read_text())
times = [0.2, 0.21, 0.22, 0.3, 0.31, 0.32, 0.34, 0.35, 0.36]

def write(name, **noted):
    step["habitat"].update({"iteration_ms": 0.31, "iteration_ms_all": times, "iteration_spread": 0.4516, **noted})
    pathlib.Path(name + ".json").write_text(json.dumps(step))
    del step["habitat"]["iteration_ms_groups"]

write("of_all", iteration_ms_groups=[3, 3, 3])
write("of_the_first", iteration_ms=0.21, iteration_ms_groups=[3, 3, 3])
write("two", iteration_ms=0.23, iteration_ms_all=times[:2] + [0.25, 0.26], iteration_ms_groups=[2, 2])
write("first_alone", iteration_ms_groups=[9])
write("said_otherwise", iteration_ms=0.25, iteration_ms_groups=[3, 3, 3])
write("others", iteration_ms_groups=[3, 3, 2])
write("halves", iteration_ms_groups=[4.5, 4.5])
write("zero", iteration_ms_all=[0, 0, 0] + times[3:], iteration_ms_groups=[3, 3, 3])
write("none", iteration_ms_groups=[0, 9])
write("many", iteration_ms_groups=[1] * 9)
write("null", iteration_ms_groups=None)
for i, bad in enumerate((3, [True], ["3"], [-3], {})):
    write(f"bad-{i}", iteration_ms_groups=bad)
P
python3 made.py
for name in of_all of_the_first two first_alone said_otherwise others halves zero none many null; do
    "$habitat" predict $name.json --to H200-SXM5-141GB --json >out.json
    python3 -c "
import json
d = json.load(open('out.json'))
print('$name:', d['trace']['iteration_ms'], d['predictions'][0]['interval_basis'])
print(*(w for w in d['trace']['warnings'] if 'moved by' in w))"
    "$habitat" info $name.json | grep Iterations
done
for file in bad-*.json; do
    "$habitat" info "$file" >/dev/null
    echo "$file: $?"
done
