"""Recorded ranks in Python: the answers of `habitat predict --ranks` and `habitat info --ranks`."""

from pathlib import Path

import pytest

import habitat

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "cli" / "fixtures"
PAIR = [FIXTURES / "rank0.json", FIXTURES / "rank1.json"]
REAL = [ROOT / "data" / "recordings" / "two_gpus" / f"resnet50_b64_tf32.rank{rank}.json.gz" for rank in (0, 1)]


def test_two_ranks_made_by_hand():
    """As in tests/cli/cases/predict_ranks.sh: 455.1 us, of which 50 are messages; rank 0 waits 200.9."""
    with habitat.Ranks(PAIR) as ranks:
        made = ranks.predict("H200-SXM5-141GB")
        more = ranks.predict("H200-SXM5-141GB", gpu_count=4)
    assert made.iteration_ms == pytest.approx(0.4551)
    assert made.values["exposed_communication_ms"] == pytest.approx(0.05)
    assert [r["waiting_ms"] for r in made.values["ranks"]] == pytest.approx([0.2009, 0.0])
    assert made.values["gpus"] == 2
    assert more.iteration_ms == pytest.approx(0.47546, rel=1e-4)
    assert any("2 ranks replayed together" in line for line in made.warnings)


def test_the_order_of_files_does_not_matter():
    assert habitat.Ranks(PAIR[::-1]).predict("T4").iteration_ms == habitat.Ranks(PAIR).predict("T4").iteration_ms


def test_what_was_recorded():
    ranks = habitat.Ranks(PAIR)
    assert ranks.slow_rank == 1
    assert ranks.info["messages"] == 1
    assert [r["compute_ms"] for r in ranks.info["ranks"]] == pytest.approx([0.2, 0.4])
    assert [r["exposed_waiting_ms"] for r in ranks.info["ranks"]] == pytest.approx([0.2, 0.0])


def test_real_ranks_on_their_own_gpu_take_as_long_as_recorded():
    ranks = habitat.Ranks(REAL)
    assert ranks.predict(habitat.Device.H200_SXM5_141GB).iteration_ms == ranks.info["ranks"][0]["iteration_ms"]
    assert {p.gpu for p in ranks.predict_all(["V100", "T4"])} == {"V100-SXM2-16GB", "T4"}
    assert len(ranks.predict_all()) > 100


def test_an_origin_that_was_named_is_warned_of():
    ranks = habitat.Ranks(PAIR, origin="H200-NVL-141GB")
    assert any(line.startswith("origin: the recording names H200-SXM5-141GB") for line in ranks.predict("T4").warnings)
    assert isinstance(ranks.predict_all(["T4", "V100"]), habitat.Predictions)


def test_a_name_that_left_open_which_part_is_said():
    ranks = habitat.Ranks(PAIR, origin="H200")
    said = "H200: taken as H200-SXM5-141GB"
    assert said in ranks.info["warnings"] and said in ranks.predict("T4").warnings


def test_what_is_done_to_the_facts_stays_outside():
    ranks = habitat.Ranks(PAIR)
    ranks.info["slow_rank"] = 7
    assert ranks.slow_rank == ranks.info["slow_rank"] == 1


def test_a_gpu_named_twice_is_answered_once():
    assert [p.gpu for p in habitat.Ranks(PAIR).predict_all(["T4", "V100", "Tesla T4", "T4"])] == ["T4", "V100-SXM2-16GB"]


def test_what_is_refused():
    with pytest.raises(TypeError, match="several files"):
        habitat.Ranks("step.json")
    with pytest.raises(ValueError, match="two or more"):
        habitat.Ranks(PAIR[:1])
    with pytest.raises(ValueError, match="one GPU sends no messages"):
        habitat.Ranks(PAIR).predict("T4", gpu_count=1)
    with pytest.raises(ValueError, match="gpu_count must be 1 to 65536, not 65537"):
        habitat.Ranks(PAIR).predict("T4", gpu_count=65537)
    with pytest.raises(ValueError, match="cpu_scale"):
        habitat.Ranks(PAIR).predict("T4", cpu_scale=0)
    with pytest.raises(habitat.HabitatError, match="rank 0 is there twice"):
        habitat.Ranks([PAIR[0], PAIR[0]]).predict("T4")
    assert habitat.Ranks(PAIR).predict_all([]) == []
