"""Loops whose CPU waits for its GPU (data/recordings/waiting, tools/waiting_steps.py; waiting_again of both), predicted from recordings without a
GPU: a table of docs/recording.md.

usage: judge_waiting_steps.py HABITAT                       the table
       judge_waiting_steps.py HABITAT --measured FOLDER     what FOLDER's recordings of GPUs took: measured.csv
"""

import ast
import csv
import pathlib
import statistics
import sys

import judge_new_models as judge

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data/recordings/waiting"
TOOL = "tools/waiting_steps.py"
AGAIN, TOOL_AGAIN = ROOT / "data/recordings/waiting_again", "tools/waiting_again.py"


MEASURED = ("loop", "batch", "gpu", "iteration_ms", "kernel_ms", "host_copy_ms")


def measured(habitat, folder):
    """Iterations without the profiler; kernels, and copies from and to the host, of the recorded one."""
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(MEASURED)
    for path in sorted(folder.glob("*.json.gz")):
        name, _, tag = path.name[: -len(".json.gz")].rpartition("_")
        loop, _, batch = name.rpartition("_b")
        trace, truth = judge.predict(habitat, path, "--by", "kernel")
        copies = sum(row["ms"] for row in truth["by_kernel"] if row["kernel"].startswith(("Memcpy HtoD", "Memcpy DtoH")))
        rows.writerow([loop, batch, tag, *(f"{ms:.4f}" for ms in (trace["iteration_ms"], truth["kernel_ms"], copies))])


def cases(habitat, folder):
    """(loop, batch, tag of the GPU, measured [ms], predicted, copies from the host measured [ms], predicted) of each iteration."""
    with open(folder / "measured.csv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            path = folder / "without_gpu" / f"{row['loop']}_b{row['batch']}.json.gz"
            _, guess = judge.predict(habitat, path, gpu=judge.GPUS[row["gpu"]])
            yield row["loop"], row["batch"], row["gpu"], float(row["iteration_ms"]), guess, float(row["host_copy_ms"]), guess["copy_ms"]


def is_inside(case):
    return case[4]["low_ms"] <= case[3] <= case[4]["high_ms"]


def error(case):
    return case[4]["iteration_ms"] / case[3] - 1


def cells(case):
    said = f"{100 * error(case):+.1f}" + ("" if is_inside(case) else " (outside)")
    return f"{case[3]:.1f} | {case[4]['iteration_ms']:.1f} | {said}"


def sentence(what, some):
    errors = [abs(error(case)) for case in some]
    return f"{what}: {len(some)} iterations, mean error {100 * statistics.fmean(errors):.1f} %, {sum(map(is_inside, some))} inside the interval."


def table(habitat):
    found, again = list(cases(habitat, FOLDER)), list(cases(habitat, AGAIN))
    (texts, after), (more, last) = said_by_the_tool(TOOL), said_by_the_tool(TOOL_AGAIN)
    texts.update(more)
    lines = ["| loop | what it does | batch | H200: measured ms | predicted | error % | H100: measured ms | predicted | error % | copies there: measured ms | predicted |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    for loop, text in texts.items():
        of = {case[2]: case for case in found + again if case[0] == loop}
        h200, h100 = of.get("h200"), of["h100"]
        lines.append(f"| {loop} | {text} | {h100[1]} | {cells(h200) if h200 else ' | | '} | {cells(h100)} | {h100[5]:.2f} | {h100[6]:.2f} |")
    seen, clean = ([case for case in found if (case[0] in after) == later] for later in (False, True))
    mended, newest = ([case for case in again if (case[0] in last) == later] for later in (False, True))
    lines += ["", sentence("Loops that the rules were made beside", seen), sentence("Loops that were written and measured after that", clean),
              sentence("Loops of other kinds (from `mixed` on), whose first look (-12 to +207 %) decisions 626 to 628 mended", mended),
              sentence("Loops that were written and measured after these (from `faces` on); decision 629 came of them", newest)]  # fmt: skip
    return "\n".join(lines)


def said_by_the_tool(tool):
    """The first line of each loop's function by its name, in the tool's order; and which loops came later."""
    tree = ast.parse((ROOT / tool).read_text())
    texts = {f.name: ast.get_docstring(f) for f in tree.body if isinstance(f, ast.FunctionDef)}
    values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    loops = zip(values["STEPS"].keys, values["STEPS"].values)
    after = ast.literal_eval(values["AFTER"]) if "AFTER" in values else ()
    return {key.value: texts[row.elts[0].id].splitlines()[0] for key, row in loops}, after


if __name__ == "__main__":
    judge.measured_or_page(__doc__, FOLDER, measured, lambda habitat, folder: print(table(habitat)))
