"""Chakra execution traces, read back with MLCommons' own module."""

import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from chakra.schema.protobuf.et_def_pb2 import (
    ALL_REDUCE,
    BROADCAST,
    COMM_COLL_NODE,
    COMP_NODE,
    METADATA_NODE,
    GlobalMetadata,
    Node,
)
from chakra.src.third_party.utils.protolib import decodeMessage, openFileRd

import habitat

from test_package import COMMAND, ROOT

RECORDINGS = ROOT / "data/recordings"


def values(message):
    return {a.name: getattr(a, a.WhichOneof("value")) for a in message.attr}


def read(path):
    """The head's values, and the nodes, each with its values."""
    nodes, head = [], GlobalMetadata()
    with openFileRd(str(path)) as file:
        assert decodeMessage(file, head)
        while decodeMessage(file, node := Node()):
            nodes.append((node, values(node)))
    assert head.version == "1.0.0"
    return values(head), nodes


def check_order_and_sums(nodes):
    """All that a node waits for comes before it, once; no sum along a stream or thread is off by more than 0.5 us."""
    seen, sums = set(), defaultdict(lambda: [0, 0.0])
    for node, value in nodes:
        assert len(set(node.data_deps)) == len(node.data_deps) and seen.issuperset(node.data_deps)
        assert node.id not in seen
        seen.add(node.id)
        place = (value["is_cpu_op"], node.name == "pause", value.get("tid"), value.get("stream"))
        sums[place][0] += node.duration_micros
        sums[place][1] += value["duration_ns"]
        assert abs(sums[place][0] - sums[place][1] / 1e3) <= 0.5 + 1e-6


def longest_us(nodes):
    end = {}
    for node, _ in nodes:
        end[node.id] = node.duration_micros + max((end[before] for before in node.data_deps), default=0)
    return max(end.values())


def kernels(nodes):
    return [(n, v) for n, v in nodes if not v["is_cpu_op"] and n.type != METADATA_NODE and n.name != "pause"]


@pytest.mark.parametrize("name", ["bert_b2_fp32_h100", "resnet50_b16_fp32_h200"])
def test_one_gpu(tmp_path, name):
    trace = habitat.Trace(RECORDINGS / f"{name}.json.gz")
    predicted = trace.predict("A100-SXM4-80GB")
    (file,) = trace.export_chakra("A100-SXM4-80GB", tmp_path / "one.et")
    head, nodes = read(file)
    check_order_and_sums(nodes)
    assert head["gpu"] == "A100-SXM4-80GB" and head["gpus"] == head["iterations"] == 1
    assert head["iteration_ms"] == predicted.iteration_ms
    whole_us = sum(n.duration_micros for n, _ in kernels(nodes))
    total_ms = predicted.kernel_ms + predicted.values["copy_ms"]
    streams = len({v["stream"] for _, v in kernels(nodes)})
    assert whole_us == pytest.approx(total_ms * 1e3, abs=0.5 * streams + 1e-3)
    assert sum(v["duration_ns"] for _, v in kernels(nodes)) == pytest.approx(total_ms * 1e6, rel=1e-9)
    assert longest_us(nodes) == pytest.approx(head["length_ns"] / 1e3, abs=5.0)
    assert head["length_ns"] >= 0.999e6 * predicted.iteration_ms  # it begins on an idle GPU
    assert {n.type for n, _ in nodes} == {COMP_NODE}
    assert all(v["operation"] and v["method"] for n, v in kernels(nodes) if "mem" not in n.name.lower())
    piped = subprocess.run(
        [COMMAND, "export", "--chakra", trace.path, "--to", "A100-SXM4-80GB"], check=True, capture_output=True
    ).stdout
    assert piped == Path(file).read_bytes()


def test_four_gpus_agree(tmp_path):
    trace = habitat.Trace(RECORDINGS / "two_gpus/resnet50_b64_tf32_h200.json.gz")
    predicted = trace.predict("H200-SXM5-141GB", gpu_count=4)
    files = trace.export_chakra("H200-SXM5-141GB", tmp_path / "four", gpu_count=4)
    assert [Path(file).name for file in files] == [f"rank.{i}.et" for i in range(4)]
    ranks = [read(file) for file in files]
    for head, nodes in ranks:
        check_order_and_sums(nodes)
        assert head["gpus"] == 4 and head["iteration_ms"] == predicted.iteration_ms
    messages = [
        [(v["comm_type"], v["comm_size"], v["pg_name"], v["group_size"]) for n, v in nodes if n.type == COMM_COLL_NODE]
        for _, nodes in ranks
    ]
    assert all(one == messages[0] for one in messages)
    sums = [size for kind, size, group, gpus in messages[0] if kind == ALL_REDUCE and (group, gpus) == ("0", 4)]
    assert sum(sums) == 4 * 25557032 and len(sums) == 5  # ResNet-50's parameters, in buckets of 25 MiB
    assert [m[0] for m in messages[0]].count(BROADCAST) == 1
    _, nodes = ranks[0]
    total_ns = sum(v["duration_ns"] for n, v in nodes if n.type == COMM_COLL_NODE)
    assert total_ns == pytest.approx(predicted.values["communication_ms"] * 1e6, rel=1e-9)
    (groups,) = [n for n, _ in nodes if n.type == METADATA_NODE]
    assert '"pg_name": "0"' in groups.inputs.values


def test_refused(tmp_path):
    trace = habitat.Trace(RECORDINGS / "resnet50_b16_fp32_h200.json.gz")
    for wrong in ({"gpu_count": 0}, {"cpu_scale": 0}):
        with pytest.raises(ValueError):
            trace.export_chakra("T4", tmp_path / "x", **wrong)
    assert trace.export_chakra("T4", tmp_path / "x", gpu_count=None) == [str(tmp_path / "x")]  # as recorded: one
    with pytest.raises(OSError):
        trace.export_chakra("T4", tmp_path / "nowhere" / "x")
    shapes = habitat.Trace(ROOT / "tests/cli/fixtures/no_gpu.json")
    with pytest.raises(habitat.HabitatError, match="shows no gradients"):
        shapes.export_chakra("T4", tmp_path / "x", gpu_count=2)


def test_recorded_without_a_gpu(tmp_path):
    trace = habitat.Trace(ROOT / "tests/cli/fixtures/no_gpu_layers.json.gz")
    predicted = trace.predict("L40S")
    (file,) = trace.export_chakra("L40S", tmp_path / "one.et")
    head, nodes = read(file)
    check_order_and_sums(nodes)
    assert "origin" not in head and head["iteration_ms"] == predicted.iteration_ms
    assert sum(v["duration_ns"] for _, v in kernels(nodes)) == pytest.approx(predicted.kernel_ms * 1e6, rel=1e-9)
    assert longest_us(nodes) == pytest.approx(head["length_ns"] / 1e3, abs=5.0)
    assert all(v["operation"] == n.name and "recorded_ns" not in v for n, v in kernels(nodes))
    cpu_ns = sum(v["duration_ns"] for _, v in nodes if v["is_cpu_op"])
    assert cpu_ns == pytest.approx(predicted.values["cpu_ms"] * 1e6, rel=1e-9)
    parts = [read(file) for file in trace.export_chakra("L40S", tmp_path / "parts", gpu_count=2, sharded=True)]
    for _, nodes in parts:
        check_order_and_sums(nodes)
        sent = [v["comm_size"] for n, v in nodes if n.type == COMM_COLL_NODE]
        assert len(sent) == 1 + 4 + 4 + 4 + 1  # around the layers and back, each of four layers three times


def test_what_was_read_is_not_written_over(tmp_path, monkeypatch):
    recording, gpu, folder = tmp_path / "rank.1.et", tmp_path / "mine.json", tmp_path / "link"
    shutil.copy(RECORDINGS / "resnet50_b16_fp32_h200.json.gz", recording)
    shutil.copy(ROOT / "data/gpus/T4.json", gpu)
    os.link(recording, tmp_path / "hard")
    folder.symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    trace = habitat.Trace("rank.1.et", gpu_files=gpu)
    monkeypatch.chdir("/")
    before = recording.read_bytes(), gpu.read_bytes()
    for wrong, count, said in ((recording, 1, recording), (tmp_path / "hard", 1, tmp_path / "hard"),
                               (folder / "mine.json", 1, folder / "mine.json"), (folder, 2, folder / "rank.1.et")):  # fmt: skip
        with pytest.raises(habitat.HabitatError) as caught:
            trace.export_chakra("T4", wrong, gpu_count=count)
        assert str(caught.value) == f"{said}: is read by this trace; name another file"
        assert caught.value.status == "HABITAT_E_ARG"
    assert (recording.read_bytes(), gpu.read_bytes()) == before and not (tmp_path / "rank.0.et").exists()
    trace.export_chakra("T4", tmp_path / "rank.0.et")
    assert (tmp_path / "rank.0.et").stat().st_size > 0
