"""What notebooks need: frames, HTML, charts, and objects that travel between processes."""

import copy
import gzip
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import types
from html.parser import HTMLParser
from pathlib import Path

import pytest

import habitat
from habitat.recording import RecordError
from habitat.recording.tracker import TrackedTrace

ROOT = Path(__file__).resolve().parents[2]
RESNET = ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz"
NO_GPU = ROOT / "tests/cli/fixtures/no_gpu.json"
HOSTILE = "<script>alert('$x$')</script>&\""


@pytest.fixture(scope="module")
def trace():
    return habitat.Trace(RESNET)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A GPU and a recording whose names hold what HTML and matplotlib would read as their own."""
    folder = tmp_path_factory.mktemp("<b>hostile")
    gpu = json.loads((ROOT / "data/gpus/T4.json").read_text())
    gpu.update(name=HOSTILE, aliases=[])
    gpu.pop("family_aliases", None)
    (folder / "gpu.json").write_text(json.dumps(gpu))
    recording = json.loads(gzip.open(RESNET).read())
    recording["habitat"]["model"] = HOSTILE
    for event in recording["traceEvents"]:
        if event.get("name") == "aten::convolution_backward":
            event["name"] = HOSTILE
    (folder / "step.json").write_text(json.dumps(recording))
    return habitat.Trace(folder / "step.json", gpu_files=[folder / "gpu.json"])


class Frame:
    """In the place of pandas.DataFrame: what it was made from."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def column(self, name):
        return [row.get(name) for row in self.rows]


@pytest.fixture
def pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Frame))


class Tags(HTMLParser):
    """Tags and text of HTML; each tag that is opened is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert all(name == "scope" for name, _ in attrs)
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def table_of(html):
    """Rows of the first table: cells as text."""
    first = html[: html.index("</table>")]
    rows = re.findall(r"<tr>(.*?)</tr>", first)
    return [Tags(row).text for row in rows]


def numbers_without_unit(frame):
    units = ("ms", "bytes", "s", "usd", "j", "kwh", "hz", "nm", "w", "mhz", "bits", "share", "hours", "iterations", "hour")
    counts = {"ratio", "gpus", "batch_size", "calibrated_operations", "largest_batch", "calls", "kernels", "flop"}
    counts |= {"sm_count", "fp32_lanes_per_sm", "dies_per_board", "pcie_generation", "pcie_lanes"}
    held = {
        name for row in frame.rows for name, value in row.items() if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    return {name for name in held if name not in counts and name.rpartition("_")[2] not in units}


# ---- frames ----


def test_a_frame_has_a_row_a_gpu_and_units_in_its_columns(trace, pandas):
    predictions = trace.predict_all(["T4", "V100"])
    frame = predictions.to_frame()
    assert frame.column("gpu") == ["T4", "V100-SXM2-16GB"]
    assert frame.column("iteration_ms") == [p.iteration_ms for p in predictions]
    assert frame.column("interval") == ["calibrated", "calibrated"]
    assert "V100: taken as V100-SXM2-16GB" in frame.column("warnings")[1]
    assert "coverage" not in frame.columns and "by_class" not in frame.columns
    assert numbers_without_unit(frame) == set()
    one = predictions[0].to_frame()
    assert one.rows == frame.rows[:1]


def test_a_frame_by_class_and_by_operation(trace, pandas):
    both = trace.predict_all(["T4", "L4"])
    frame = both.to_frame(by="class")
    assert frame.columns == ["gpu", "class", "origin_ms", "ms"]
    for p in both:
        assert math.fsum(row["ms"] for row in frame.rows if row["gpu"] == p.gpu) == pytest.approx(p.kernel_ms, rel=1e-9)
    frame = trace.predict("T4", by="op").to_frame(by="op")
    assert frame.columns[:3] == ["gpu", "op", "shape"] and numbers_without_unit(frame) == set()
    with pytest.raises(ValueError, match=r"not split by 'op'; ask with predict\(gpu, by='op'\)"):
        both.to_frame(by="op")


def test_frames_of_gpus_and_operations(pandas):
    gpus = habitat.gpus()
    assert gpus.to_frame().column("name") == [g.name for g in gpus]
    assert numbers_without_unit(gpus.to_frame()) == set()
    answers = habitat.operation("gemm", m=64, n=64, k=64, to=["T4", "L4"])
    assert answers.to_frame().column("ms") == [answer.ms for answer in answers]
    assert numbers_without_unit(answers.to_frame()) == set()


def test_part_of_a_table_is_a_table(trace, pandas):
    every = trace.predict_all(["T4", "L4", "A30"])
    assert type(every[1:]) is habitat.Predictions and every[1:].to_frame().column("gpu") == ["L4", "A30"]
    assert isinstance(every, list) and every == list(every) and every[-1].gpu == "A30"
    assert type(habitat.gpus()[:3]) is habitat.Table


@pytest.mark.parametrize("package", ["pandas", "matplotlib"])
def test_without_the_package_it_is_named(trace, monkeypatch, package):
    for name in (package, "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    predictions = trace.predict_all(["T4"])
    call = predictions.to_frame if package == "pandas" else predictions.plot
    with pytest.raises(ImportError, match=rf"{call.__name__}\(\) needs {package} .*; run `pip install {package}`"):
        call()
    assert "T4" in predictions._repr_html_()


def test_neither_package_is_imported_before_it_is_asked_for():
    code = (
        f"import sys, habitat; p = habitat.Trace({str(RESNET)!r}).predict_all(['T4']); p._repr_html_();"
        "assert not {'pandas', 'matplotlib', 'torch', 'IPython'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pandas_itself_takes_the_rows(trace):
    pandas = pytest.importorskip("pandas")
    frame = trace.predict_all(["T4", "MI300X"]).to_frame()
    assert isinstance(frame, pandas.DataFrame) and frame.iteration_ms.dtype == float
    assert trace.predict_all(["T4"])[:0].to_frame().empty


# ---- HTML ----


def test_html_of_predictions(trace):
    html = trace.predict_all(["T4", "MI300X"])._repr_html_()
    head, t4, mi300x = table_of(html)
    assert head[:3] == ["GPU", "iteration, ms", "80 % interval, ms"]
    t4_told = trace.predict("T4")
    assert t4[:2] == ["T4", f"{t4_told.iteration_ms:.4g}"] and "~" not in t4[2]
    assert mi300x[0] == "MI300X" and mi300x[2].endswith(" ~")
    assert "another vendor" in html


def test_html_of_many_shows_the_fastest_and_says_so():
    every = habitat.Trace(ROOT / "data/recordings/resnet50_b64_fp32_h200.json.gz").predict_all()
    rows = table_of(every._repr_html_())
    checked = [p for p in every if p.interval == "calibrated"]
    assert any(p not in checked for p in sorted(every, key=lambda p: p.iteration_ms)[:20])
    assert [row[0] for row in rows[1:]] == [p.gpu for p in sorted(checked, key=lambda p: p.iteration_ms)[:20]]
    assert f"20 of {len(every)}: the fastest, calibrated ones first; to_frame() has all" in every._repr_html_()
    assert f"20 of {len(every)}: the first; to_frame() has all" in habitat.gpus()._repr_html_()
    assert len(every._repr_html_()) < 10_000
    assert every[:0]._repr_html_() == "<p>nothing</p>"


def test_html_of_one_prediction_and_of_a_trace(trace):
    p = trace.predict("T4", batch=8)
    facts = dict(row for row in table_of(p._repr_html_()) if len(row) == 2)
    assert facts["GPU"] == "T4" and facts["fits"] == "yes" and facts["batch"] == "8"
    assert facts["iteration, ms"] == f"{p.iteration_ms:.4g}"
    about = dict(table_of(trace._repr_html_()))
    assert about["recorded on"] == "H200-SXM5-141GB" and about["iteration, ms"] == "18.34"
    assert about["recording"] == str(RESNET) and repr(trace) == f"habitat.Trace({str(RESNET)!r})"


def test_html_of_a_closed_trace_says_so():
    closed = habitat.Trace(RESNET)
    closed.close()
    assert "the trace is closed" in closed._repr_html_()


def test_html_of_a_recording_without_a_gpu():
    trace = habitat.Trace(NO_GPU)
    Tags(trace._repr_html_())
    assert table_of(trace.predict_all(["T4"])._repr_html_())[1][0] == "T4"
    Tags(trace.predict("T4")._repr_html_())


def test_names_are_escaped(hostile):
    p = hostile.predict(HOSTILE)
    pieces = [
        hostile._repr_html_(), p._repr_html_(), habitat.Predictions([p])._repr_html_(),
        habitat.Table([habitat.gpu(HOSTILE, gpu_files=hostile._files)])._repr_html_(),
        habitat.operation("gemm", m=8, n=8, k=8, to=HOSTILE, gpu_files=hostile._files)._repr_html_(),
    ]  # fmt: skip
    allowed = {"table", "thead", "tbody", "tr", "th", "td", "p", "ul", "li"}
    for html in pieces:
        found = Tags(html)
        assert set(found.tags) <= allowed
        assert HOSTILE in "".join(found.text)


# ---- charts ----


class Axes:
    """In the place of matplotlib's: notes what is called."""

    def __init__(self):
        self.calls = {}

    def __getattr__(self, name):
        def note(*arguments, **named):
            self.calls.setdefault(name, []).append((arguments, named))
            return [types.SimpleNamespace(set_alpha=lambda alpha: self.alphas.append(alpha)) for _ in arguments[0]] if name == "barh" else None

        if name == "alphas":
            self.alphas = []
            return self.alphas
        return note


def test_a_chart_of_times(trace, hostile):
    every = trace.predict_all(["T4", "MI300X", "L4"])
    axes = Axes()
    assert every.plot(axes, top=2) is axes
    (_, times), named = axes.calls["barh"][0]
    fastest = sorted((p for p in every if p.gpu != "MI300X"), key=lambda p: p.iteration_ms)
    assert min(every, key=lambda p: p.iteration_ms).gpu == "MI300X"  # which nobody measured
    assert times == [p.iteration_ms for p in fastest]
    assert named["xerr"] == [[p.iteration_ms - p.low_ms for p in fastest], [p.high_ms - p.iteration_ms for p in fastest]]
    assert axes.alphas == [1.0, 1.0]
    assert axes.calls["set_yticks"][0][0][1] == [p.gpu for p in fastest]
    axes = Axes()
    every.plot(axes)
    assert axes.alphas == [0.4, 1.0, 1.0]
    axes = Axes()
    habitat.Predictions([hostile.predict(HOSTILE)]).plot(axes)
    assert axes.calls["set_yticks"][0][0][1] == [HOSTILE.replace("$", r"\$")]
    axes = Axes()
    trace.predict_all("T4", batch=[8, 4]).plot(axes)  # a shorter one of a smaller batch
    assert axes.calls["set_yticks"][0][0][1] == ["T4, batch 4", "T4, batch 8"]
    with pytest.raises(ValueError, match="top"):
        every.plot(Axes(), top=0)


def test_a_chart_of_costs():
    choice = habitat.choose(habitat.Trace(RESNET), other_vendors=True, objective="time")
    axes = Axes()
    assert choice.plot(axes) is axes
    (times, costs), _ = axes.calls["scatter"][0]
    priced = [row for row in choice.ranking if row.usd_per_1000_iterations is not None]
    assert 0 < len(priced) < len(choice.ranking)
    assert (times, costs) == ([row.iteration_ms for row in priced], [row.usd_per_1000_iterations for row in priced])
    (front, _), _ = axes.calls["plot"][0]
    assert front == sorted(row.iteration_ms for row in priced if row.pareto)
    assert {arguments[0] for arguments, _ in axes.calls["annotate"]} >= {row.gpu for row in priced if row.pareto}


def test_html_of_a_choice(hostile):
    choice = habitat.choose(hostile, gpus=[HOSTILE, "L4", "T4"], prices={HOSTILE: 0.01, "L4": 1})
    assert choice.recommended == HOSTILE
    found = Tags(choice._repr_html_())
    assert set(found.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "p", "ul", "li"}
    assert found.text[0] == choice.reason and HOSTILE in choice.reason
    assert [row[0] for row in table_of(choice._repr_html_())[1:]] == [row.gpu for row in choice.ranking]


def test_html_of_a_long_choice_says_of_how_many(trace):
    choice = habitat.choose(trace, objective="time")
    found = table_of(choice._repr_html_())[1:]
    assert [row[0] for row in found] == [row.gpu for row in choice.ranking[:20]]
    assert f"20 of {len(choice.ranking)}: the first; to_frame() has all" in Tags(choice._repr_html_()).text
    some = habitat.choose(trace, objective="time", gpus=[row.gpu for row in choice.ranking[:12]])
    assert len(table_of(some._repr_html_())) == 1 + 12


def test_frames_of_a_choice(trace, pandas):
    choice = habitat.choose(trace, steps=1000)
    assert choice.to_frame().column("gpu") == [row.gpu for row in choice.ranking]
    assert numbers_without_unit(choice.to_frame()) == {"value", "low", "high"}  # of the objective, in its unit
    assert choice.excluded.to_frame().columns == ["gpu", "reason", "batch_size", "gpus"]


def test_matplotlib_itself_draws_it(hostile, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = hostile.predict_all([HOSTILE, "L4"]).plot()
    axes.figure.savefig(tmp_path / "times.png")
    habitat.choose(hostile, prices={HOSTILE: 0.01}).plot().figure.savefig(tmp_path / "costs.png")
    assert HOSTILE in [label.get_text().replace(r"\$", "$") for label in axes.get_yticklabels()]


# ---- pickle ----


def travelled(thing):
    return pickle.loads(pickle.dumps(thing))


def test_what_is_public_can_be_pickled(trace):
    prediction = trace.predict("T4", by="op")
    answers = habitat.operation("gemm", m=8, n=8, k=8, to="T4")
    for thing in (prediction, prediction.by_class[0], trace.predict_all(["T4", "L4"]), answers, answers[0], habitat.gpu("T4"), habitat.gpus()[:2]):
        again = travelled(thing)
        assert type(again) is type(thing) and again == thing
    assert travelled(prediction).values == prediction.values and travelled(habitat.gpu("T4")).values == habitat.gpu("T4").values
    assert travelled(habitat.Device.T4) is habitat.Device.T4
    error = travelled(RecordError("train.py", "no step", 3))
    assert (str(error), error.where, error.what, error.code) == ("train.py: no step", "train.py", "no step", 3)


def test_the_papers_interface_travels_too(trace):
    tracker = habitat.OperationTracker(device=habitat.Device.H200_SXM5_141GB)
    tracked = TrackedTrace(RESNET, habitat.Device.H200_SXM5_141GB, tracker)
    again = travelled(tracked)
    assert again.device is habitat.Device.H200_SXM5_141GB
    predicted = travelled(again.to_device(habitat.Device.T4))
    assert predicted.run_time_ms == trace.predict("T4").iteration_ms and predicted.device is habitat.Device.T4
    for call in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="an OperationTracker cannot be pickled or copied.*get_tracked_trace"):
            call(tracker)


@pytest.mark.parametrize("duplicate", [travelled, copy.copy, copy.deepcopy])
def test_a_trace_can_be_pickled(duplicate, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    shutil.copy(ROOT / "data/gpus/T4.json", tmp_path / "T4.json")
    one = habitat.Trace(RESNET.relative_to(ROOT), origin="H200-NVL-141GB", gpu_files=iter([tmp_path / "T4.json"]))
    one.note = "mine"
    held = pickle.dumps(one)
    monkeypatch.chdir("/")
    again = pickle.loads(held) if duplicate is travelled else duplicate(one)
    assert again.path == one.path and again.gpu == "H200-NVL-141GB" and again.note == "mine"
    assert again.predict("T4") == one.predict("T4")
    one.close()
    assert again.predict("L4").iteration_ms > 0
    assert travelled(again).predict("L4") == again.predict("L4")


def test_a_trace_whose_files_changed_is_refused(tmp_path):
    recording, gpu = tmp_path / "step.json.gz", tmp_path / "mine.json"
    shutil.copy(RESNET, recording)
    shutil.copy(ROOT / "data/gpus/T4.json", gpu)
    held = pickle.dumps(habitat.Trace(recording, gpu_files=gpu))
    assert pickle.loads(held).predict("T4").iteration_ms > 0
    gpu.write_text(gpu.read_text().replace("320", "321"))
    with pytest.raises(habitat.HabitatError, match="files of GPUs have changed since this was pickled") as caught:
        pickle.loads(held)
    assert caught.value.status == "HABITAT_E_ARG" and caught.value.file == str(recording)
    opened = habitat.Trace(recording, gpu_files=gpu)
    held = pickle.dumps(opened)
    shutil.copy(ROOT / "data/recordings/resnet50_b16_fp32_h200.json.gz", recording)
    with pytest.raises(habitat.HabitatError, match="the file has changed since this was pickled"):
        pickle.loads(held)
    with pytest.raises(habitat.HabitatError, match="the file has changed since it was read"):
        pickle.dumps(opened)
    recording.unlink()
    with pytest.raises(habitat.HabitatError) as caught:
        pickle.loads(held)
    assert caught.value.status == "HABITAT_E_IO"
    with pytest.raises(habitat.HabitatError, match="the file has changed since it was read"):
        pickle.dumps(opened)


def test_recorded_ranks_can_be_pickled():
    ranks = habitat.Ranks([ROOT / f"tests/cli/fixtures/rank{rank}.json" for rank in (0, 1)])
    again = travelled(ranks)
    assert again.paths == ranks.paths and again.predict("T4") == ranks.predict("T4") and again.slow_rank == 1
    ranks.close()
    with pytest.raises(habitat.HabitatError, match="closed"):
        pickle.dumps(ranks)


def test_a_gpu_of_the_users_folder_counts_too(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    held = pickle.dumps(habitat.Trace(RESNET))
    (tmp_path / "habitat/gpus").mkdir(parents=True)
    shutil.copy(ROOT / "data/gpus/T4.json", tmp_path / "habitat/gpus/T4.json")
    with pytest.raises(habitat.HabitatError, match="files of GPUs have changed"):
        pickle.loads(held)


def test_what_cannot_be_read_again_is_not_pickled(tmp_path):
    closed = habitat.Trace(RESNET)
    closed.info
    closed.close()
    with pytest.raises(habitat.HabitatError, match="the trace is closed"):
        pickle.dumps(closed)
    reader, writer = os.pipe()
    try:
        os.write(writer, (ROOT / "data/gpus/T4.json").read_bytes())
        os.close(writer)
        piped = habitat.Trace(RESNET, gpu_files=f"/dev/fd/{reader}")
        with pytest.raises(habitat.HabitatError, match="is no regular file"):
            pickle.dumps(piped)
    finally:
        os.close(reader)


def test_a_pool_of_spawned_processes(tmp_path):
    """In a program of its own with a time limit: processes that hang must not hang the tests."""
    program = tmp_path / "pool.py"
    program.write_text(f"""
import multiprocessing, habitat
if __name__ == "__main__":
    trace = habitat.Trace({str(RESNET)!r})
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        far = pool.map(trace.predict, ["T4", "L4"])
        assert far == list(trace.predict_all(["T4", "L4"]))
        try:
            pool.map(trace.predict, ["V101"])
        except habitat.HabitatError as error:
            print(error.status)
""")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["HABITAT_E_UNKNOWN_GPU"], done.stderr
