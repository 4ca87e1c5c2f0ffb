"""`habitat record SCRIPT.py [ARGS]`: runs a training script unchanged and records iterations of it."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
import types
from typing import Any, Callable, Dict, Hashable, List, NoReturn, Optional, Tuple

from . import counters, timing
from .boundary import check_kind
from .command import shown
from .errors import AbortScript, RecordError, StopScript
from .session import Options, Session, require_gpu
from .tracefile import check_writable, rank_path

EPILOG = """\
Boundaries: 'optimizer' (default) ends an iteration when the repeating block of optimiser steps ends (one step; D and G of a
GAN; a step skipped by GradScaler counts). 'zero_grad' begins one at zero_grad(), 'forward:N' at every N-th
call of the outermost module (for inference), 'mark' at habitat.recording.mark_iteration().

Under torchrun: torchrun --nproc-per-node 8 -m habitat.recording -o step.json.gz train.py
writes one trace a rank (step.rank0.json.gz).

Exit codes: 0 done; 1 the work failed; 2 usage; 3 the script cannot be read.
"""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"habitat: record: {message}; see habitat record --help\n")


def parser() -> Parser:
    whole = _number(1)
    p = Parser(
        prog="habitat record",
        usage="habitat record [OPTIONS] SCRIPT.py [ARGS]\n       habitat record [OPTIONS] -m MODULE [ARGS]",
        description="Run a PyTorch training script unchanged and write a trace of a few of its iterations.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    p.add_argument("-o", "--output", default="step.json.gz", metavar="FILE", help="trace file (default: %(default)s)")
    p.add_argument("--warmup", type=whole, metavar="N", help="iterations before timing (default: 5; without a GPU 2)")
    p.add_argument("--timed", type=_number(0), metavar="N",
                   help="unprofiled iterations timed before profiling, and twice again after it (default: 10)")  # fmt: skip
    p.add_argument("--pause", type=_seconds, metavar="S",
                   help="seconds that the script runs on before the last of them (default: 5)")  # fmt: skip
    p.add_argument("--iterations", type=whole, metavar="N", help="iterations profiled (default: 3; without a GPU 1)")
    p.add_argument("--boundary", type=_boundary, default="optimizer", metavar="KIND",
                   help="optimizer, zero_grad, forward:N or mark (default: optimizer)")  # fmt: skip
    p.add_argument("--continue", dest="go_on", action="store_true", help="let the script go on after recording")
    p.add_argument("--batch-size", type=whole, metavar="N", help="samples an iteration, where it is not found by itself")
    p.add_argument("--model", metavar="NAME", help="name of the model (default: class of the outermost module)")
    p.add_argument("--compact", action="store_true", help="leave out what predictions do not need; times stay as they are")
    p.add_argument("--no-modules", dest="modules", action="store_false", help="no nn.Module ranges in the trace")
    p.add_argument("--no-gpu", action="store_true",
                   help="record without a GPU: operations with shapes, no values and no times")  # fmt: skip
    p.add_argument("--allow-cpu", action="store_true",
                   help="the same where the script needs values: it runs on the CPU as it is, in the CPU's time and memory")  # fmt: skip
    p.add_argument("--counters", action="store_true",
                   help="run the script once more for hardware counters: DRAM bytes, operations")  # fmt: skip
    p.add_argument("--counters-percentile", type=_percentile, metavar="P",
                   help="only of kernels whose time is at or above this percentile; 0: all (default: %s)" % counters.PERCENTILE)  # fmt: skip
    p.add_argument("--no-command", dest="command", action="store_false", help="leave the command line out of the trace")
    p.add_argument("--quiet", action="store_true", help="no progress, no closing line")
    p.add_argument("-m", dest="module", metavar="MODULE", nargs=argparse.REMAINDER, help="run a module as python -m does")
    p.add_argument("script", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return p


def _number(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is no whole number of {least} or more")
        return int(text)

    return number


def _from_to(least: float, most: float, what: str) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is no {what} from {least} to {most}")
        return value

    return number


_percentile = _from_to(0, 100, "percentile")
_seconds = _from_to(0, 3600, "number of seconds")


def _boundary(text: str) -> str:
    try:
        check_kind(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


# Without a GPU nothing is timed, and one iteration is as good as three.
USUAL = {
    "warmup": (5, 2),
    "timed": (10, 0),
    "pause": (5.0, 5.0),
    "iterations": (3, 1),
    "counters_percentile": (counters.PERCENTILE, counters.PERCENTILE),
}


def main(arguments: Optional[List[str]] = None) -> int:
    chosen = parser().parse_args(sys.argv[1:] if arguments is None else arguments)
    if chosen.no_gpu and (chosen.timed or chosen.counters or chosen.pause is not None):
        return _fail("record", "--no-gpu times nothing and has no counters; leave out --timed, --pause and --counters", 2)
    if chosen.no_gpu and chosen.allow_cpu:
        return _fail("record", "--no-gpu and --allow-cpu are two ways; choose one", 2)
    if chosen.counters_percentile is not None and not chosen.counters:
        return _fail("record", "--counters-percentile goes with --counters, which counts the kernels that it selects", 2)
    for name, usual in USUAL.items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, usual[chosen.no_gpu])
    command = chosen.module or chosen.script
    if not command:
        return _fail("record", "no script given; habitat record train.py ARGS", 2)
    if chosen.script and chosen.script[0] == "--":
        return _fail("record", "'-- COMMAND' is recorded by the habitat program, not by this module", 2)
    path = rank_path(chosen.output)
    where = command[0]
    try:
        if not chosen.module and not os.path.isfile(where):
            raise RecordError(where, "no such script; check the path", 3)
        check_writable(path)
        if chosen.counters and "HABITAT_RECORD_MODE" not in os.environ:
            arguments = sys.argv[1:] if arguments is None else arguments
            return counters.record_and_measure(arguments, path, chosen.counters_percentile)
        require_gpu(where, chosen.no_gpu or chosen.allow_cpu, "--no-gpu")
        return _record(chosen, command, path)
    except RecordError as error:
        return _fail(error.where, error.what, error.code)


def _fail(where: str, what: str, code: int) -> int:
    print(f"habitat: {where}: {what}", file=sys.stderr)
    return code


def _record(chosen: argparse.Namespace, command: List[str], path: str) -> int:
    options = Options(
        warmup=chosen.warmup, timed=chosen.timed, pause=chosen.pause, iterations=chosen.iterations, boundary=chosen.boundary,
        modules=chosen.modules, compact=chosen.compact, allow_cpu=chosen.no_gpu or chosen.allow_cpu,
        batch_size=chosen.batch_size, model=chosen.model, quiet=chosen.quiet,
        measuring=counters.measuring(),
        command=shown([*(["python", "-m"] if chosen.module else ["python"]), *command]) if chosen.command else "",
    )  # fmt: skip
    session = ScriptSession(path, options, command[0], go_on=chosen.go_on)
    if chosen.no_gpu:
        from .without_gpu import Pretence

        options.pretence = Pretence(command[0])
    try:
        if options.pretence:
            options.pretence.open()
        session.open()
        code, failure = run(command, is_module=chosen.module is not None)
        session.end()
    except StopScript:
        code, failure = 0, None
    except AbortScript as abort:
        raise abort.error from abort
    finally:
        session.close()
        if options.pretence:
            options.pretence.close()
    # A script may have caught what the boundary raised; the error is still the outcome.
    if session.error is not None:
        raise session.error
    if not session.written:
        if code != 0:
            hint = cuda_remedy(failure) if chosen.allow_cpu else ""
            hint += options.pretence.after_failure() if options.pretence else ""
            raise RecordError(command[0], f"the script failed (exit code {code}); nothing was recorded{hint}")
        raise too_early(session, options.pretence.after_failure() if options.pretence else "")
    if options.measuring:
        return code
    if not chosen.quiet:
        print(summary(path, session.info), flush=True)
    if timing.warning(session.info):
        print(f"habitat: warning: {path}: {timing.warning(session.info)}", file=sys.stderr)
    if doubt_of_batch(chosen.batch_size, session.seen_batch_size):
        print(f"habitat: warning: {path}: {doubt_of_batch(chosen.batch_size, session.seen_batch_size)}", file=sys.stderr)
    for line in options.pretence.warnings() if options.pretence else ():
        print(f"habitat: warning: {path}: {line}", file=sys.stderr)
    if code != 0:
        raise RecordError(command[0], f"the script failed after recording (exit code {code}); {path} is complete")
    return 0


class ScriptSession(Session):
    """A session inside a user's script: it leaves the script once the trace is written."""

    MOST_STOPS = 3  # a script that catches the stop this often is left to go on

    def __init__(self, path: str, options: Options, where: str, go_on: bool) -> None:
        super().__init__(path, options, where)
        self._go_on = go_on
        self._stops = 0
        self.error: Optional[RecordError] = None

    def _on_event(self, key: Hashable) -> None:
        if os.getpid() != self._pid:
            return
        if self._busy or (self.done and self._go_on):
            return
        if self.error is None and not self.done:
            try:
                super()._on_event(key)
            except RecordError as error:
                self.error = error
        if self._stops >= self.MOST_STOPS:
            return
        if self.error is not None:
            self._stops += 1
            raise AbortScript(self.error)
        if self.done and not self._go_on:
            self._stops += 1
            raise StopScript()


def cuda_remedy(failure: Optional[BaseException]) -> str:
    """What to do where a script on the CPU failed for want of CUDA; nothing where it failed for another reason."""
    without = ("Torch not compiled with CUDA enabled", "Found no NVIDIA driver", "No CUDA GPUs are available")
    if not any(words in str(failure) for words in without):
        return ""
    return (
        "; --allow-cpu runs the script on the CPU as it is: a script that names CUDA (.cuda(), device=\"cuda\") is recorded"
        " with --no-gpu, or has to be told device=\"cpu\""
    )


def too_early(session: Session, hint: str = "") -> RecordError:
    o = session.options
    plural = "iteration was" if session.iterations_seen == 1 else "iterations were"
    needs = f"{o.needed} are needed ({o.warmup} warm-up, {o.timed} timed, 1 to start the profiler, {o.iterations} profiled)"
    if session.iterations_seen == 0:
        remedy = "no optimiser step was seen: choose another --boundary" if o.boundary == "optimizer" else (
            f"the boundary '{o.boundary}' never came: choose another --boundary")  # fmt: skip
    else:
        remedy = "let it run longer, or lower --warmup, --timed or --iterations"
    what = f"the script ended after {session.iterations_seen} {plural} seen, {needs}; {remedy}{hint}"
    return RecordError(session.where, what)


def doubt_of_batch(said: Optional[int], seen: Optional[int]) -> Optional[str]:
    """One sentence where the model was given another number of samples than is said, and neither is so many times the other, as where
    a step has several passes."""
    if not said or not seen or said % seen == 0 or seen % said == 0:
        return None
    return (
        f"--batch-size {said} is noted, and the model was given {seen} samples: other batch sizes are scaled from the one noted;"
        " leave --batch-size out where it is not the samples of an iteration"
    )


def summary(path: str, info: Dict[str, Any]) -> str:
    n = info["profiled_iterations"]
    parts = [f"{n} iteration{'s' if n != 1 else ''} recorded"]
    if info["iteration_ms"] is not None:
        parts.append(f"{info['iteration_ms']:.3f} ms unprofiled ({_of_groups(info)})")
    parts.append(f"batch {info['batch_size']}" if info["batch_size"] else "batch size unknown (--batch-size tells it)")
    if info["gpu"]:
        parts.append(info["gpu"])
    elif info.get("recorded_without_gpu"):
        parts.append("without a GPU")
    return f"{path}: " + ", ".join(parts)


def _of_groups(info: Dict[str, Any]) -> str:
    median = f"median of {info['iteration_ms_groups'][0]} before profiling"
    if info["iteration_spread"] is None:
        return median
    return f"{median}; two groups after it differ by {100 * info['iteration_spread']:.0f} %"


def run(command: List[str], is_module: bool) -> Tuple[int, Optional[BaseException]]:
    """Runs a script or module as `python` would; returns its exit code and what it failed with, if an exception.

    Tracebacks show the script's frames only.
    """
    try:
        if is_module:
            sys.argv = list(command)
            sys.path.insert(0, os.getcwd())
            runpy.run_module(command[0], run_name="__main__", alter_sys=True)
        else:
            _run_script(command)
    except SystemExit as exit_:
        if exit_.code is None or exit_.code == 0:
            return 0, None
        if not isinstance(exit_.code, int):
            print(exit_.code, file=sys.stderr)
            return 1, None
        return exit_.code, None
    except (StopScript, AbortScript):
        raise
    except KeyboardInterrupt:
        print("habitat: record: interrupted", file=sys.stderr)
        return 130, None
    except BaseException as error:
        _print_script_traceback(error)
        return 1, error
    return 0, None


def _run_script(command: List[str]) -> None:
    script = os.path.realpath(command[0])
    with open(script, "rb") as stream:
        source = stream.read()
    main_module = types.ModuleType("__main__")
    main_module.__file__ = command[0]
    vars(main_module)["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    sys.argv = list(command)
    sys.path[0] = os.path.dirname(script)
    # The script's own __future__ imports count, not this module's.
    exec(compile(source, command[0], "exec", dont_inherit=True), main_module.__dict__)


def _print_script_traceback(error: BaseException) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    frames = error.__traceback__
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if not (os.path.abspath(file).startswith(here) or file.startswith("<frozen runpy")):
            break
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)
