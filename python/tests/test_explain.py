"""`Trace.explain()`: the dict it always was, with types, a frame, and HTML."""

import copy
import gzip
import json
import pickle
import subprocess
import sys
import types
from pathlib import Path

import pytest

import habitat

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).parent / "habitat"
RESNET = ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz"
NO_GPU = ROOT / "tests/cli/fixtures/no_gpu.json"
SPLITS = ["op", "kernel", "class", "module"]


@pytest.fixture(scope="module")
def trace():
    return habitat.Trace(RESNET)


@pytest.mark.parametrize("by", [None, *SPLITS])
def test_it_is_the_json_of_the_command_line(trace, by):
    if not COMMAND.exists():
        pytest.skip("the package is not installed in this environment")
    options = [] if by is None else ["--by", by]
    done = subprocess.run([COMMAND, "explain", RESNET, "--to", "T4", *options, "--json"], capture_output=True, check=True)
    told = json.loads(done.stdout)
    answer = trace.explain("T4", by=by)
    assert isinstance(answer, dict) and answer == told and json.loads(json.dumps(answer)) == told
    assert (answer.gpu, answer.reasons, answer.rows) == ("T4", told["reasons"], told["rows"])
    assert answer.warnings == told["warnings"]


def test_the_types_name_the_keys_that_there_are(trace):
    rows = [row for by in SPLITS for row in trace.explain("T4", by=by).rows]
    assert {key for row in rows for key in row} == set(habitat.ExplainedRow.__annotations__)
    assert {key for one in trace.explain("T4").reasons for key in one} == set(habitat.Reason.__annotations__)


def test_it_travels_between_processes(trace):
    answer = trace.explain("T4")
    for again in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert type(again) is habitat.Explanation and again == answer and again.rows == answer.rows


@pytest.mark.parametrize("by", SPLITS)
def test_a_frame_has_a_row_each(trace, monkeypatch, by):
    made = []
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=lambda rows, columns: made.append((rows, columns))))
    answer = trace.explain("T4", by=by)
    answer.to_frame()
    ((rows, columns),) = made
    assert rows == [{"gpu": "T4", **row} for row in answer["rows"]] and columns[:2] == ["gpu", by]
    assert {"origin_ms", "ms", "low_ms", "high_ms", "method", "bound"} <= set(columns)


@pytest.mark.parametrize("by", SPLITS)
def test_html_shows_what_takes_longest_and_why(trace, by):
    answer = trace.explain("T4", by=by)
    html = answer._repr_html_()
    head = html[html.rindex("<thead>") : html.rindex("</thead>")]
    assert head.startswith(f'<thead><tr><th scope="col">{by}</th>')
    assert html.rpartition("<tbody>")[2].count("<tr>") == min(20, len(answer.rows))
    assert (f"<p>20 of {len(answer.rows)}: those that take longest; to_frame() has all</p>" in html) == (len(answer.rows) > 20)
    assert len(answer.reasons) == 3 and all(f"<li>{one['what']}: " in html for one in answer.reasons)
    assert "H200-SXM5-141GB" in html and len(html) < 20_000


def test_html_of_a_recording_without_a_gpu_and_of_hostile_names(tmp_path):
    assert "destination, ms" in habitat.Trace(NO_GPU).explain("T4")._repr_html_()
    recording = json.loads(gzip.open(RESNET).read())
    for event in recording["traceEvents"]:
        if event.get("name") == "aten::convolution_backward":
            event["name"] = "<script>alert(1)</script>"
    (tmp_path / "step.json").write_text(json.dumps(recording))
    html = habitat.Trace(tmp_path / "step.json").explain("T4")._repr_html_()
    assert "&lt;script&gt;" in html and "<script" not in html
