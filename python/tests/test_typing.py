"""What a type checker of a user's program sees."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import habitat

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(habitat.__file__).parent

USE = """
import habitat

trace = habitat.Trace("step.json.gz", origin=habitat.Device.H200_SXM5_141GB)
names: list[str] = [p.gpu for p in trace.predict_all("V100")]
with habitat.Trace(b"step.json.gz") as closing:
    page: str = closing.report(["T4", habitat.gpu("L4")])
    shares: dict[str, float] = closing.predict(habitat.gpu("T4"), by="op").coverage
every: habitat.Predictions = trace.predict_all()
fast: list[habitat.Prediction] = sorted(every, key=lambda p: p.iteration_ms)[:3]
few: habitat.Table[habitat.Prediction] = every[:3]
frame = every.to_frame(by="class")
axes = every.plot(top=5)
sms: dict[str, int] = {g.name: g.sm_count for g in habitat.gpus()}
choice: habitat.Choice = habitat.choose([trace, (trace, 2)], prices={"T4": 0.5, habitat.gpu("L4"): 1}, steps=1e5)
best: str | None = choice.recommended
several = habitat.choose(habitat.Trace("a.json", iterations=3), batch=[8, 16], gpu_count=2, precision="tf32", samples=1e6)
how_many: int | None = several.recommended_gpus
of_ranks: habitat.Choice = habitat.choose(habitat.Ranks(["a.json", "b.json"], nvtx_range="step"), gpu_count=(2, 4))
costs: list[float | None] = [row.usd_per_hour for row in choice.ranking]
batches: list[int | None] = [p.batch_size for p in trace.predict_all("T4", batch=[8, 16])]
why: habitat.Explanation = trace.explain("T4")
words: list[str] = [reason["words"] for reason in why.reasons]
times: list[float] = [row["ms"] for row in why.rows]
files: list[str] = [choice.report(), trace.export_timeline("T4", "t4.json")]
answers: habitat.Table[habitat.OperationTime] = habitat.operation("gemm", m=8, n=8, k=8, to=habitat.Device.T4)
try:
    closing.predict("V101")
except habitat.HabitatError as error:
    where: tuple[str, int] = error.status, error.line or 0
slow: int | None = habitat.Ranks(["rank0.json", "rank1.json"]).slow_rank
with habitat.record("step.json.gz"):
    pass
tracker = habitat.OperationTracker(device=habitat.Device.H200_SXM5_141GB)
ms: float = tracker.get_tracked_trace().to_device(habitat.Device.T4).run_time_ms
version: str = habitat.__version__
"""


def run_mypy(files, tmp_path, path=None):
    """Lines of mypy --strict about `files`, for which the package lies in the folder `path`; None: where it is installed."""
    pytest.importorskip("mypy")
    environment = dict(os.environ, MYPY_CACHE_DIR=str(tmp_path.parent / f"mypy{'' if path is None else '-path'}"))
    if path is None and "site-packages" not in PACKAGE.parts:
        path = PACKAGE.parent
    if path is not None:
        environment["MYPYPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *files],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    return [line for line in (done.stdout + done.stderr).splitlines() if line]


def check(program, tmp_path):
    """Lines of mypy --strict about `program`."""
    (tmp_path / "program.py").write_text(program)
    return run_mypy(["program.py"], tmp_path)


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()


PAGES = ["README.md", "docs/guides/python.md", "docs/recording.md"]


def snippets(page):
    found = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert found
    return found


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_the_pages_are_strict(page, tmp_path):
    step = "def train_step() -> None: ...\n" if "train_step" in "".join(snippets(page)) else ""
    assert check(step + "\n".join(snippets(page)), tmp_path) == []


def test_the_whole_package_can_be_used_strictly(tmp_path):
    assert check(USE, tmp_path) == []


def test_the_recorders_calls_are_as_their_types_say():
    """Names, order and defaults of parameters, in the stub and in the code."""
    pytest.importorskip("torch")
    from habitat import recording

    stub = ast.parse((PACKAGE / "recording/__init__.pyi").read_text())
    told = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert sorted(told) == sorted(set(recording.__all__) - {"Device"})
    calls = {name: (node, getattr(recording, name)) for name, node in told.items() if isinstance(node, ast.FunctionDef)}
    for name, node in told.items():
        for part in ast.iter_child_nodes(node):
            if isinstance(node, ast.ClassDef) and isinstance(part, ast.FunctionDef) and not part.decorator_list:
                calls[f"{name}.{part.name}"] = part, getattr(getattr(recording, name), part.name)
    assert {"record", "record_iterations", "OperationTracker.__init__", "TrackedTrace.to_device"} <= set(calls)
    for name, (node, call) in calls.items():
        given = node.args
        defaults = [*given.defaults, *(default for default in given.kw_defaults if default is not None)]
        real = inspect.signature(call).parameters
        assert [one.arg for one in (*given.args, *given.kwonlyargs)] == list(real), name
        assert [one.arg for one in given.kwonlyargs] == [one.name for one in real.values() if one.kind is one.KEYWORD_ONLY], name
        held = [one.default for one in real.values() if one.default is not one.empty]
        assert [ast.literal_eval(default) for default in defaults] == held, name


def test_no_check_is_switched_off():
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    assert len(files) > 30 and [file for file in files if "type: ignore" in file.read_text()] == []


def test_the_whole_package_is_strict_inside(tmp_path):
    """Recorder and measuring, too; PyTorch is Any to it (docs/decisions/0214). Of a copy with an error at the end of every
    module, to see that mypy looks at each: it finds these and no other."""
    sources, wrong = tmp_path / "python", "_of_another_type"
    shutil.copytree(ROOT / "python/habitat", sources / "habitat", ignore=shutil.ignore_patterns("_lib", "__pycache__"))
    modules = [file for file in sources.rglob("*.py") if not file.with_suffix(".pyi").exists()]
    for file in modules:
        file.write_text(f"{file.read_text()}\n{wrong}: int = '{wrong}'\n")
    lines = run_mypy(["--config-file", str(ROOT / "pyproject.toml"), str(sources / "habitat")], tmp_path, sources)
    ends = {f"{os.path.relpath(file, tmp_path)}:{len(file.read_text().splitlines())}" for file in modules}
    assert [line for line in lines if line.partition(": error")[0] not in ends] == []
    assert len(lines) == len(modules) > 38


def test_a_wrong_use_is_found(tmp_path):
    wrong = ["habitat.Trace('a').predict(b'T4')", "habitat.Trase('a')", "habitat.record('a', bach_size=4)", "habitat.choose('a')"]
    lines = check("\n".join(["import habitat", *wrong, ""]), tmp_path)
    assert {line.partition(": error")[0] for line in lines if ": error" in line} == {f"program.py:{2 + i}" for i in range(len(wrong))}
