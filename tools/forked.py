"""Runs jobs one after the other, each in a process forked from one that has imported PyTorch already.

An import takes longer than many a measurement. The parent never touches the GPU, so every child starts its own CUDA.
"""

import contextlib
import os
import runpy
import signal
import sys
import tempfile
import time


def import_early():
    """What the jobs need and takes long to import. None of it starts CUDA."""
    import torch  # noqa: F401

    for name in ("torchvision", "transformers", "torch._dynamo", "torch.profiler"):
        with contextlib.suppress(ImportError):
            __import__(name)


def python(arguments):
    """Does in this process what `python3 ARGUMENTS` does: a script or `-m module`, with arguments. Returns the exit code."""
    try:
        if arguments[0] == "-m":
            sys.argv = list(arguments[1:])
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(arguments)
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else (0 if error.code is None else 1)
    return 0


AFTER_FAILURE_S = 3  # that the others have to say what they know


class Runner:
    """Runs jobs until the budget is used up; keeps what went wrong."""

    def __init__(self, budget_s, limit_s=90):
        self._end = time.monotonic() + budget_s
        self._limit_s = limit_s
        self.failed = []

    @property
    def left_s(self):
        return self._end - time.monotonic()

    def run(self, name, job):
        """Runs `job()`, which returns an exit code, in a child; returns what it printed, or None if it failed."""
        return self.run_together({name: job})[name]

    def run_together(self, jobs):
        """Runs jobs at once that wait for each other, by name: one that fails ends the others. Returns what each printed, or None."""
        if self.left_s < 5:
            self.failed += [f"{name}: not run, the time budget is used up" for name in jobs]
            return dict.fromkeys(jobs)
        start, limit_s = time.monotonic(), min(self._limit_s, self.left_s)
        with contextlib.ExitStack() as files:
            outs = {name: files.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")) for name in jobs}
            ended = _wait_all({name: _fork(job, outs[name]) for name, job in jobs.items()}, start + limit_s)
            for out in outs.values():
                out.seek(0)
            texts = {name: out.read() for name, out in outs.items()}
        return {name: self._said(name, text, *ended[name], start) for name, text in texts.items()}

    def _said(self, name, text, status, end_s, start_s):
        if status is None:
            self.failed.append(f"{name}: stopped after {end_s - start_s:.0f} s")
            return None
        if status != 0:
            self.failed.append(f"{name}: exit {status}: {' | '.join(text.strip().splitlines()[-3:])}")
            return None
        print(f"{name}: {end_s - start_s:.1f} s", flush=True)
        return text


def record(who, folder, steps, without_gpu, budget_s, limit_s=90):
    """Records steps into FOLDER, from the root of the checkout: of (name of the file, options of the recorder, script and its arguments)
    each. What went wrong is said in the name of `who`; returns an exit code."""
    import_early()
    os.makedirs(folder, exist_ok=True)
    runner = Runner(budget_s, limit_s)
    how = ["--no-gpu"] if without_gpu else ["--compact", "--iterations", "1", "--pause", "0.5"]
    for name, options, script in steps:
        line = ["-m", "habitat.recording", *how, "-o", os.path.join(folder, name + ".json.gz"), *options, *script]
        runner.run(name, lambda line=line: python(line))
    for failure in runner.failed:
        print(f"{who}: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


def record_formats(who, tool, steps, folder, without_gpu, tag, budget_s, options=()):
    """The same of a tool's steps, of (name, batch, number format) each, named by all of these and the GPU's `tag`; `options` of the recorder with a
    GPU."""

    def lines():
        for name, batch, precision in steps:
            said = f"{name}_b{batch}_{precision.replace('-', '_')}{'' if without_gpu else '_' + tag}"
            script = [tool, name, "--batch", str(batch), "--precision", precision, "--iterations", "60"]
            yield said, ["--model", name, "--batch-size", str(batch), *([] if without_gpu else options)], script

    return record(who, folder, lines(), without_gpu, budget_s)


def _fork(job, out):
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        status = job() or 0
    except BaseException:  # the child ends here, whatever happened
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _wait_all(pids, end_s):
    """By name (exit code, when) of children: 128 + n if signal n ended it; None if it took until `end_s`, or longer than a
    few seconds after another one failed, and was killed."""
    ended = {}
    while len(ended) < len(pids):
        for name in pids.keys() - ended.keys():
            done, status = os.waitpid(pids[name], os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
                ended[name] = (code, time.monotonic())
                if code:
                    end_s = min(end_s, time.monotonic() + AFTER_FAILURE_S)
            elif time.monotonic() > end_s:
                os.kill(pids[name], signal.SIGKILL)
                os.waitpid(pids[name], 0)
                ended[name] = (None, time.monotonic())
        time.sleep(0.02)
    return ended
