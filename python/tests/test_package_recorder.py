"""The command line that pip installs brings its CUDA recorder along and finds it, with nothing in the environment to help."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recording_helpers import ROOT, names, read_trace

from habitat.recording import counters

PROGRAM = Path(sys.prefix) / "bin" / "habitat"
RECORDER = Path(sys.prefix) / "lib" / "habitat" / "libhabitat_cupti.so"
COMPILER = shutil.which("cc") or shutil.which("gcc")

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason="habitat is not installed by pip here"),
    pytest.mark.skipif(COMPILER is None, reason="no C compiler for the stand-in program"),
]


@pytest.fixture
def stand_ins(tmp_path):
    """(program, CUPTI) that need no GPU, from tests/stubs."""
    stubs, recorder = os.path.join(ROOT, "tests", "stubs"), os.path.join(ROOT, "recorder")
    app, cupti = tmp_path / "fake_app", tmp_path / "libcupti.so"
    flags = ["-std=gnu17", "-I", recorder]
    subprocess.run([COMPILER, *flags, os.path.join(stubs, "fake_app.c"), "-o", app, "-ldl"], check=True)
    subprocess.run(
        [COMPILER, *flags, "-shared", "-fPIC", os.path.join(stubs, "fake_cupti.c"), "-o", cupti, "-lpthread"], check=True
    )
    return app, cupti


def test_installed_program_loads_its_own_recorder(tmp_path, stand_ins):
    app, cupti = stand_ins
    shell = f'echo "$CUDA_INJECTION64_PATH"; exec "{app}" basic exit'
    done = subprocess.run(
        [PROGRAM, "record", "-o", "step.json.gz", "--cupti", cupti, "--", "sh", "-c", shell],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(RECORDER.resolve())
    assert len(names(read_trace(tmp_path / "step.json.gz"), "kernel")) == 6


def test_recorder_of_the_package_is_the_same():
    """--counters of scripts takes the copy in the package."""
    found = counters.find_library({})
    assert found == str(Path(counters.__file__).resolve().parents[1] / "_lib" / counters.LIBRARY)
    assert Path(found).read_bytes() == RECORDER.read_bytes()
