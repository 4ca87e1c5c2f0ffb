"""Command lines in traces: no secrets, no home folder. The same table tests the CUDA recorder."""

import os

import pytest
import torch
from recording_helpers import ROOT, SHORT, TRAIN, read_trace, record_script

import habitat
from habitat.recording import command

with open(os.path.join(ROOT, "tests", "golden", "commands_masked.txt"), encoding="utf-8") as table:
    CASES = [line.rstrip("\n").rpartition(" => ") for line in table if not line.startswith("#")]


@pytest.mark.parametrize("arguments, want", [(case[0], case[2]) for case in CASES])
def test_secrets_and_the_home_folder_are_not_shown(arguments, want):
    assert command.shown(arguments.split("\t"), home="/home/ada/") == want


@pytest.mark.parametrize("home", ["", "/", "//"])
def test_no_home(home):
    assert command.shown(["/x", "y"], home) == "/x y" and command.shown([], home) == ""


def test_home_of_the_environment(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert command.shown(["/home/ada/train.py"]) == "~/train.py"


def test_trace_holds_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    source = TRAIN.replace("STEPS", "100")
    code, output = record_script(tmp_path, source, args=("--password", "hunter2", "--batch", "4"))
    assert code == 0
    assert read_trace(output)["habitat"]["command"] == "python ~/train.py --password *** --batch 4"


def test_block_with_a_command_of_its_own_or_none(tmp_path):
    for given, want in (("nightly run", "nightly run"), ("", None)):
        with habitat.record(tmp_path / "step.json", allow_cpu=True, command=given):
            torch.ones(3)
        trace = read_trace(tmp_path / "step.json")
        assert trace["habitat"]["command"] == want and "traceName" not in trace


def test_no_command(tmp_path):
    source = TRAIN.replace("STEPS", "100")
    code, output = record_script(tmp_path, source, *SHORT, "--no-command", args=("--batch", "4"))
    assert code == 0 and read_trace(output)["habitat"]["command"] is None
