"""What the pages say to do: commands that need PyTorch (those that record without a GPU), Python snippets, the README's ways
to a report, and links."""

import gzip
import json
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


# ---- from the README to a report of one's own ----

COMMAND = pathlib.Path(sys.executable).parent / "habitat"
TRAIN = """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int)
batch = parser.parse_args().batch_size
model = torch.nn.Linear(64, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(60):
    optimizer.zero_grad()
    model(torch.randn(batch, 64, device="cuda")).sum().backward()
    optimizer.step()
"""


def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def ways():
    """Blocks of the README that end in a report; lines without their comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", readme(), re.S | re.M)
    return [[line.partition(" #")[0].strip() for line in block.splitlines()] for block in blocks if "--html report.html" in block]


def test_the_ways_to_a_report_are_short():
    from_trace, from_script = ways()
    assert from_trace == ["make", "build/habitat choose step.json.gz --html report.html"]
    assert len(from_script) <= 5 and from_script[:3] == ["git clone ADDRESS habitat", "cd habitat", "make"]


@pytest.mark.parametrize("way", ways(), ids=["trace", "script"])
def test_a_way_leads_to_a_report(way, tmp_path):
    """As printed, but for what was cloned and built, and for the GPU that the recorder has to do without."""
    if not COMMAND.exists():
        pytest.skip("the package is not installed in this environment")
    plain = json.loads((ROOT / "tests/cli/fixtures/step.json").read_text())
    del plain["habitat"]  # as torch.profiler alone writes it
    if not any("record" in line for line in way):
        (tmp_path / "step.json.gz").write_bytes(gzip.compress(json.dumps(plain).encode()))
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/habitat").symlink_to(COMMAND)
    for line in way:
        if line.startswith("build/habitat"):
            line = line.replace(" record ", " record --no-gpu ")
            environment = dict(os.environ, HABITAT_PYTHON=sys.executable)
            done = subprocess.run(shlex.split(line), cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "Which GPU for step" in page


def test_the_readmes_first_screens_hold_the_answer():
    """What is asked, two commands, real output, and the picture of the report."""
    first = readme().splitlines()[:50]
    for what in ("make", "build/habitat choose step.json.gz --html report.html", "```console shown", "docs/report.png"):
        assert any(what in line for line in first), what
    assert len(readme().splitlines()) < 300


def test_links_of_the_pages_lead_somewhere():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guides").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) + re.findall(r'<img src="([^"]+)"', text)
        for link in links:
            assert link.startswith(("http://", "https://")) or (page.parent / link).exists(), f"{page.name}: {link}"


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
