"""What the pages say to do: commands that need PyTorch (those that record without a GPU), and Python snippets."""

import os
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


# In the place of pandas and matplotlib: any attribute can be called, and gives another such.
STAND_IN = """
class Any:
    def __getattr__(self, name): return self
    def __call__(self, *arguments, **named): return self
    def __getitem__(self, index): return self
    def __iter__(self): return iter(())
anything = Any()
DataFrame, subplots = anything, anything
"""


@pytest.mark.parametrize("page", ["README.md", "docs/guides/python.md"])
def test_python_runs_as_documented(page, tmp_path):
    """Each snippet is a program of its own."""
    snippets = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)
    assert snippets
    (tmp_path / "pandas.py").write_text(STAND_IN)
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib/__init__.py").write_text("")
    (tmp_path / "matplotlib/pyplot.py").write_text(STAND_IN)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    for i, snippet in enumerate(snippets):
        program = tmp_path / f"snippet{i}.py"
        program.write_text(snippet)
        done = subprocess.run(
            [sys.executable, program], cwd=ROOT, env=dict(os.environ, PYTHONPATH=path), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
