"""Structures that Python shares with the C library: the same fields in the same places as the headers say."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from habitat import _native

ROOT = Path(__file__).resolve().parents[2]
SHARED = {
    "habitat_error": _native._Error,
    "habitat_gpu_skipped": _native._Skipped,
    "habitat_request": _native._Request,
    "habitat_choice_options": _native._ChoiceOptions,
    "habitat_report_options": _native._ReportOptions,
}


def test_fields_are_where_the_headers_have_them(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    asked = [(name, field) for name, mirror in SHARED.items() for field, _ in mirror._fields_]
    lines = [f'    printf("%zu\\n", offsetof({name}, {field}));' for name, field in asked]
    lines += [f'    printf("%zu\\n", sizeof({name}));' for name in SHARED]
    (tmp_path / "ask.c").write_text(
        "#define HABITAT_EXPERIMENTAL\n#include <stddef.h>\n#include <stdio.h>\n#include <habitat/habitat.h>\n"
        "int main(void) {\n" + "\n".join(lines) + "\n    return 0;\n}\n"
    )
    subprocess.run([compiler, "-std=c17", f"-I{ROOT / 'include'}", "-o", tmp_path / "ask", tmp_path / "ask.c"], check=True)
    told = [int(line) for line in subprocess.run([tmp_path / "ask"], check=True, capture_output=True, text=True).stdout.split()]
    held = [getattr(SHARED[name], field).offset for name, field in asked] + [ctypes.sizeof(mirror) for mirror in SHARED.values()]
    assert told == held
