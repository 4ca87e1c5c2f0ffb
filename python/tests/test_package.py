"""The package over the C library: traces, GPUs, predictions, errors; the command line it brings along."""

import copy
import gzip
import json
import os
import pickle
import re
import statistics
import subprocess
import sys
import tarfile
import time
import warnings
from fractions import Fraction
from importlib import metadata
from pathlib import Path

import pytest

import habitat
import habitat._native

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sys.executable).parent / "habitat")
RESNET = ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz"


@pytest.fixture(scope="module")
def trace():
    return habitat.Trace(RESNET)


def kernel_sum_ms(path):
    document = json.load(gzip.open(path))
    ns = sum(round(e["dur"] * 1000) for e in document["traceEvents"] if e.get("cat") == "kernel")
    return ns / 1e6 / document["habitat"]["profiled_iterations"]


def test_import_needs_no_pytorch():
    code = "import sys, habitat; habitat.Trace; habitat.gpus(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")  # not from a checkout


def test_version_is_that_of_the_repository():
    assert habitat.__version__ == (ROOT / "VERSION").read_text().strip()


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_wheel_holds_the_licences(name):
    held = [f for f in metadata.files("habitat-predict") if f.name == name and ".dist-info" in str(f)]
    assert [f.read_text() for f in held] == [(ROOT / name).read_text()]


def test_source_distribution_holds_all_that_is_built(tmp_path):
    code = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    made = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True, capture_output=True, text=True)
    with tarfile.open(tmp_path / made.stdout.split()[-1]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    folders = ("src/", "lab/", "include/", "cli/", "recorder/", "cmake/", "tools/", "python/habitat/", "data/gpus/", "data/models/")
    needed = {f for f in tracked if f.startswith(folders) or f in ("LICENSE", "NOTICE", "VERSION", "CMakeLists.txt")}
    assert len(needed) > 100 and needed <= held


def test_facts_of_a_trace(trace):
    assert trace.gpu == "H200-SXM5-141GB"
    assert trace.batch_size == 4
    assert trace.kernel_ms == pytest.approx(kernel_sum_ms(RESNET), rel=1e-12)
    noted = json.load(gzip.open(RESNET))["habitat"]
    before_profiler = noted["iteration_ms_all"][: noted["iteration_ms_groups"][0]]
    assert trace.iteration_ms == pytest.approx(statistics.median(before_profiler), rel=1e-12)


def test_prediction_has_names_with_units_and_adds_up(trace):
    p = trace.predict("V100-PCIE-32GB")
    assert p.gpu == "V100-PCIE-32GB" and p.method == "auto"
    assert p.low_ms <= p.iteration_ms <= p.high_ms
    assert p.interval == "calibrated" and "iterations" in p.interval_basis
    assert trace.predict("V100-PCIE-32GB", method="wave").interval == "default"
    assert p.kernel_ms == pytest.approx(sum(c.ms for c in p.by_class), rel=1e-9)
    assert sum(p.coverage.values()) == pytest.approx(1, rel=1e-9)
    assert p.iteration_ms > trace.kernel_ms


def test_the_origin_gives_the_measurement_back(trace):
    assert trace.predict("H200-SXM5-141GB").kernel_ms == trace.kernel_ms


@pytest.mark.parametrize("name, bound", [("resnet50_b64_fp32", "gpu"), ("mobilenet_v2_training_b12_fp16", "cpu")])
def test_samples_per_second_go_by_the_recorded_iteration(name, bound):
    trace = habitat.Trace(ROOT / f"data/recordings/{name}_h200.json.gz")
    origin, other = trace.predict_all(["H200-SXM5-141GB", "T4"])
    assert trace.info["trace"]["bound_by"] == bound
    assert origin.busy_ms < trace.iteration_ms == origin.iteration_ms and origin.low_ms < origin.iteration_ms < origin.high_ms
    assert origin.samples_per_s == pytest.approx(trace.batch_size / trace.iteration_ms * 1e3, rel=1e-12)
    assert other.iteration_ms >= other.busy_ms > 0  # of the replayed iteration
    assert other.samples_per_s == pytest.approx(trace.batch_size / other.iteration_ms * 1e3, rel=1e-12)
    alone = trace.predict("T4", assemble="sum")
    assert alone.iteration_ms == alone.busy_ms == pytest.approx(other.busy_ms, rel=0.01)
    assert (alone.samples_per_s is None) == (bound == "cpu")


def test_a_host_half_as_fast():
    trace = habitat.Trace(ROOT / "data/recordings/transformer_b32_fp32_h100.json.gz")
    as_recorded, slower = (trace.predict("B200-SXM-180GB", cpu_scale=scale) for scale in (1.0, 2.0))
    assert as_recorded.bound_by == slower.bound_by == "cpu"
    assert slower.iteration_ms == pytest.approx(2 * as_recorded.iteration_ms, rel=1e-9)
    with pytest.raises(ValueError, match="assemble"):
        trace.predict("T4", assemble="both")
    with pytest.raises(ValueError, match="cpu_scale"):
        trace.predict("T4", cpu_scale=0)


def test_another_batch_size_and_precision():
    trace = habitat.Trace(ROOT / "data/recordings/resnet50_b16_fp32_h200.json.gz")
    as_recorded, same, four, narrow = (
        trace.predict("H200-SXM5-141GB", assemble="sum", **asked)
        for asked in ({}, {"batch": 16}, {"batch": 64}, {"precision": "amp-bf16"})
    )
    assert same.iteration_ms == as_recorded.iteration_ms
    assert 2.5 < four.iteration_ms / as_recorded.iteration_ms < 4.0
    assert four.samples_per_s == pytest.approx(64 / four.iteration_ms * 1e3, rel=1e-12)
    assert narrow.iteration_ms < 0.5 * as_recorded.iteration_ms
    for wrong in ({"batch": 0}, {"precision": "half"}, {"batch": 8, "by": "op"}):
        with pytest.raises(ValueError):
            trace.predict("T4", **wrong)


def test_devices_of_one_program_are_as_recorded(tmp_path):
    made = subprocess.run([sys.executable, ROOT / "tests/cli/fixtures/two_devices.py", "run"], capture_output=True, check=True)
    (tmp_path / "two.json").write_bytes(made.stdout)
    two = habitat.Trace(tmp_path / "two.json")
    assert two.predict("T4").values["gpus"] == 2
    for count in (1, 2):
        with pytest.raises(habitat.HabitatError, match="of several GPUs already"):
            two.predict("T4", gpu_count=count)


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"batch": 2**64 + 16}, "batch is a whole number from 1 on, not 18446744073709551632"),  # not 16 to C
        ({"batch": True}, "batch is a whole number from 1 on, not True"),
        ({"batch": 16.0}, "batch is a whole number from 1 on, not 16.0"),
        ({"cpu_scale": float("inf")}, "cpu_scale must be more than 0, not inf"),
        ({"cpu_scale": float("nan")}, "cpu_scale must be more than 0, not nan"),
        ({"gpu_count": 2.5}, "gpu_count must be 1 to 65536, not 2.5"),
        ({"gpu_count": 65537}, "gpu_count must be 1 to 65536, not 65537"),
        ({"gpu_count": True}, "gpu_count must be 1 to 65536, not True"),
        ({"gpu_count": "2"}, "gpu_count must be 1 to 65536, not '2'"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_by_every_call(trace, tmp_path, wrong, said):
    calls = [lambda: trace.predict("T4", **wrong), lambda: trace.predict_all(["T4"], **wrong), lambda: trace.report("T4", **wrong)]
    if "batch" not in wrong:
        calls.append(lambda: trace.export_chakra("T4", tmp_path / "out.et", **wrong))
    for call in calls:
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "asked, options",
    [
        ({"batch": 32, "batch_from": "resnet50_b64_fp32_h200"}, "--batch 32 --batch-from data/recordings/resnet50_b64_fp32_h200.json.gz"),
        ({"steps": 1000, "prices": {"T4": 0.25, "V100": 2}}, "--steps 1000 --price T4=0.25 --price V100=2"),
        ({"samples": 5e5, "spot": True, "gpu_count": 2}, "--samples 500000 --spot --gpus 2"),
    ],
)
def test_predictions_are_those_of_the_command_line(asked, options):
    if not Path(COMMAND).exists():
        pytest.skip("the package is not installed in this environment")
    recording = "data/recordings/resnet50_b16_fp32_h200.json.gz"
    command = [COMMAND, "predict", recording, "--to", "T4,V100", *options.split(), "--json"]
    told = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)["predictions"]
    if "batch_from" in asked:
        asked = {**asked, "batch_from": habitat.Trace(ROOT / f"data/recordings/{asked['batch_from']}.json.gz")}
    trace = habitat.Trace(ROOT / recording)
    answers = trace.predict_all(["T4", "V100"], **asked)
    assert [answer.values for answer in answers] == told
    assert [(a.usd_per_hour, a.hours, a.usd) for a in answers] == [(row["usd_per_hour"], row["hours"], row["usd"]) for row in told]
    assert trace.predict("T4", **asked) == answers[0]
    assert "<html" in trace.report("T4", **asked)


def test_several_batch_sizes_are_a_row_each():
    if not Path(COMMAND).exists():
        pytest.skip("the package is not installed in this environment")
    recording = "data/recordings/resnet50_b16_fp32_h200.json.gz"
    command = [COMMAND, "predict", recording, "--to", "T4,V100", "--batch", "8,16,32", "--json"]
    told = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)["predictions"]
    trace = habitat.Trace(ROOT / recording)
    answers = trace.predict_all(["T4", "V100"], batch=[8, 16, 32])
    assert [answer.values for answer in answers] == told and len(answers) == 6
    assert [(a.gpu, a.batch_size) for a in answers] == [(row["gpu"], row["batch_size"]) for row in told]
    assert {a.batch_size for a in answers} == {8, 16, 32} and {a.precision for a in answers} == {"recorded"}
    assert trace.predict("T4", batch=32).values == next(a for a in answers if (a.gpu, a.batch_size) == ("T4", 32)).values
    assert trace.predict_all("T4", batch=(Whole(8), 8))[0].values == trace.predict("T4", batch=8).values
    assert len(trace.predict_all("T4", batch=iter([8, 8, 16]))) == 2
    heads = re.findall('<th scope="col">(.*?)</th>', answers._repr_html_())
    assert heads[:3] == ["GPU", "batch", "iteration, ms"] and ">batch<" not in answers[:1]._repr_html_()
    for answer in answers:  # each row is warned of its own batch size alone
        said = [line for line in answer.warnings if line.startswith("batch size")]
        alone = trace.predict(answer.gpu, batch=answer.batch_size).warnings
        assert said == [line for line in alone if line.startswith("batch size")]
        assert len(said) == (answer.batch_size != 16) and all(f"{answer.batch_size} instead of 16" in line for line in said)
    assert "batch sizes 8, 32 instead of 16" in " ".join(trace.report("T4", batch=[8, 32]).split())
    numbers = trace.predict_all("T4", batch=[8, 16], gpu_count=[1, 2])
    assert [(a.batch_size, a.gpus) for a in numbers] == [(8, 1), (8, 2), (16, 1), (16, 2)]
    assert re.findall('<th scope="col">(.*?)</th>', numbers._repr_html_())[:3] == ["GPU", "GPUs", "batch"]
    for wrong, said in (
        ([8, 0], "batch is a whole number from 1 on, not 0"), ("8", "batch is a whole number from 1 on, not '8'"),
        (b"8", "batch is a whole number from 1 on, not b'8'"), ([], "batch is a number or several, not none"),
        ([8, 2.5], "batch is a whole number from 1 on, not 2.5"),
    ):  # fmt: skip
        with pytest.raises(ValueError) as caught:
            trace.predict_all("T4", batch=wrong)
        assert str(caught.value) == said
    with pytest.raises(ValueError, match=r"batch is a whole number from 1 on, not \[8, 16\]"):  # one row, one number
        trace.predict("T4", batch=[8, 16])
    with pytest.raises(ValueError, match="by shows the recorded iteration; leave out batch and precision"):
        trace.predict_all("T4", batch=[8, 16], by="op")


def test_a_timeline_is_that_of_the_command_line(trace, tmp_path):
    if not Path(COMMAND).exists():
        pytest.skip("the package is not installed in this environment")
    for asked, options in (({}, ""), ({"method": "roofline", "cpu_scale": 2.0}, "--method roofline --cpu-scale 2")):
        file = trace.export_timeline("T4", tmp_path / "t4.json", **asked)
        assert file == str(tmp_path / "t4.json")
        command = [COMMAND, "export", "--timeline", RESNET, "--to", "T4", *options.split()]
        assert Path(file).read_bytes() == subprocess.run(command, capture_output=True, check=True).stdout
    again = habitat.Trace(trace.export_timeline("T4", tmp_path / "again.json"))
    packed = Path(trace.export_timeline("T4", tmp_path / "t4.json.gz")).read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "again.json").read_bytes()
    assert again.gpu == "T4" and again.kernel_ms == pytest.approx(trace.predict("T4").kernel_ms, rel=1e-4)
    shapes = habitat.Trace(ROOT / "tests/cli/fixtures/no_gpu.json")
    again = habitat.Trace(shapes.export_timeline("T4", tmp_path / "shapes.json"))
    assert again.kernel_ms == pytest.approx(shapes.predict("T4").kernel_ms, rel=1e-4)


def test_a_timeline_is_refused(trace, tmp_path):
    copied = tmp_path / "step.json.gz"
    copied.write_bytes(RESNET.read_bytes())
    with pytest.raises(habitat.HabitatError, match="is read by this trace; name another file"):
        habitat.Trace(copied).export_timeline("T4", copied)
    assert copied.read_bytes() == RESNET.read_bytes()
    with pytest.raises(ValueError, match="cpu_scale"):
        trace.export_timeline("T4", tmp_path / "x", cpu_scale=0)
    with pytest.raises(OSError):
        trace.export_timeline("T4", tmp_path / "nowhere" / "x")
    assert not (tmp_path / "x").exists()


class Whole:
    """A whole number of another kind, as numpy's are."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_numbers_of_other_kinds_are_numbers(trace):
    plain = {"steps": 1000, "prices": {"T4": 0.5, "L4": 2}, "cpu_scale": 0.5}
    kinds = {"steps": Fraction(1000), "prices": {"T4": Fraction(1, 2), "L4": Fraction(2)}, "cpu_scale": Fraction(1, 2)}
    assert trace.predict_all(["T4", "L4"], **kinds) == trace.predict_all(["T4", "L4"], **plain)
    for count in ({"batch": 8}, {"gpu_count": 8}):
        assert trace.predict("T4", **{name: Whole(value) for name, value in count.items()}) == trace.predict("T4", **count)


def test_what_is_split_by_has_a_name(trace):
    for call in (trace.predict, trace.predict_all, trace.explain):
        with pytest.raises(ValueError, match='by names what to split by, not ""'):
            call("T4", by="")
        with pytest.raises(habitat.HabitatError, match="layer"):
            call("T4", by="layer")


def test_what_a_training_costs_is_checked(trace):
    for wrong, said in (
        ({"steps": 0}, "steps is a number above 0, not 0"),
        ({"steps": 1, "samples": 1}, "samples does not go with steps; give one"),
        ({"prices": {"T4": -1}}, "the price of T4 is a number above 0, not -1"),
        ({"prices": {"T4": None}}, "the price of T4 is a number above 0, not None"),
        ({"steps": True}, "steps is a number above 0, not True"),
        ({"samples": 10**400}, "samples is a number above 0, not 1000"),
        ({"batch_from": trace}, "batch_from goes with batch, which says what is asked"),
    ):
        for call in (trace.predict, trace.predict_all, trace.report):
            with pytest.raises(ValueError, match=said):
                call("T4", **wrong)
    with pytest.raises(TypeError, match="batch_from is a habitat.Trace, not PosixPath"):
        trace.predict("T4", batch=8, batch_from=RESNET)
    assert "A100: taken as A100-SXM4-80GB" in trace.report("T4", prices={"A100": 1})


def test_torch_finds_nothing_wrong_with_a_timeline(tmp_path):
    validator = pytest.importorskip("torch.profiler._trace_validator")
    for name in ("gnmt_b32_fp32_h200", "bert_b8_amp_fp16_h100", "two_gpus/bert_large_b8_tf32.rank0"):
        out = tmp_path / f"{name.replace('/', '_')}.json"
        recording = ROOT / f"data/recordings/{name}.json.gz"
        subprocess.run([COMMAND, "export", "--timeline", recording, "--to", "T4", "-o", out], check=True)
        passed, violations = validator.validate_trace(str(out))
        assert passed, violations[:5]


def test_all_gpus_in_one_call_equal_single_calls(trace):
    every = trace.predict_all(method="wave")
    assert {p.gpu for p in every} == {g.name for g in habitat.gpus()}
    by_name = {p.gpu: p for p in every}
    for name in ("T4", "A100-SXM4-80GB", "RTX4090"):
        assert trace.predict(name, method="wave").iteration_ms == by_name[name].iteration_ms


def test_aliases_are_resolved_and_said(trace):
    p = trace.predict("V100")
    assert p.gpu.startswith("V100-")
    assert any(warning.startswith("V100: taken as V100-") for warning in p.warnings)


def test_gpus_have_values_with_units():
    h100 = habitat.gpu("NVIDIA H100 80GB HBM3")
    assert h100.name == "H100-SXM5-80GB" and h100.sm_count == 132
    assert h100.memory_bandwidth_bytes_per_s == pytest.approx(3.35e12, rel=0.01)
    assert len(habitat.gpus()) >= 74
    assert habitat.Device.V100_PCIE_32GB.value == "V100-PCIE-32GB"
    assert habitat.Trace(RESNET).predict(habitat.Device.T4).gpu == "T4"


def test_explain_goes_operation_by_operation(trace):
    rows = trace.explain("T4")
    assert rows["prediction"]["gpu"] == "T4"
    assert sum(row["origin_ms"] for row in rows["rows"]) == pytest.approx(
        trace.kernel_ms + rows["trace"]["copy_ms"]
    )


@pytest.mark.parametrize(
    "call, status",
    [
        (lambda t: t.predict("V101"), "HABITAT_E_UNKNOWN_GPU"),
        (lambda t: t.predict("T4", method="magic"), "HABITAT_E_UNKNOWN_METHOD"),
        (lambda t: t.predict("T4", by="colour"), "HABITAT_E_ARG"),
        (lambda t: t.predict_all([]), "HABITAT_E_ARG"),
        (lambda t: habitat.Trace("/nonexistent/trace.json"), "HABITAT_E_IO"),
    ],
)
def test_errors_are_one_exception_with_the_status(trace, call, status):
    with pytest.raises(habitat.HabitatError) as caught:
        call(trace)
    assert caught.value.status == status and str(caught.value)


def test_a_broken_trace_says_where(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_bytes(gzip.open(RESNET).read()[:100_000])
    with pytest.raises(habitat.HabitatError) as caught:
        habitat.Trace(broken)
    assert caught.value.status == "HABITAT_E_PARSE"
    assert str(broken) in str(caught.value) and caught.value.byte is not None


def test_a_gpu_of_ones_own(tmp_path, trace):
    mine = json.loads((ROOT / "data/gpus/T4.json").read_text())
    mine.update(name="MyT4", aliases=[], memory_bandwidth_gb_per_s=300)
    mine.pop("family_aliases", None)
    file = tmp_path / "my.json"
    file.write_text(json.dumps(mine))
    own = habitat.Trace(RESNET, gpu_files=[file])
    assert own.predict("MyT4", method="bandwidth").busy_ms == pytest.approx(
        own.predict("T4", method="bandwidth").busy_ms * 320 / 300, rel=1e-6
    )


def test_the_origin_that_is_named_is_the_gpu():
    named = habitat.Trace(RESNET, origin="H200-NVL-141GB")
    assert named.gpu == "H200-NVL-141GB"
    note = "origin: the recording names H200-SXM5-141GB"
    assert any(line.startswith(note) for line in named.info["warnings"])
    assert any(line.startswith(note) for line in named.predict("T4").warnings)
    assert habitat.Trace(RESNET, origin=habitat.Device.H200_SXM5_141GB).predict("T4").warnings == (
        habitat.Trace(RESNET).predict("T4").warnings
    )


def test_an_origin_that_cannot_be_is_refused():
    with pytest.raises(habitat.HabitatError, match="132 SMs where T4 has 40") as caught:
        habitat.Trace(RESNET, origin="T4")
    assert caught.value.status == "HABITAT_E_ARG"


def test_one_name_is_not_its_letters(trace):
    assert [p.gpu for p in trace.predict_all("T4")] == ["T4"]
    assert [p.gpu for p in trace.predict_all(habitat.gpu("L4"))] == ["L4"]
    assert [p.gpu for p in trace.predict_all(habitat.Device.A30)] == ["A30"]
    for wrong in (b"T4", [b"T4"], 4, [None]):
        with pytest.raises(TypeError):
            trace.predict_all(wrong)


def test_warnings_are_those_of_the_prediction(trace):
    v100, t4, mi300x = trace.predict_all(["V100", "Tesla T4", "MI300X"])
    assert any("V100: taken as" in line for line in v100.warnings)
    assert not any("taken as" in line for line in t4.warnings + mi300x.warnings)
    assert any("another vendor" in line for line in mi300x.warnings)
    assert not any("another vendor" in line for line in v100.warnings + t4.warnings)
    assert t4.warnings == trace.predict("T4").warnings
    assert "V100: taken as V100-SXM2-16GB" in trace.explain("V100")["warnings"]


def test_a_nul_does_not_cut_a_name_short(trace, tmp_path):
    for call in (
        lambda: habitat.gpu("T4\0x"),
        lambda: trace.predict("T4\0x"),
        lambda: trace.predict("T4", method="auto\0x"),
        lambda: trace.predict("T4", by="op\0x"),
        lambda: habitat.Trace(f"{RESNET}\0x"),
        lambda: habitat.Trace(os.fsencode(RESNET) + b"\0x"),
        lambda: habitat.gpus(gpu_files=["a.json\0"]),
    ):
        with pytest.raises(habitat.HabitatError, match="NUL") as caught:
            call()
        assert caught.value.status == "HABITAT_E_ARG" and caught.value.number == 1


def test_errors_travel_between_processes(trace):
    with pytest.raises(habitat.HabitatError) as caught:
        habitat.Trace("/nonexistent/trace.json")
    caught.value.hint = "mine"
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(again) is habitat.HabitatError and str(again) == str(caught.value)
        assert vars(again) == vars(caught.value) and again.status == "HABITAT_E_IO"


def test_an_unknown_gpu_in_a_pool_raises():
    """In a program of its own with a time limit: the fault was to hang for ever."""
    program = f"""
import multiprocessing, habitat
trace = habitat.Trace({str(RESNET)!r})
def ms(name):
    return trace.predict(name, method="wave").iteration_ms
with multiprocessing.get_context("fork").Pool(2) as pool:
    try:
        pool.map(ms, ["T4", "V101", "L4"])
    except habitat.HabitatError as error:
        print(error.status, error.number)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["HABITAT_E_UNKNOWN_GPU", "20"], done.stderr


def test_a_trace_can_be_closed():
    with habitat.Trace(RESNET) as inside:
        prediction = inside.predict("T4")
        assert inside.gpu == "H200-SXM5-141GB"
    assert prediction.iteration_ms > 0 and inside.gpu == "H200-SXM5-141GB"
    for call in (lambda: inside.predict("T4"), lambda: inside.explain("T4"), lambda: inside.predict_all()):
        with pytest.raises(habitat.HabitatError, match="closed"):
            call()
    inside.close()
    never_asked = habitat.Trace(RESNET)
    never_asked.close()
    with pytest.raises(habitat.HabitatError, match="closed"):
        never_asked.gpu


def test_a_broken_file_of_the_users_folder_is_a_warning(tmp_path, monkeypatch):
    folder = tmp_path / "habitat/gpus"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text('{"name": "My-1"')
    os.mkfifo(folder / "pipe.json")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        broken = habitat.Trace(RESNET)
    assert len(caught) == 2 and "mine.json: skipped: line 1: not JSON" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert any("mine.json: skipped" in line for line in broken.predict("T4").warnings)
    with pytest.raises(habitat.HabitatError, match="describes My-1 and was skipped"):
        broken.predict("My-1")


def test_command_line_comes_with_the_package_and_agrees(trace):
    command = Path(sys.executable).parent / "habitat"
    if not command.exists():
        pytest.skip("the package is not installed in this environment")
    out = subprocess.run([command, "predict", RESNET, "--to", "T4", "--json"], check=True, capture_output=True)
    assert json.loads(out.stdout)["predictions"][0]["iteration_ms"] == trace.predict("T4").iteration_ms


@pytest.mark.parametrize(
    "words, sizes, options",
    [
        ("gemm bf16 forward", {"m": 512, "n": 512, "k": 64}, "--m 512 --n 512 --k 64"),
        ("conv2d fp32 backward", {"batch": 8, "c_in": 64, "c_out": 64, "size": 28, "kernel": 3},
         "--batch 8 --in-channels 64 --out-channels 64 --size 28 --kernel 3"),
        ("sum fp32 forward", {"rows": 4096, "columns": 512}, "--rows 4096 --columns 512"),
        ("gemm tf32 backward", {"m": 512, "n": 512, "k": 64}, "--m 512 --n 512 --k 64"),
    ],
)  # fmt: skip
def test_an_operation_is_answered_as_by_the_command_line(words, sizes, options):
    name, dtype, direction = words.split()
    if not Path(COMMAND).exists():
        pytest.skip("the package is not installed in this environment")
    command = [COMMAND, "op", name, "--dtype", dtype, "--pass", direction, *options.split(), "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["predictions"]
    answers = habitat.operation(name, dtype=dtype, direction=direction, **sizes)
    assert len(answers) == len(told) > 70
    for answer, row in zip(answers, told):
        assert (answer.gpu, answer.method, answer.bound) == (row["gpu"], row["method"], row["bound"])
        assert (answer.ms, answer.low_ms, answer.high_ms) == (row["ms"], row["low_ms"], row["high_ms"])
        assert (answer.interval, answer.interval_basis) == (row["interval"], row["interval_basis"])
        assert 0 < answer.low_ms <= answer.ms <= answer.high_ms and answer.reason is None


def test_an_operation_without_an_answer_says_why():
    with pytest.raises(habitat.HabitatError, match="op \"gem\" is no operation"):
        habitat.operation("gem", m=8, n=8, k=8)
    with pytest.raises(habitat.HabitatError, match="no k given"):
        habitat.operation("gemm", m=8, n=8)
    with pytest.raises(habitat.HabitatError, match="unknown GPU"):
        habitat.operation("gemm", to="V101", m=8, n=8, k=8)
    (answer,) = habitat.operation("softmax", to="T4", method="mlp", rows=8, columns=8)
    assert (answer.ms, answer.method) == (None, None)
    assert answer.reason == "method mlp: no model for softmax in fp32 on T4"


def test_two_gpus():
    trace = habitat.Trace(ROOT / "data/recordings/two_gpus/resnet50_b64_tf32_h200.json.gz")
    one, two = (trace.predict("H200-SXM5-141GB", gpu_count=count) for count in (1, 2))
    assert one.iteration_ms == trace.iteration_ms < two.iteration_ms < 1.1 * one.iteration_ms
    assert two.samples_per_s == pytest.approx(2 * trace.batch_size / two.iteration_ms * 1e3, rel=1e-9)
    with pytest.raises(ValueError, match="gpu_count"):
        trace.predict("T4", gpu_count=0)


def test_a_gpu_named_twice_is_answered_once(trace):
    twice = ["V100-SXM2-16GB", "T4", habitat.Device.T4, "V100", "V100", "Tesla T4"]
    predictions = trace.predict_all(twice)
    assert [p.gpu for p in predictions] == ["V100-SXM2-16GB", "T4"]
    assert [line for line in predictions[0].warnings if "taken as" in line] == ["V100: taken as V100-SXM2-16GB"]
    answers = habitat.operation("gemm", m=8, n=8, k=8, to=twice)
    assert [answer.gpu for answer in answers] == ["V100-SXM2-16GB", "T4"]


def without_a_link(folder):
    """A GPU file whose GPU cannot share gradients: no link is known of it."""
    own = json.loads((ROOT / "data/gpus/T4.json").read_text())
    own = {key: value for key, value in own.items() if not key.startswith(("pcie_", "family_"))}
    (folder / "mine.json").write_text(json.dumps({**own, "name": "Mine", "aliases": []}))
    return folder / "mine.json"


def test_a_prediction_has_the_warnings_of_the_whole_answer(tmp_path):
    (tmp_path / "sky.csv").write_text("AcceleratorName,AcceleratorCount,Price\nT4,1,0.3\nNoSuchGPU,1,2\n")
    trace = habitat.Trace(RESNET, gpu_files=without_a_link(tmp_path))
    many = trace.predict("L4", gpu_count=64, prices={"V100": 3})
    assert [line.partition(",")[0] for line in many.warnings if "taken as" in line] == [
        "V100: taken as V100-SXM2-16GB",
        "more than 8 GPUs: taken as hosts of 8",
    ]
    few = trace.predict_all(["V100", "Mine", "MI300X"], gpu_count=2, prices={"V100": 3}, price_files=tmp_path / "sky.csv")
    assert [p.gpu for p in few] == ["V100-SXM2-16GB", "MI300X"]
    for prediction in few:
        assert any(line.startswith("Mine: left out: ") for line in prediction.warnings)
        assert any("NoSuchGPU" in line for line in prediction.warnings)
        assert [line for line in prediction.warnings if "taken as" in line] == ["V100: taken as V100-SXM2-16GB"]
        assert len(set(prediction.warnings)) == len(prediction.warnings)


def test_what_the_gpus_of_an_answer_share_is_said_to_each_of_itself():
    trace = habitat.Trace(ROOT / "data/recordings/bert_b2_amp_bf16_h200.json.gz")
    t4, p100, h100 = trace.predict_all(["T4", "P100-PCIE-16GB", "H100-SXM5-80GB"])
    said_of_units = ((t4, ["no bf16 units on T4"]), (p100, ["no fp16 matrix units on P100-PCIE-16GB", "no bf16 units on P100-PCIE-16GB"]))
    for prediction, said in said_of_units:
        assert [line.partition(":")[0] for line in prediction.warnings if "units" in line] == said
    assert not any("units" in line for line in h100.warnings)
    for prediction, rows in ((t4, 0), (h100, 1)):
        assert [line.partition(" set")[0] for line in prediction.warnings if "by the CPU" in line] == rows * ["1 of 1 rows are"]
        assert prediction == trace.predict(prediction.gpu)


def test_a_name_that_left_open_which_part_is_said_of_an_origin(trace):
    said = "H200: taken as H200-SXM5-141GB"
    named = habitat.Trace(RESNET, origin="H200")
    assert said in named.info["warnings"] and said not in trace.info["warnings"]
    for answer in (named.predict("T4"), *named.predict_all(["H200", "L4"]), pickle.loads(pickle.dumps(named)).predict("T4")):
        assert answer.warnings.count(said) == 1
    assert said in named.explain("T4")["warnings"] and said in named.report("T4")


def test_a_name_that_left_open_which_part_is_said_of_an_operation():
    v100, t4 = habitat.operation("gemm", m=8, n=8, k=8, dtype="fp32", to=["V100", "T4"])
    assert [line for line in v100.warnings if "taken as" in line] == ["V100: taken as V100-SXM2-16GB"]
    assert not any("taken as" in line for line in t4.warnings)


def test_what_is_done_to_the_facts_of_a_trace_stays_outside():
    trace = habitat.Trace(RESNET)
    trace.info["trace"]["gpu"] = "T4"
    trace.info["warnings"].append("mine")
    assert trace.gpu == "H200-SXM5-141GB" and "mine" not in trace.info["warnings"]


@pytest.mark.parametrize("epoch, old", [("4102444800", True), ("1704067200", False)])
def test_an_old_price_says_its_age(trace, monkeypatch, epoch, old):
    """On 2100-01-01 and on 2024-01-01, before any price of the library's."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert ("a price 899 months old" in trace.report(["T4", "L4"])) is old
    assert ("months old" in trace.report(["T4", "L4"])) is old


@pytest.mark.parametrize("epoch", ["tomorrow", "-1", "253402300800", ""])
def test_what_names_no_day_is_today(monkeypatch, epoch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    before = time.strftime("%Y-%m-%d", time.gmtime()).encode()
    assert before <= habitat._native.today() <= time.strftime("%Y-%m-%d", time.gmtime()).encode()
