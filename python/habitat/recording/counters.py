"""Hardware counters for a recorded trace: `habitat record --counters train.py`.

Measuring a kernel means running it several times over, so it happens in a second run of the same script, under the CUDA
recorder (docs/cuda-recorder.md) and without a profiler. That run measures each kernel and launch configuration once and
writes them as JSON; here they find their kernels in the first run's trace by name and launch configuration.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import process, tracefile
from .errors import RecordError

LIBRARY = "libhabitat_cupti.so"
PERCENTILE = 99.5


def measuring(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this process is the second run: it goes through the warm-up, then ends."""
    return environ.get("HABITAT_RECORD_MODE") == "counters"


def find_library(environ: Mapping[str, str] = os.environ) -> Optional[str]:
    """The CUDA recorder: $HABITAT_RECORDER, in this package, or beside the habitat program. None: nowhere."""
    program = shutil.which("habitat")
    places = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_lib")]
    if program:
        folder = os.path.dirname(os.path.realpath(program))
        places += [folder, os.path.join(folder, "recorder"), os.path.join(folder, "..", "lib", "habitat")]
    named = environ.get("HABITAT_RECORDER")
    candidates = [named] if named else [os.path.join(place, LIBRARY) for place in places]
    return next((os.path.realpath(path) for path in candidates if os.path.isfile(path)), None)


def key(event: Dict[str, Any]) -> Optional[str]:
    """A kernel's name and launch configuration, as the CUDA recorder spells them; None for what is no kernel."""
    if event.get("cat") != "kernel":
        return None
    args = event.get("args", {})
    grid, block = args.get("grid"), args.get("block")
    if grid is None or block is None or "shared memory" not in args:
        return None
    name = json.dumps(event.get("name", ""), ensure_ascii=False)
    grid, block = (", ".join(str(int(n)) for n in triple) for triple in (grid, block))
    return f'"name": {name}, "shared memory": {int(args["shared memory"])}, "grid": [{grid}], "block": [{block}]'


def select(trace: Dict[str, Any], percentile: float = PERCENTILE) -> List[str]:
    """Keys of the kernels whose time is at or above the percentile (nearest rank) of all kernels' times; 0: all."""
    kernels = [(event["dur"], key(event)) for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    times = sorted(time for time, _ in kernels)
    if not times:
        return []
    threshold = times[max(math.ceil(percentile / 100 * len(times)), 1) - 1] if percentile > 0 else 0
    return sorted({name for time, name in kernels if name is not None and time >= threshold})


def environment(library: str, out: str, status: str, selection: str, base: Mapping[str, str] = os.environ) -> Dict[str, str]:
    """The environment that makes a CUDA program measure the kernels listed in the file `selection`."""
    own = {
        "CUDA_INJECTION64_PATH": library, "HABITAT_RECORD_MODE": "counters", "HABITAT_RECORD_OUT": out,
        "HABITAT_RECORD_STATUS": status, "HABITAT_COUNTERS_SELECT": selection,
    }  # fmt: skip
    return {**base, **own}


def merge(trace: Dict[str, Any], measured: Dict[str, Any], percentile: float) -> int:
    """Writes the counters of `measured` into the args of the kernels they are of; returns how many got some."""
    by_key = {key({"cat": "kernel", "name": kernel["name"], "args": kernel}): kernel["counters"]
              for kernel in measured["kernels"]}  # fmt: skip
    merged = 0
    for event in trace["traceEvents"]:
        counters = by_key.get(key(event)) if event.get("cat") == "kernel" else None
        if counters:
            event["args"].update(counters)
            merged += 1
    about = {name: value for name, value in measured.items() if name != "kernels"}
    trace.setdefault("habitat", {})["counters"] = {**about, "percentile": percentile, "measured": len(by_key)}
    return merged


def add(path: str, command: List[str], percentile: float = PERCENTILE, library: Optional[str] = None) -> Tuple[int, str]:
    """Runs `command` once more to measure the kernels of the trace at `path`, and rewrites the trace.

    Returns (kernels with counters, message); the message is "" or says why there are none, or not all.
    """
    library = library or find_library()
    if library is None:
        return 0, f"{LIBRARY} was not found; set HABITAT_RECORDER to its path"
    trace = tracefile.read(path)
    selection = select(trace, percentile)
    if not selection:
        return 0, "the trace holds no kernels"
    with tempfile.TemporaryDirectory(prefix="habitat-counters-") as folder:
        names = os.path.join(folder, "select")
        with open(names, "w", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in selection)
        own = environment(library, os.path.join(folder, "%p.json"), os.path.join(folder, "%p.status"), names)
        code = process.run(command, own)
        measured, message = _busiest(folder)
    if code != 0:
        return 0, f"the second run failed (exit code {code})"
    if measured is None or not measured["kernels"]:
        return 0, message or "the second run used no GPU"
    merged = merge(trace, measured, percentile)
    tracefile.write(trace, path)
    return merged, message


def _busiest(folder: str) -> Tuple[Optional[Dict[str, Any]], str]:
    """Of the processes that measured, the one that measured most, and what its recorder says went wrong."""
    best, message = None, ""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                measured = json.load(file)
            if best is None or len(measured["kernels"]) > len(best["kernels"]):
                best = measured
                message = _message(os.path.join(folder, name[: -len("json")] + "status")) or message
    return best, message


def _message(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            first = file.readline().rstrip("\n")
    except OSError:
        return ""
    return first[len("message ") :] if first.startswith("message ") else ""


def record_and_measure(arguments: List[str], path: str, percentile: float) -> int:
    """The two runs of `habitat record --counters`: both are processes of their own, so that the first has given its
    GPU memory back when the second starts. Returns the exit code."""
    command = [sys.executable, "-m", "habitat.recording", *arguments]
    code = process.run(command, {**os.environ, "HABITAT_RECORD_MODE": "trace"})
    if code != 0:
        return code
    if os.environ.get("WORLD_SIZE", "1") != "1":
        print(f"habitat: {path}: no counters: they are for one process, not for torchrun", file=sys.stderr)
        return 0
    try:
        merged, message = add(path, command, percentile)
    except RecordError as error:
        merged, message = 0, str(error)
    if message:
        print(f"habitat: {path}: {'no counters' if merged == 0 else 'counters'}: {message}", file=sys.stderr)
    if merged:
        print(f"{path}: counters on {merged} kernels", flush=True)
    return 0
