"""Structures that Python shares with the C library: the same fields in the same places as the headers say; who frees what."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from habitat import _library, _native, _wishes

ROOT = Path(__file__).resolve().parents[2]
SHARED = {
    "habitat_error": _library.Error,
    "habitat_gpu_skipped": _library.Skipped,
    "habitat_request": _library.Request,
    "habitat_read_options": _library.ReadOptions,
    "habitat_choice_options": _library.ChoiceOptions,
    "habitat_report_options": _library.ReportOptions,
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


def test_words_and_limits_are_those_of_the_library():
    name = _library.library.habitat_precision_name
    name.restype = ctypes.c_char_p
    words = [name(number) for number in range(len(_wishes.PRECISIONS) + 1)]
    assert words == [*(word.encode() for word in _wishes.PRECISIONS), words[-1]] and words[-1] not in words[:-1]
    assert list(_wishes.PRECISIONS.values()) == list(range(len(_wishes.PRECISIONS)))
    find = _library.library.habitat_assemble_from_name
    for word, number in _wishes.ASSEMBLE.items():
        found, error = ctypes.c_int(), _library.Error()
        assert find(word.encode(), ctypes.byref(found), ctypes.byref(error)) == 0
        assert number in (found.value, 0)  # 0: as usual, which is a replay
    command = Path(sys.executable).parent / "habitat"
    if command.exists():
        asked = [command, "predict", ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz", "--to", "T4", "--gpus"]
        for count, code in ((_wishes._MOST_GPUS, 0), (_wishes._MOST_GPUS + 1, 2)):
            assert subprocess.run([*asked, str(count)], capture_output=True).returncode == code


class Counted(_library.Handle):
    """Something whose freeing is noted."""

    def __init__(self, freed, address):
        super().__init__(freed.append, "the thing")
        made = _library.Pointer()
        made.value = address
        self._own(made)


def test_what_a_call_holds_is_freed_when_it_ends():
    freed = []
    one, other = Counted(freed, 8), Counted(freed, 16)
    held = one.handle  # as a call of another thread does
    one.close()
    one.close()
    assert freed == []
    with pytest.raises(_library.HabitatError, match="the thing is closed"):
        one.handle
    del held
    assert freed == [8]
    del other
    assert freed == [8, 16]


CLOSING = """
import sys, threading, time
import habitat

for pause in range(1, 6):
    for traces in (lambda: habitat.Trace(sys.argv[1]), lambda: habitat.Ranks(sys.argv[2:])):
        trace, said = traces(), []

        def ask():
            try:
                said.append(len(trace.predict_all()) > 100)
            except habitat.HabitatError as error:
                said.append("closed" in str(error))

        asking = threading.Thread(target=ask)
        asking.start()
        time.sleep(0.005 * pause)
        trace.close()
        asking.join()
        assert said == [True], said
"""


def test_closing_while_another_thread_asks():
    files = [ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz"]
    files += [ROOT / f"data/recordings/two_gpus/resnet50_b64_tf32.rank{rank}.json.gz" for rank in (0, 1)]
    done = subprocess.run([sys.executable, "-c", CLOSING, *files], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_asked_question_keeps_what_it_points_to():
    table, trace = _native.GpuTable(), _native.TraceHandle(ROOT / "data/recordings/resnet50_b4_fp32_h200.json.gz")
    answer = trace.ask(table, [table.find("T4")[0]], None, _wishes.Wishes())
    trace.close()
    table.close()
    assert _native.Choosing([answer], [1.0], "time", other_vendors=True).describe()["recommended"] == "T4"
