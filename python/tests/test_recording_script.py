"""`python -m habitat.recording SCRIPT`: scripts run unchanged, results are whole, failures are said in one line."""

import errno
import os
import sys

import pytest
from recording_helpers import (
    SHORT, SHORT_NEEDS, TRAIN, clock_ms, hooks_in_place, names, no_leftovers, read_trace, record_script, recorder_process,
)  # fmt: skip

from habitat.recording import cli


def train(steps):
    return TRAIN.replace("STEPS", str(steps))


@pytest.fixture(autouse=True)
def nothing_stays_behind(tmp_path):
    yield
    assert hooks_in_place() == []
    assert no_leftovers(tmp_path)


def test_script_is_recorded_and_stopped(tmp_path, capfd):
    code, output = record_script(tmp_path, train(10**9))
    assert code == 0
    trace = read_trace(output)
    about = trace["habitat"]
    assert about["schema"] == 1
    assert len(about["iteration_ms_all"]) == 6 and 0 < about["iteration_ms"] < 1e4
    assert about["iteration_ms_groups"] == [2, 2, 2] and about["iteration_spread"] >= 0
    assert about["batch_size"] == 6 and about["model"] == "Sequential"
    assert about["cpu_ms"] is None and about["cpu_ms_all"] == [] and about["cpu_ms_parts"] is None  # no GPU that could be idle
    assert about["framework"].startswith("torch 2.") and about["peak_memory_bytes"] is None
    assert about["command"].endswith("train.py") and about["timer"] == "perf_counter"
    assert about["parameter_dtype"] == "float32" and about["autocast"] is None
    ranges = [n for n in names(trace, "user_annotation") if n.startswith("ProfilerStep#")]
    assert ranges == ["ProfilerStep#1", "ProfilerStep#2"]
    assert names(trace, "cpu_op").count("aten::addmm") == 2 * 2  # two layers, two iterations
    modules = [n for n in names(trace, "user_annotation") if n.startswith("nn.Module: ")]
    assert sorted(set(modules)) == [
        "nn.Module: Sequential", "nn.Module: Sequential.0", "nn.Module: Sequential.1", "nn.Module: Sequential.2",
    ]  # fmt: skip
    out, err = capfd.readouterr()
    assert "2 iterations recorded" in out and "(median of 2 before profiling; two groups after it differ by " in out and "batch 6" in out
    assert "\r" not in err and "\033" not in out + err  # no progress without a terminal


def test_exactly_the_needed_iterations_are_enough(tmp_path, capfd):
    code, output = record_script(tmp_path, train(SHORT_NEEDS))
    about = read_trace(output)["habitat"]
    assert code == 0 and about["iteration_ms_groups"] == [2] and about["iteration_spread"] is None
    assert "(median of 2 before profiling)" in capfd.readouterr().out


@pytest.mark.parametrize("more, groups", [(1, [2]), (2, [2, 1]), (3, [2, 2]), (4, [2, 2]), (5, [2, 2, 1]), (6, [2, 2, 2])])
def test_script_that_ends_before_all_is_timed_keeps_what_is_there(tmp_path, more, groups):
    """One iteration passes, two are timed; and again."""
    code, output = record_script(tmp_path, train(SHORT_NEEDS + more))
    trace = read_trace(output)
    about = trace["habitat"]
    assert code == 0 and about["iteration_ms_groups"] == groups and len(about["iteration_ms_all"]) == sum(groups)
    assert names(trace, "cpu_op").count("aten::addmm") == 2 * 2 and next(iter(trace)) == "habitat"


def test_trace_is_whole_once_it_is_profiled(tmp_path):
    """A script that leaves by os._exit afterwards has its trace."""
    source = train(100).replace("    optimizer.step()", f"    optimizer.step()\n    if i == {SHORT_NEEDS}: import os; os._exit(3)")
    (tmp_path / "train.py").write_text(source)
    done = recorder_process(tmp_path, *SHORT, "-o", "step.json.gz", "train.py")
    assert done.returncode == 3
    about = read_trace(tmp_path / "step.json.gz")["habitat"]
    assert about["iteration_ms_groups"] == [2] and len(about["iteration_ms_all"]) == 2


def test_times_that_move_are_warned_of(tmp_path, capfd, clock_ms):
    """10 ms before profiling, 13 and 15 ms after it: on stderr even with --quiet, and the time is that before it."""
    later = f"(10 if i < {SHORT_NEEDS} else 13 if i < {SHORT_NEEDS} + 3 else 15)"
    tick = f"    import os; os.environ['CLOCK_MS'] = str(float(os.environ['CLOCK_MS']) + {later})\n"
    source = train(100).replace("    optimizer.step()", tick + "    optimizer.step()")
    code, output = record_script(tmp_path, source, *SHORT, "--quiet")
    about = read_trace(output)["habitat"]
    out, err = capfd.readouterr()
    assert code == 0 and out == ""
    assert [line for line in err.splitlines() if line.startswith("habitat: ")] == [
        f"habitat: warning: {output}: the time of an iteration moved by 20 % while recording (13.000, 15.000 ms after profiling);"
        " iteration_ms is known no better than that: record again with nothing else running on this machine"
    ]
    assert about["iteration_ms_all"] == [10, 10, 13, 13, 15, 15]
    assert about["iteration_ms"] == 10 and about["iteration_spread"] == 0.2


def test_block_of_optimizers_that_changes_after_profiling_ends_the_timing(tmp_path):
    source = train(100).replace(
        "    optimizer.step()",
        f"    optimizer.step()\n    if i == {SHORT_NEEDS}: optimizer = torch.optim.SGD(model.parameters(), lr=0.2)\n",
    )
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["iteration_ms_groups"] in ([2], [2, 1])


def test_script_that_ends_too_early(tmp_path, capfd):
    code, output = record_script(tmp_path, train(SHORT_NEEDS - 1))
    assert code == 1 and not output.exists()
    err = capfd.readouterr().err.strip().splitlines()[-1]
    assert err == (
        f"habitat: {tmp_path}/train.py: the script ended after 5 iterations were seen, 6 are needed (1 warm-up, 2 timed,"
        " 1 to start the profiler, 2 profiled); let it run longer, or lower --warmup, --timed or --iterations"
    )


def test_script_without_an_optimizer(tmp_path, capfd):
    code, _ = record_script(tmp_path, "import torch\ntorch.ones(3)\n")
    assert code == 1
    assert "no optimiser step was seen: choose another --boundary" in capfd.readouterr().err


def test_continue_lets_the_script_end(tmp_path, capfd):
    source = train(12) + "print('last line', i)\n"
    assert record_script(tmp_path, source, *SHORT, "--continue")[0] == 0
    assert "last line 11" in capfd.readouterr().out


def test_script_that_catches_everything_is_stopped_all_the_same(tmp_path):
    source = train(40).replace("    optimizer.step()", "    try:\n        optimizer.step()\n    except BaseException:\n        pass")
    code, output = record_script(tmp_path, source)
    assert code == 0 and output.exists()


def test_gan_iterations_hold_both_optimizers(tmp_path):
    source = """
import torch
from torch import nn
g, d = nn.Linear(3, 4), nn.Linear(4, 1)
og, od = torch.optim.Adam(g.parameters()), torch.optim.SGD(d.parameters(), lr=0.1)
while True:
    od.zero_grad(); d(g(torch.randn(5, 3)).detach()).sum().backward(); od.step()
    og.zero_grad(); d(g(torch.randn(5, 3))).sum().backward(); og.step()
"""
    code, output = record_script(tmp_path, source)
    assert code == 0
    trace = read_trace(output)
    steps = [n for n in names(trace, "user_annotation") if n.startswith("Optimizer.step#")]
    # G's last step holds the boundary, so it began before the trace did or after it ended.
    assert steps.count("Optimizer.step#SGD.step") == 2
    assert trace["habitat"]["model"] == "Linear" and trace["habitat"]["batch_size"] == 5


@pytest.mark.parametrize("calls, backwards, size", [(4, 4, 24), (2, 1, None)])
def test_batch_size_of_several_calls(tmp_path, calls, backwards, size):
    """Accumulation adds up; two calls with one backward pass may be two views of the same samples."""
    loop = f"""
    losses = [model(torch.randn(6, 4)).sum() for _ in range({calls})]
    if {backwards} == {calls}:
        for loss in losses: loss.backward()
    else:
        sum(losses).backward()
"""
    source = train(100).replace("    model(torch.randn(6, 4)).sum().backward()\n", loop.lstrip("\n"))
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] == size


@pytest.mark.parametrize("reentrant, whole", [(False, False), (True, False), (False, True), (True, True)])
def test_what_a_checkpoint_computes_again_is_no_call(tmp_path, capfd, reentrant, whole):
    """Two micro-batches of 6; the inner calls of a recomputation end early, by an exception."""
    again = f"lambda x: checkpoint(model, x, use_reentrant={reentrant})" if whole else "model"
    source = f"""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 4)))
    def forward(self, x):
        return x + (self.part(x) if {whole} else checkpoint(self.part, x, use_reentrant={reentrant}))
model = Deep()
called = {again}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    optimizer.zero_grad()
    for micro in range(2):
        called(torch.randn(6, 4, requires_grad=True)).sum().backward()
    optimizer.step()
"""
    code, output = record_script(tmp_path, source)
    about = read_trace(output)["habitat"]
    # A reentrant checkpoint around the model calls it without gradients: how often says how many micro-batches there are.
    assert code == 0 and about["model"] == "Deep" and about["batch_size"] == 12
    assert "forward hook" not in capfd.readouterr().err


def test_hooks_of_an_older_pytorch_tell_no_keywords(tmp_path, monkeypatch):
    from torch.nn.modules import module

    register = module.register_module_forward_hook
    monkeypatch.setattr(module, "register_module_forward_hook", lambda hook, *, always_call=False: register(hook, always_call=always_call))
    code, output = record_script(tmp_path, train(100))
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] == 6
    code, output = record_script(tmp_path, train(100).replace("model(torch", "model(input=torch"))
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] is None
    failing = """
    try:
        model(torch.randn(5, 3))
    except RuntimeError:
        pass
"""
    lines = train(100).splitlines()
    loop = next(i for i, line in enumerate(lines) if line.startswith("for "))
    code, output = record_script(tmp_path, "\n".join([*lines[: loop + 1], *failing.splitlines(), *lines[loop + 1 :]]))
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] == 6, "a call that raised is none"


def test_batch_size_is_unknown_where_the_sequence_may_come_first(tmp_path):
    source = train(100).replace("nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))", "nn.LSTM(4, 2)")
    source = source.replace("model(torch.randn(6, 4)).sum()", "model(torch.randn(7, 6, 4))[0].sum()")
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] is None
    code, output = record_script(tmp_path, source, *SHORT, "--batch-size", "6", "--model", "tagger")
    assert read_trace(output)["habitat"]["batch_size"] == 6
    assert read_trace(output)["habitat"]["model"] == "tagger"


LISTED = """
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Conv2d(3, 2, 3)
    def forward(self, images, found=None):
        return sum(self.inner(image[None] if image.dim() == 3 else image).sum() for image in (i['words'] if isinstance(i, dict) else i for i in images))
model = Detector()
"""


@pytest.mark.parametrize("given, size", [
    ("[torch.randn(3, 8, 9), torch.randn(3, 8, 8)], [{'boxes': torch.rand(3, 4)}] * 2", 2),
    ("[torch.randn(3, 8, 9), torch.randn(3, 8, 8)]", None),  # 3 are its channels
    ("torch.randn(2, 3, 8, 8), [{'boxes': torch.rand(3, 4)}] * 2", 2),
    ("[torch.randn(2, 3, 8, 8), torch.randn(2, 3, 4, 4), torch.randn(2, 3, 6, 6)]", 2),
    ("[{'words': torch.ones(8, 3, 4, 4)}] * 2", 8),  # two texts of each of 8 samples
])  # fmt: skip
def test_batch_size_of_samples_in_lists(tmp_path, given, size):
    source = train(100).replace("model(torch.randn(6, 4)).sum().backward()", f"model({given}).backward()")
    source = source.replace("optimizer =", LISTED + "optimizer =", 1)
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] == size


def test_closure_optimizer_does_not_multiply_the_batch(tmp_path):
    source = train(100).replace("torch.optim.SGD(model.parameters(), lr=0.1)", "torch.optim.LBFGS(model.parameters())")
    source = source[: source.index("for i")] + """
for i in range(100):
    def closure():
        optimizer.zero_grad()
        loss = model(torch.randn(6, 4)).square().sum()
        loss.backward()
        return loss
    optimizer.step(closure)
"""
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] is None


def test_autocast_is_noted(tmp_path):
    source = train(100).replace(
        "    model(torch.randn(6, 4)).sum().backward()",
        "    with torch.autocast('cpu', torch.bfloat16): y = model(torch.randn(6, 4)).sum()\n    y.backward()",
    )
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["autocast"] == "bfloat16"


@pytest.mark.parametrize("inside, noted", [
    ("torch.autocast('cpu', torch.bfloat16)", "bfloat16"),
    ("torch.autocast('cpu', torch.bfloat16, enabled=False)", None),
    ("torch.autocast('cuda', torch.float16)", None),  # the model is on the CPU
])  # fmt: skip
def test_autocast_inside_forward_is_noted(tmp_path, inside, noted):
    source = train(100).replace("optimizer = ", f"""
class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        with {inside}: return self.inner(x)
model = Wrapped(model)
optimizer = """)  # fmt: skip
    code, output = record_script(tmp_path, source)
    about = read_trace(output)["habitat"]
    assert code == 0 and about["autocast"] == noted and about["model"] == "Wrapped"


def test_autocast_elsewhere_is_not_that_of_the_model(tmp_path):
    source = train(100).replace("    model(", "    with torch.autocast('cpu', torch.bfloat16): torch.ones(2)\n    model(")
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["autocast"] is None


def test_inference_with_forward_boundary(tmp_path):
    source = "import torch\nm = torch.nn.Linear(4, 2)\nwhile True:\n    with torch.no_grad(): m(torch.ones(3, 4))\n"
    code, output = record_script(tmp_path, source, *SHORT, "--boundary", "forward:1")
    assert code == 0
    trace = read_trace(output)
    assert names(trace, "cpu_op").count("aten::addmm") == 2 and trace["habitat"]["batch_size"] == 3


def test_script_sees_what_python_gives_it(tmp_path, capfd):
    source = """
import sys, os, helper
print(sys.argv[1:], os.path.basename(sys.argv[0]), __name__, os.path.basename(__file__), helper.NAME)
print(sys.modules['__main__'].__file__ == __file__, sys.path[0] == os.path.dirname(os.path.realpath(__file__)))
"""
    (tmp_path / "helper.py").write_text("NAME = 'beside'\n")
    record_script(tmp_path, source, args=("--batch", "4", "-o", "mine", "--help"))
    out = capfd.readouterr().out
    assert "['--batch', '4', '-o', 'mine', '--help'] train.py __main__ train.py beside" in out
    assert "True True" in out


def test_script_is_compiled_without_what_the_recorder_imports_from_the_future(tmp_path, capfd):
    """Annotations of a script are evaluated, as python does, unless the script itself says otherwise."""
    record_script(tmp_path, "def f(x: 6 * 7): ...\nprint('it is', f.__annotations__)\n")
    assert "it is {'x': 42}" in capfd.readouterr().out


def test_failing_script_shows_its_traceback_only(tmp_path, capfd):
    code, output = record_script(tmp_path, "def broken():\n    raise KeyError('lost')\nbroken()\n")
    assert code == 1 and not output.exists()
    err = capfd.readouterr().err
    assert "KeyError: 'lost'" in err and "in broken" in err and "cli.py" not in err
    assert err.strip().splitlines()[-1].endswith("the script failed (exit code 1); nothing was recorded")


@pytest.mark.parametrize("failure", ["Torch not compiled with CUDA enabled", "Found no NVIDIA driver on your system."])
def test_script_that_names_cuda_on_the_cpu_is_told_what_to_do(tmp_path, capfd, failure):
    """What .cuda() raises without a GPU, in builds without and with CUDA."""
    source = f"class Net:\n    def cuda(self):\n        raise RuntimeError('{failure}')\nNet().cuda()\n"
    code, output = record_script(tmp_path, source)
    assert code == 1 and not output.exists()
    assert capfd.readouterr().err.strip().splitlines()[-1].endswith(
        'nothing was recorded; --allow-cpu runs the script on the CPU as it is: a script that names CUDA (.cuda(), device="cuda")'
        ' is recorded with --no-gpu, or has to be told device="cpu"'
    )
    assert record_script(tmp_path, source, "--no-gpu")[0] == 1
    assert capfd.readouterr().err.strip().endswith("nothing was recorded")


def test_script_that_exits_with_a_code(tmp_path, capfd):
    assert record_script(tmp_path, "raise SystemExit(7)\n")[0] == 1
    assert "exit code 7" in capfd.readouterr().err
    assert record_script(tmp_path, train(20) + "raise SystemExit(3)\n", *SHORT, "--continue")[0] == 1
    assert "step.json.gz is complete" in capfd.readouterr().err


def test_missing_script_is_unreadable_input(tmp_path, capfd):
    assert cli.main(["--allow-cpu", "-o", str(tmp_path / "x.json"), str(tmp_path / "none.py")]) == 3
    assert capfd.readouterr().err == f"habitat: {tmp_path}/none.py: no such script; check the path\n"


@pytest.mark.parametrize("arguments, part", [
    ([], "no script given"),
    (["--pause", "-1", "x.py"], "'-1' is no number of seconds from 0 to 3600"),
    (["--pause", "nan", "x.py"], "'nan' is no number of seconds from 0 to 3600"),
    (["--warmup", "0", "x.py"], "'0' is no whole number of 1 or more"),
    (["--boundary", "never", "x.py"], "'never' is no boundary"),
    (["--nonsense", "x.py"], "nonsense"),
])  # fmt: skip
def test_usage_errors_exit_with_2(arguments, part, capfd):
    try:
        code = cli.main(arguments)
    except SystemExit as exit_:
        code = exit_.code
    err = capfd.readouterr().err
    assert code == 2 and part in err and err.startswith("habitat: record: ") and err.count("\n") == 1


def test_help_names_every_option(capfd):
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--help"])
    out = capfd.readouterr().out
    assert exit_.value.code == 0
    for option in ("--warmup", "--timed", "--pause", "--iterations", "--boundary", "--continue", "--output", "--compact", "-m"):
        assert option in out


def test_no_gpu_is_refused_before_the_script_runs(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    code, output = record_script(tmp_path, "print('ran')\n", "--warmup", "1")
    out, err = capfd.readouterr()
    assert code == 1 and not output.exists() and "ran" not in out
    assert "sees no GPU; record on a machine with one" in err and "(--no-gpu records" in err and err.count("\n") == 1


def test_script_that_leaves_the_gpu_idle(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("habitat.recording.session.require_gpu", lambda where, allow, remedy: None)
    monkeypatch.setattr(cli, "require_gpu", lambda where, allow, remedy: None)
    code, output = record_script(tmp_path, train(100), "--warmup", "1", "--timed", "1", "--iterations", "1")
    assert code == 1 and not output.exists()
    assert "no kernel ran on the GPU in the recorded iterations" in capfd.readouterr().err


def test_no_pytorch(tmp_path):
    """A Python without PyTorch: a folder in front of everything shadows it with a package that cannot be imported."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('no module named torch here')\n")
    (tmp_path / "x.py").write_text("print('ran')\n")
    done = recorder_process(tmp_path, "x.py", path=[str(tmp_path)])
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == (
        "habitat: x.py: PyTorch cannot be imported (no module named torch here); install it into this Python: pip install torch\n"
    )


def test_output_in_a_missing_folder(tmp_path, capfd):
    script = tmp_path / "x.py"
    script.write_text("print('ran')\n")
    assert cli.main([*SHORT, "-o", str(tmp_path / "no" / "step.json"), str(script)]) == 1
    out, err = capfd.readouterr()
    assert "its folder does not exist" in err and "ran" not in out


@pytest.mark.parametrize("full", ["while writing", "in the profiler"])
def test_full_disk_leaves_nothing(tmp_path, capfd, monkeypatch, full):
    def no_space(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if full == "while writing":
        monkeypatch.setattr("os.fsync", no_space)
    else:  # Kineto writes what fits and says nothing
        monkeypatch.setattr(
            "habitat.recording.profiling.IterationProfiler.export",
            lambda self, path: open(path, "w").write('{"traceEvents": [{"ph":'),
        )
    code, _ = record_script(tmp_path, train(100))
    assert code == 1 and sorted(os.listdir(tmp_path)) == ["train.py"]
    err = capfd.readouterr().err
    assert "free some disk space and record again" in err and err.count("habitat: ") == 1


def test_earlier_trace_survives_a_failed_recording(tmp_path):
    (tmp_path / "step.json.gz").write_bytes(b"an earlier recording")
    code, output = record_script(tmp_path, "1 / 0\n")
    assert code == 1 and output.read_bytes() == b"an earlier recording"


def test_module_is_run_as_python_does(tmp_path, monkeypatch):
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text("import sys\nassert sys.argv[1:] == ['--x'], sys.argv\n" + train(100))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert cli.main([*SHORT, "-o", "step.json", "-m", "mine.train", "--x"]) == 0
    assert read_trace(tmp_path / "step.json")["habitat"]["command"] == "python -m mine.train --x"


def test_each_rank_writes_its_own_trace(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, output = record_script(tmp_path, train(100))
    assert code == 0 and not output.exists()
    about = read_trace(tmp_path / "step.rank1.json.gz")["habitat"]
    assert (about["rank"], about["world_size"]) == (1, 2)


def test_changing_cycle_starts_over(tmp_path):
    """A second optimiser that joins after four steps: recorded iterations hold both."""
    source = """
import torch
m = torch.nn.Linear(4, 2)
a, b = torch.optim.SGD(m.parameters(), lr=0.1), torch.optim.Adam(m.parameters())
for i in range(100):
    m(torch.ones(3, 4)).sum().backward(); a.step()
    if i > 3:
        m(torch.ones(3, 4)).sum().backward(); b.step()
"""
    code, output = record_script(tmp_path, source)
    events = read_trace(output)["traceEvents"]
    ranges = [(e["ts"], e["ts"] + e["dur"]) for e in events if e["name"].startswith("ProfilerStep#")]
    products = [e["ts"] for e in events if e["name"] == "aten::addmm"]
    assert code == 0 and [sum(a <= ts < b for ts in products) for a, b in ranges] == [2, 2]


@pytest.mark.parametrize(
    "calls, size",
    [
        ("loss(model(x)).backward(); loss(model(x)).backward()", 6),  # an optimiser that looks twice (SAM)
        ("loss(model(x)).backward(); loss(model(x.clone())).backward()", 12),  # accumulated
        ("d = x.clone().requires_grad_(); loss(model(d)).backward(); loss(model(x + d.grad)).backward()", None),  # attacked
        ("x = torch.randn(6, 4); loss(model(x)).backward(); del x; x = torch.randn(6, 4); loss(model(x)).backward()", 12),
    ],
)
def test_the_same_samples_again_are_no_others(tmp_path, calls, size):
    source = f"""
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = lambda y: y.square().mean()
for i in range(100):
    x = torch.randn(6, 4)
    optimizer.zero_grad()
    {calls}
    optimizer.step()
"""
    code, output = record_script(tmp_path, source)
    assert code == 0 and read_trace(output)["habitat"]["batch_size"] == size
