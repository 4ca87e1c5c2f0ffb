"""Commands of the tutorial and the guides that need PyTorch: those that record without a GPU."""

import pathlib
import re
import shlex
import subprocess
import sys

import habitat
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/guides").glob("*.md"))]


def commands():
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M):
            for line in block.splitlines():
                if line.startswith("habitat record --no-gpu"):
                    yield pytest.param(line.partition(" #")[0], id=page.stem)


@pytest.mark.parametrize("command", list(commands()))
def test_recording_as_documented(command, tmp_path):
    words = shlex.split(command)[2:]
    out = tmp_path / words[words.index("-o") + 1]
    words[words.index("-o") + 1] = str(out)
    subprocess.run([sys.executable, "-m", "habitat.recording", *words], cwd=ROOT, check=True, capture_output=True, timeout=120)
    assert habitat.Trace(out).predict("H100-SXM5-80GB").iteration_ms > 0


def test_there_are_such_commands():
    assert len(list(commands())) >= 2
