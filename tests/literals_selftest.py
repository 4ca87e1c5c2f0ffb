#!/usr/bin/env python3
"""The search for bare numbers (tests/literals.py) must find those that belong in a table of constants: plants some in a small
tree and expects to be told, with file, line and number.
"""
import pathlib
import subprocess
import sys
import tempfile

SEARCH = pathlib.Path(__file__).resolve().parent / "literals.py"
GOOD = {
    "base/constant.h": "/* Tables:  work/table.c work/more.c */\n#define CONSTANT(kind, name, value, unit, source) /* 1.5 */\n",
    "base/constants_one.h": 'CONSTANT(fitted, share, 0.37, "1", "somewhere")\n',
    "work/table.c": "static const struct pace { double a, b; } paces[] = {{1.5, .3}, {4, 2.7e-6}};\n"
                    "static const double one[] = {.7}, two[] = {3.5};\n",
    "work/more.c": "static const struct { double a; } all[2][1] = {[1] = {{.25}}};\n",
    "trace/fine.c": 'double f(double x) {\n    /* 1.5 */ say("%.3f of 0.75");\n    const double mib = 1048576, most = 0x1p40;\n'
                    "    return 2.0 * x * 1e-9 + .5 * x / 3.6e6 + 100.0 + 1048576.0 + 4 * x + 0x1.8p3 + most / mib;\n}\n",
}
# what is planted, and what is said of it: nothing where None
PLANTED = [
    ("trace/bad.c", "double f(double x) {\n    return 0.3 * x;\n}\n", "trace/bad.c:2: 0.3:"),
    ("report/bad.h", "#define MUCH 1.25\n", "report/bad.h:1: 1.25:"),
    ("gpu/bad.c", "double f(void) {\n    return g(2,\n             .55f);\n}\n", "gpu/bad.c:3: .55f:"),
    ("gpu/bad.c", "static const double LITTLE = 0.02;\n", "gpu/bad.c:1: 0.02:"),
    ("gpu/bad.c", "static const double width = 300, other = 1;\n", "gpu/bad.c:1: 300:"),
    ("gpu/bad.c", "double f(void) {\n    const double near = 300;\n    return near;\n}\n", "gpu/bad.c:2: 300:"),
    ("work/bad.c", "static const double shares[] = {.3, .4};\n", "work/bad.c:1: .3:"),  # a table that is not listed
    ("work/table.c", GOOD["work/table.c"] + "double f(void) { return .3; }\n", "work/table.c:3: .3:"),  # beside one that is
    ("work/table.c", GOOD["work/table.c"] + "double f(void) { pace p = {.a = .3}; return p.a; }\n", "work/table.c:3: .3:"),
    ("work/more.c", "int nothing;\n", "base/constant.h: work/more.c has no table"),
    ("work/fine.c", "static const int wide[] = {300};\nenum { MANY = 300 };\n", None),
]
failed = False
for path, text, said in [("trace/fine.c", GOOD["trace/fine.c"], None), *PLANTED]:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**GOOD, path: text}.items():
            file = pathlib.Path(folder, "src", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        done = subprocess.run([sys.executable, SEARCH, folder], capture_output=True, text=True)
    good = (done.returncode == 0 and not done.stdout) if said is None else (done.returncode == 1 and "src/" + said in done.stdout)
    failed |= not good
    print(f"{'ok' if good else 'not ok'} - {path}: {text.strip().splitlines()[-1][:60]}")
    if not good:
        print(done.stdout + done.stderr)
sys.exit(failed)
