"""`habitat.choose()`: the answer of `habitat choose`, from Python."""

import copy
import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import habitat

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).parent / "habitat"
LLAMA = ROOT / "data/recordings/llama_b4_bf16_h200.json.gz"
RESNET = ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz"
NO_GPU = ROOT / "tests/cli/fixtures/no_gpu.json"


@pytest.fixture(scope="module")
def llama():
    return habitat.Trace(LLAMA)


@pytest.mark.parametrize(
    "asked, options",
    [
        ({}, ""),
        ({"objective": "time", "max_usd_per_hour": 2}, "--objective time --max-usd-hour 2"),
        ({"objective": "energy", "other_vendors": True}, "--objective energy --vendor any"),
        ({"steps": 100000, "deadline_hours": 4, "must_fit": True}, "--steps 100000 --deadline 4h --must-fit"),
        ({"vendor": "amd", "objective": "time"}, "--vendor amd --objective time"),
        ({"vendor": "any", "objective": "energy"}, "--vendor any --objective energy"),
        ({"vendor": "NVIDIA", "gpus": ["MI300X", "T4"]}, "--vendor NVIDIA --to MI300X,T4"),
        ({"samples": 1e6, "spot": True}, "--samples 1000000 --spot"),
        ({"gpus": ["L40S", "MI300X", "V100"], "prices": {"L40S": 0.5}}, "--to L40S,MI300X,V100 --price L40S=0.5"),
        ({"gpus": "T4", "method": "roofline", "assemble": "sum"}, "--to T4 --method roofline --assemble sum"),
        ({"cpu_scale": 2.0, "prices": {"A100": 1.0}}, "--cpu-scale 2 --price A100=1"),
        ({"batch": [4, 16], "gpus": ["T4", "L4"], "samples": 1e5}, "--batch 4,16 --to T4,L4 --samples 100000"),
        ({"batch": 16, "precision": "amp-fp16", "gpus": "T4"}, "--batch 16 --precision amp-fp16 --to T4"),
        ({"gpu_count": (1, 2, 4, 2), "gpus": ["T4", "L4"]}, "--gpus 1,2,4 --to T4,L4"),
        ({"gpu_count": 2, "batch": iter([4, 8]), "gpus": "T4"}, "--gpus 2 --batch 4,8 --to T4"),
    ],
)
def test_it_answers_as_the_command_line(asked, options):
    if not COMMAND.exists():
        pytest.skip("the package is not installed in this environment")
    done = subprocess.run([COMMAND, "choose", RESNET, *options.split(), "--json"], capture_output=True, text=True, check=True)
    assert habitat.choose(habitat.Trace(RESNET), **asked).values == json.loads(done.stdout)


def test_several_recordings_with_weights(llama):
    resnet = habitat.Trace(RESNET)
    often, seldom = (habitat.choose([(llama, weight), resnet], gpus=["L4", "T4"], objective="time") for weight in (9, 0.5))
    assert [one["weight"] for one in often.values["traces"]] == [0.9, 0.1]
    for choice, weight in ((often, 9), (seldom, 0.5)):
        for row in choice.ranking:
            mean = (weight * llama.predict(row.gpu).iteration_ms + resnet.predict(row.gpu).iteration_ms) / (weight + 1)
            assert row.iteration_ms == pytest.approx(mean, rel=1e-9)


def test_what_is_chosen_is_said_in_words_and_rows(llama):
    choice = habitat.choose(llama, steps=100000)
    first = choice.ranking[0]
    assert choice.recommended == first.gpu and choice.reason.startswith(first.gpu) or first.gpu in choice.reason
    assert first.value == min(row.value for row in choice.ranking) == first.usd_per_1000_iterations
    assert first.usd == pytest.approx(first.usd_per_1000_iterations * 100, rel=1e-9)
    assert first.hours == pytest.approx(first.iteration_ms * 100000 / 3.6e6, rel=1e-9)
    assert {row.gpu for row in choice.ranking if row.pareto} == set(choice.pareto)
    assert len(choice.ranking) + len(choice.excluded) == len(habitat.gpus())
    assert [row.bound_by for row in choice.ranking] == [row["bound_by"] for row in choice.values["ranking"]]
    assert {row.bound_by for row in choice.ranking} <= {"gpu", "cpu", None} != {None}
    again = pickle.loads(pickle.dumps(choice))
    assert again == choice and again.values == choice.values


def test_that_nothing_can_be_taken_is_no_error(llama):
    choice = habitat.choose(llama, max_usd_per_hour=0.01)
    assert choice.recommended is None and len(choice.ranking) == 0 and choice.reason
    assert "cannot be taken" in choice._repr_html_() and choice.reason in choice._repr_html_()


def test_a_recording_without_a_gpu():
    choice = habitat.choose(habitat.Trace(NO_GPU), gpus=["T4", "V100"])
    assert choice.recommended in ("T4", "V100-SXM2-16GB") and choice.values["traces"][0]["gpu"] is None


def test_several_batch_sizes_and_numbers_are_compared_by_the_sample(llama):
    trace = habitat.Trace(RESNET)
    prices = {"T4": 0.36, "L4": 0.72}
    choice = habitat.choose(trace, gpus=["T4", "L4"], batch=[4, 32], gpu_count=[1, 2], prices=prices, samples=1e6)
    assert choice.per == "sample" and len(choice.ranking) == 8 and choice.samples == 1e6 and choice.steps is None
    assert (choice.recommended, choice.recommended_batch_size, choice.recommended_gpus) == (
        choice.ranking[0].gpu, choice.ranking[0].batch_size, choice.ranking[0].gpus,
    )  # fmt: skip
    for row in choice.ranking:
        alone = trace.predict(row.gpu, batch=row.batch_size, gpu_count=row.gpus, prices=prices, samples=1e6)
        assert row.iteration_ms == alone.iteration_ms and row.usd == alone.usd and row.samples_per_s == alone.samples_per_s
        assert row.usd_per_hour == prices[row.gpu] * row.gpus
        dollars = row.usd_per_hour / 3.6e6 * row.iteration_ms / (row.batch_size * row.gpus) * 1e6
        assert row.value == pytest.approx(dollars, rel=1e-9)
    assert [row.value for row in choice.ranking] == sorted(row.value for row in choice.ranking)
    assert ">batch<" in choice._repr_html_() and pickle.loads(pickle.dumps(choice)) == choice
    late = habitat.choose(trace, gpus=["T4"], batch=[4, 32], prices=prices, samples=1e6, deadline_hours=1e-6)
    assert [(row.batch_size, row.gpus) for row in late.excluded] == [(4, 1), (32, 1)]
    assert habitat.choose(llama, gpus="T4").per == "iteration"


def test_a_second_recording_tells_what_changes_with_the_batch():
    four, other = habitat.Trace(RESNET), habitat.Trace(ROOT / "data/recordings/resnet50_b16_fp32_h200.json.gz")
    choice = habitat.choose(four, gpus="T4", batch=64, batch_from=other, objective="time")
    assert choice.ranking[0].iteration_ms == four.predict("T4", batch=64, batch_from=other).iteration_ms
    with pytest.raises(ValueError, match="batch_from goes with batch"):
        habitat.choose(four, batch_from=other)
    with pytest.raises(ValueError, match="give one trace"):
        habitat.choose([four, other], batch=8, batch_from=other)


def test_recorded_ranks():
    files = [ROOT / f"data/recordings/two_gpus/resnet50_b64_tf32.rank{rank}.json.gz" for rank in range(2)]
    choice = habitat.choose(habitat.Ranks(files), gpus=["A100", "H200"], gpu_count=[2, 4], objective="time")
    assert sorted((row.gpu, row.gpus) for row in choice.ranking) == [
        ("A100-SXM4-80GB", 2), ("A100-SXM4-80GB", 4), ("H200-SXM5-141GB", 2), ("H200-SXM5-141GB", 4),
    ]  # fmt: skip
    assert choice.recommended_gpus in (2, 4)


def steps(file):
    """Four equal steps in ranges that are called "step"; nothing else says how many there are."""
    events = []
    for i in range(1, 5):
        about = {"ph": "X", "pid": 1, "tid": 1}
        events.append({**about, "cat": "user_annotation", "name": "step", "ts": 10 * i, "dur": 9})
        launch = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 10 * i + 2, "dur": 1, "args": {"correlation": i}}
        events.append({**about, **launch})
        args = {"device": 0, "stream": 7, "correlation": i}
        events.append({**about, "pid": 0, "cat": "kernel", "name": "gemm", "ts": 100 * i, "dur": 40, "args": args})
    file.write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "Tesla T4"}], "traceEvents": events}))
    return file


def test_what_of_a_trace_is_an_iteration(tmp_path):
    file = steps(tmp_path / "plain.json")
    whole = habitat.Trace(file).predict("T4", assemble="sum").iteration_ms
    for how in ({"iterations": 4}, {"nvtx_range": "step"}):
        trace = habitat.Trace(file, **how)
        assert trace.predict("T4", assemble="sum").iteration_ms == pytest.approx(whole / 4, rel=1e-9)
        assert habitat.choose(trace, gpus="T4", assemble="sum", objective="time").ranking[0].value == pytest.approx(whole / 4)
        again = pickle.loads(pickle.dumps(trace))
        assert again.info["trace"]["iterations"] == trace.info["trace"]["iterations"] == 4
    with pytest.raises(ValueError, match="iterations does not go with nvtx_range"):
        habitat.Trace(file, iterations=4, nvtx_range="step")
    for wrong in (0, True, "4", 2.5):
        with pytest.raises(ValueError, match="iterations is a whole number from 1 on"):
            habitat.Trace(file, iterations=wrong)
    with pytest.raises(ValueError, match="nvtx_range is the name of a range"):
        habitat.Trace(file, nvtx_range="")
    with pytest.raises(habitat.HabitatError, match="stp"):
        habitat.Trace(file, nvtx_range="stp")
    with pytest.raises(habitat.HabitatError):
        habitat.Trace(file, iterations=5)


def test_a_batch_size_that_is_said(tmp_path):
    file = tmp_path / "said.json"
    with gzip.open(RESNET) as stream:
        trace = json.load(stream)
    del trace["habitat"]["batch_size"]
    file.write_text(json.dumps(trace))
    noted, said = habitat.Trace(RESNET).predict("T4", batch=8), habitat.Trace(file, recorded_batch=4)
    assert said.batch_size == 4 and said.info["trace"]["batch_size_source"] == "said"
    assert said.predict("T4", batch=8).iteration_ms == noted.iteration_ms
    assert pickle.loads(pickle.dumps(said)).predict("T4").samples_per_s == said.predict("T4").samples_per_s
    assert habitat.choose(said, gpus="T4", samples=4000).ranking[0].hours is not None
    with pytest.raises(habitat.HabitatError, match="does not say its batch size"):
        habitat.Trace(file).predict("T4", batch=8)
    with pytest.raises(habitat.HabitatError, match="notes a batch size of 4, and 8 is said"):
        habitat.Trace(RESNET, recorded_batch=8)
    with pytest.raises(habitat.HabitatError, match="a batch of 3 is said"):
        habitat.Trace(file, recorded_batch=3).predict("T4")
    for wrong in (0, True, "4", 2.5):
        with pytest.raises(ValueError, match="recorded_batch is a whole number from 1 on"):
            habitat.Trace(file, recorded_batch=wrong)


def test_all_gpus_are_ranked(llama):
    times = [row.iteration_ms for row in llama.predict_all()]
    assert len(times) > 100 and times == sorted(times)
    assert [row.gpu for row in llama.predict_all(["T4", "L40S", "P4"])] == ["T4", "L40S", "P4"]


def test_prices_of_a_file(llama, tmp_path):
    file = tmp_path / "prices.csv"
    file.write_text("gpu,usd_per_gpu_hour,date\nL40S,0.01,2026-09\n")
    choice = habitat.choose(llama, price_files=file)
    assert choice.recommended == "L40S" and choice.ranking[0].usd_per_hour == 0.01
    file.write_text("gpu,usd_per_gpu_hour\nL40S,none\n")
    with pytest.raises(habitat.HabitatError) as caught:
        habitat.choose(llama, price_files=[file])
    assert caught.value.line == 2 and caught.value.file == str(file)


def test_the_origin_that_was_named_holds_in_the_shared_table(llama):
    named = habitat.Trace(RESNET, origin="H200-NVL-141GB")
    choice = habitat.choose([llama, named], gpus="T4")
    assert [one["gpu"] for one in choice.values["traces"]] == ["H200-SXM5-141GB", "H200-NVL-141GB"]


def test_origins_that_left_open_which_part_are_said(llama):
    for asked in ([llama, habitat.Trace(RESNET, origin="H200")], habitat.Trace(RESNET, origin="H200")):
        assert habitat.choose(asked, gpus="T4").warnings.count("H200: taken as H200-SXM5-141GB") == 1


@pytest.mark.parametrize(
    "asked, error, said",
    [
        ({"objective": "beauty"}, habitat.HabitatError, "is nothing to choose by; take cost, time or energy"),
        ({"vendor": "Matrox"}, habitat.HabitatError, '"Matrox" made none of the GPUs asked for; choose'),
        ({"deadline_hours": 24}, ValueError, "deadline_hours needs the length of the training: steps or samples"),
        ({"steps": 5, "samples": 5}, ValueError, "samples does not go with steps; give one"),
        ({"steps": 0}, ValueError, "steps is a number above 0, not 0"),
        ({"samples": float("nan")}, ValueError, "samples is a number above 0, not nan"),
        ({"max_usd_per_hour": -1}, ValueError, "max_usd_per_hour is a number above 0, not -1"),
        ({"deadline_hours": "24", "steps": 5}, ValueError, "deadline_hours is a number above 0, not '24'"),
        ({"prices": {"T4": None}}, ValueError, "the price of T4 is a number above 0, not None"),
        ({"prices": {"T4": 0}}, ValueError, "the price of T4 is a number above 0, not 0"),
        ({"prices": {"T44": 1}}, habitat.HabitatError, "T44"),
        ({"gpus": []}, habitat.HabitatError, ""),
        ({"gpus": ["V101"]}, habitat.HabitatError, "V101"),
        ({"cpu_scale": 0}, ValueError, "cpu_scale must be more than 0, not 0"),
        ({"batch": 0}, ValueError, "batch is a whole number from 1 on, not 0"),
        ({"batch": [8, "16"]}, ValueError, "batch is a whole number from 1 on, not '16'"),
        ({"batch": []}, ValueError, "batch is a number or several, not none"),
        ({"batch": "8"}, ValueError, "batch is a whole number from 1 on, not '8'"),
        ({"gpu_count": [1, 65537]}, ValueError, "gpu_count must be 1 to 65536, not 65537"),
        ({"gpu_count": [1, 2], "steps": 10}, ValueError, "are of more samples; give samples"),
        ({"gpu_count": [1, 2], "assemble": "sum"}, habitat.HabitatError, "only a replayed iteration can be shared"),
        ({"gpu_count": 2, "precision": "fp32"}, habitat.HabitatError, "in the format of the recorded parameters, bf16"),
        ({"precision": "half"}, ValueError, "precision is one of recorded"),
        ({"assemble": "both"}, ValueError, 'assemble is "sum" or "replay", not \'both\''),
    ],
)
def test_what_cannot_be_asked_is_refused(llama, asked, error, said):
    with pytest.raises(error) as caught:
        habitat.choose(llama, **asked)
    assert said in str(caught.value)


def test_traces_that_cannot_be_chosen_by(llama, tmp_path):
    own = json.loads((ROOT / "data/gpus/T4.json").read_text())
    own.update(name="Mine", aliases=[])
    own.pop("family_aliases", None)
    (tmp_path / "mine.json").write_text(json.dumps(own))
    for wrong, error, said in (
        ([], ValueError, "no trace to choose by"),
        ([(llama, 0)], ValueError, "a weight is a number above 0, not 0"),
        ([(RESNET, 1)], TypeError, "a recording is a habitat.Trace, not PosixPath"),
        ([llama, habitat.Trace(RESNET, gpu_files=tmp_path / "mine.json")], ValueError, "open them with the same gpu_files"),
    ):
        with pytest.raises(error, match=said):
            habitat.choose(wrong)
    closed = habitat.Trace(RESNET)
    closed.close()
    with pytest.raises(habitat.HabitatError, match="closed"):
        habitat.choose([llama, closed])


def test_a_gpu_named_twice_does_not_tie_with_itself(llama):
    choice = habitat.choose(llama, gpus=["T4", "L4", "T4", "NVIDIA L4"])
    assert choice == habitat.choose(llama, gpus=["T4", "L4"])
    assert sorted(row.gpu for row in [*choice.ranking, *choice.excluded]) == ["L4", "T4"]


def test_the_page_is_that_of_the_command_line(tmp_path):
    if not COMMAND.exists():
        pytest.skip("the package is not installed in this environment")
    for asked, options in (
        ({"steps": 1000}, "--steps 1000"),
        ({"gpus": ["L40S", "T4"], "prices": {"T4": 0.3}}, "--to L40S,T4 --price T4=0.3"),
    ):
        command = [COMMAND, "choose", RESNET, *options.split(), "--html", tmp_path / "page.html"]
        subprocess.run(command, capture_output=True, check=True)
        with habitat.Trace(RESNET) as trace:
            choice = habitat.choose(trace, **asked)
        page = choice.report()  # the trace may be closed by now
        assert page == (tmp_path / "page.html").read_text(encoding="utf-8")
        assert choice.recommended is not None and f"Take the {choice.recommended}" in page
        assert choice.report() == page


def test_a_choice_from_elsewhere_has_no_page(llama):
    choice = habitat.choose(llama, gpus=["L40S", "H100"])
    for again in (pickle.loads(pickle.dumps(choice)), copy.copy(choice), copy.deepcopy(choice)):
        assert again == choice
        with pytest.raises(ValueError, match="has no page; call report\\(\\) where choose\\(\\) was called"):
            again.report()
    assert "<html" in choice.report()
