"""Makes a trace small without touching a time: drops what no reader of it needs.

Usage: python3 -m habitat.recording.strip IN OUT

Kept: every kernel, copy and set with its geometry; every call of the CUDA runtime or driver that launches, copies,
waits, records an event or allocates, and the profiler's synchronisation and memory events (the first say what a wait
waited for);
every operation (and module, user and iteration range) but parts of operations that launch nothing, so that the time of
the CPU between two launches keeps its reason; device properties. Times, identifiers and shapes stay as they were, bit for bit.
Dropped: calls that only ask or set something, Python frames, profiler overhead events, GPU copies of CPU ranges,
launch arrows (the correlation number says the same), shapes and sequence numbers of operations that launch nothing, take
no part in the backward pass, allocate nothing and take the CPU less than a millisecond, and figures that follow from others.
"""

from __future__ import annotations

import bisect
import gzip
import json
import sys
import zlib
from typing import Any, Dict, List, Optional, Set, Tuple

from .tracefile import GPU_WORK, Event, Trace, write

OPERATIONS = ("cpu_op", "user_annotation")
CALLS = ("cuda_runtime", "cuda_driver")
ALWAYS_KEPT = (*GPU_WORK, *OPERATIONS, "cuda_sync", "cpu_instant_event")  # the last: `[memory]` of profile_memory=True
DERIVED = (
    "queued",
    "blocks per SM",
    "warps per SM",
    "est. achieved occupancy %",
    "memory bandwidth (GB/s)",
    "Ev Idx",
    "cbid",
)
# Parts of the names of calls that only ask or set something: they neither give work to the GPU nor wait for it.
QUESTIONS = (
    "GetAttribute", "SetAttribute", "GetDevice", "SetDevice", "GetLastError", "PeekAtLastError", "GetErrorString",
    "GetErrorName", "IsCapturing", "GetCaptureInfo", "ExchangeStreamCaptureMode", "Occupancy", "EventQuery", "StreamQuery",
    "EventCreate", "EventDestroy", "EventElapsedTime", "GetFuncBySymbol", "FuncGet", "FuncSet", "KernelGet", "KernelSet",
    "ModuleGet", "LibraryGet", "GetProcAddress", "GetDriverEntryPoint", "StreamGet", "StreamCreate", "CtxGet", "CtxSet",
    "DeviceGet", "PointerGet", "TensorMapEncode", "DriverGetVersion", "RuntimeGetVersion", "GetExportTable",
    "PrimaryCtxGetState", "MemGetInfo", "GetParameterInfo", "PushCallConfiguration", "PopCallConfiguration",
)  # fmt: skip
SHAPES = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
# They launch nothing: their sizes are what a step allocates; a call for fp32 is none in another format.
ALLOCATIONS = ("aten::empty", "aten::resize_")
FORMATS = ("aten::to",)
SLOW_US = 1000.0  # what takes as long on the CPU may grow with the batch: its sizes tell
NOT_OF_IDLE = ("Input Strides", "Sequence number", "Fwd thread id", "External id", "Record function id")
ITERATION_RANGES = ("ProfilerStep#", "habitat_iteration")


def compact(trace: Dict[str, Any]) -> Trace:
    """A new trace with the events and arguments that readers use."""
    events = [event for event in trace["traceEvents"] if isinstance(event, dict)]
    worked = {_correlation(e) for e in events if e.get("cat") in GPU_WORK} - {None}
    launches = [e for e in events if e.get("cat") in CALLS and _correlation(e) in worked]
    working = _operations_with_work(events, launches)
    ends = {(e.get("pid"), e.get("tid"), e.get("ts")) for e in events if id(e) in working}
    arrows = _whole_arrows(events, ends)
    idle = {id(e) for e in events if e.get("cat") in OPERATIONS and id(e) not in working} if worked else set()
    parts = _parts_of_idle(events, idle)
    kept = [_slim(e, id(e) in idle) for e in events if _needed(e, worked, arrows) and id(e) not in parts]
    out = {key: value for key, value in trace.items() if key != "traceEvents"}
    for private in ("traceName", "host_name"):  # they tell about the machine that recorded, not about the step
        out.pop(private, None)
    out["traceEvents"] = kept
    return out


def _correlation(event: Dict[str, Any]) -> Any:
    return (event.get("args") or {}).get("correlation")


def _needed(event: Dict[str, Any], worked: Set[Any], arrows: Set[Any]) -> bool:
    category = event.get("cat")
    if category in ALWAYS_KEPT or event.get("ph") == "M":
        return True
    if category in CALLS:
        return _correlation(event) in worked or not any(part in event["name"] for part in QUESTIONS)
    if category == "fwdbwd":
        return event.get("id") in arrows
    return False


def _operations_with_work(events: List[Event], launches: List[Event]) -> Set[int]:
    """ids of operations that launch GPU work directly or below them, and of their forward partners."""
    times: Dict[Tuple[Any, Any], List[float]] = {}
    for event in launches:
        times.setdefault((event["pid"], event["tid"]), []).append(event["ts"])
    for list_of_ts in times.values():
        list_of_ts.sort()
    kept: Set[int] = set()
    sequences: Set[Any] = set()
    operations = [e for e in events if e.get("cat") in OPERATIONS and e.get("ph") == "X"]
    for event in operations:
        ts = times.get((event["pid"], event["tid"]), ())
        first = bisect.bisect_left(ts, event["ts"])
        has_work = first < len(ts) and ts[first] <= event["ts"] + event.get("dur", 0)
        if has_work or event["name"].startswith(ITERATION_RANGES):
            kept.add(id(event))
            args = event.get("args") or {}
            if args.get("Fwd thread id", 0) and "Sequence number" in args:
                sequences.add(args["Sequence number"])
    for event in operations:
        args = event.get("args") or {}
        if not args.get("Fwd thread id", 0) and args.get("Sequence number") in sequences:
            kept.add(id(event))
    return kept


def _parts_of_idle(events: List[Event], idle: Set[int]) -> Set[int]:
    """ids of operations inside operations that launch nothing: the outer one says where the CPU's time went."""
    parts: Set[int] = set()
    until: Dict[Tuple[Any, Any], float] = {}
    operations = [e for e in events if e.get("cat") == "cpu_op" and e.get("ph") == "X" and id(e) in idle]
    operations.sort(key=lambda e: (e["ts"], -e.get("dur", 0)))
    for event in operations:
        thread, end = (event["pid"], event["tid"]), event["ts"] + event.get("dur", 0)
        if end <= until.get(thread, -1.0):
            if not event["name"].startswith(ALLOCATIONS):
                parts.add(id(event))
        else:
            until[thread] = end
    return parts


def _whole_arrows(events: List[Event], ends: Set[Any]) -> Set[Any]:
    """ids of forward-to-backward arrows of which both ends lie on operations that stay."""
    count: Dict[Any, int] = {}
    for event in events:
        if event.get("cat") == "fwdbwd" and (event.get("pid"), event.get("tid"), event.get("ts")) in ends:
            count[event.get("id")] = count.get(event.get("id"), 0) + 1
    return {arrow for arrow, n in count.items() if n == 2}


def _slim(event: Dict[str, Any], idle: bool) -> Event:
    args = event.get("args")
    if not isinstance(args, dict):
        return event
    unused: Tuple[str, ...] = ()
    if idle:
        sized = event["name"].startswith(ALLOCATIONS + FORMATS) or event.get("dur", 0) >= SLOW_US
        unused = NOT_OF_IDLE if sized else (*NOT_OF_IDLE, *SHAPES)
    slim = {key: value for key, value in args.items() if key not in DERIVED and key not in unused}
    if slim.get("Record function id") == 0:
        del slim["Record function id"]
    if not any(slim.get("Input Dims", ())):  # scalars only, or nothing: no shape to tell
        if not any(slim.get("Concrete Inputs", ())):
            for key in SHAPES:
                slim.pop(key, None)
    return {**event, "args": slim}


def read(path: str) -> Trace:
    """A trace file, plain or gzip, as a dictionary; ValueError says what is wrong with it."""
    with open(path, "rb") as stream:
        data = stream.read()
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        trace = json.loads(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"the gzip data is damaged ({error})") from error
    except ValueError as error:
        raise ValueError(f"is not JSON ({error})") from error
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        raise ValueError("is not a trace: it has no list 'traceEvents'")
    return trace


def main(arguments: Optional[List[str]] = None) -> int:
    from .errors import RecordError

    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    if len(arguments) != 2:
        print("habitat: usage: python3 -m habitat.recording.strip IN OUT", file=sys.stderr)
        return 2
    source, target = arguments
    try:
        trace = read(source)
    except OSError as error:
        print(f"habitat: {source}: cannot be read ({error.strerror}); check the path", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"habitat: {source}: {error}; give a trace of torch.profiler or habitat record", file=sys.stderr)
        return 3
    try:
        write(compact(trace), target)
    except RecordError as error:
        print(f"habitat: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
