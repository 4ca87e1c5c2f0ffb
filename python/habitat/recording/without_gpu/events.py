"""Operations as events of a trace, in the words of torch.profiler's export. Their times are counters: nothing was timed."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from .backward import Nodes

Event = Dict[str, Any]

MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")  # in the order of c10::MemoryFormat
TYPES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "float8_e4m3fn": "c10::Float8_e4m3fn",
    "float8_e5m2": "c10::Float8_e5m2",
}  # fmt: skip
EVENT_US, STEP_US = 1, 2
# What one random number takes the CPU [ns]; drawn on one thread: steps of docs/decisions/0559 on two hosts, 5.5 to 7.3, 5.0, and 3.9.
NORMAL_NS, UNIFORM_NS, WHOLE_NS = 7.0, 5.0, 4.0
DRAWS = {
    **dict.fromkeys(("randn", "randn_like", "normal", "normal_"), NORMAL_NS),
    **dict.fromkeys(("rand", "rand_like", "uniform", "uniform_", "bernoulli", "bernoulli_"), UNIFORM_NS),
    **dict.fromkeys(("randint", "randint_like", "random", "random_", "randperm"), WHOLE_NS),
}


class Log:
    """Events of what runs between `begin_iteration()` and `end()`."""

    def __init__(self) -> None:
        self.on = False
        self.events: List[Event] = []
        self._now = 0
        self._iteration: Optional[Event] = None
        self._count = 0
        self._drawn_ns = 0.0
        self._nodes = Nodes(self)
        self.latest: Optional[Event] = None  # of the operations
        self.operations = 0  # so many have been noted

    def begin_iteration(self) -> None:
        self._close()
        self.on = True
        self._iteration = self._open("user_annotation", f"ProfilerStep#{self._count}", {})
        self._count += 1

    def end(self) -> None:
        self._close()
        self.on = False

    def operation(self, name: str, arguments: Iterable[Any], copy: Optional[str] = None) -> None:
        """copy: between the host's memory and the GPU's, which."""
        if self.on:
            self._nodes.follow()
            more = {} if copy is None else {"Copy": copy}
            self.latest = self._event("cpu_op", name, EVENT_US, {**describe(arguments), **more})
            self._put(self.latest)
            self.operations += 1

    def retract(self, event: Optional[Event]) -> bool:
        """Takes back an operation, if nothing has been noted since, and says whether it did."""
        if not self.on or event is None or self.events[-1] is not event:
            return False
        self.events.pop()
        self.operations -= 1
        self.latest = None
        return True

    def wait(self, call: str) -> None:
        """The CPU waits for all that it has asked the GPU for, in a call of CUDA of this name."""
        if self.on:
            self._nodes.follow()
            self._put(self._event("cuda_runtime", call, EVENT_US, {}))

    def begin_operation(self, name: str, arguments: List[Any], more: Dict[str, Any]) -> Event:
        """One that others are inside of."""
        return self._open("cpu_op", name, {**(describe(arguments) if arguments else {}), **more})

    def begin_parts(self, name: str) -> Optional[Event]:
        """An operation of which nothing is said but that others are asked for inside it, until `end_range()`."""
        if not self.on:
            return None
        self._nodes.follow()
        return self.begin_operation(name, [], {})

    def follow_gradient(self, gradient: Any) -> bool:
        """Notes that one is added to its parameter, if that is why there is an operation on it, and says whether it is."""
        if not self.on or not self._nodes.adds():
            return False
        self._nodes.follow(gradient)
        return True

    def number(self, before: Optional[Event]) -> None:
        """Behind an operation: which node of autograd it made, if any. before: `latest` before it."""
        self._nodes.number(self.latest if self.on and self.latest is not before else None)

    def drawn_on_cpu(self, name: str, numbers: int) -> None:
        """The step draws so many random numbers on the CPU, by an operation of this name; others are let pass."""
        if self.on:
            self._drawn_ns += DRAWS.get(name.removeprefix("aten::"), 0.0) * numbers

    def drawn_ms(self) -> float:
        """What that takes the CPU in an iteration [ms]."""
        return self._drawn_ns / 1e6 / max(1, self._count)

    def begin_range(self, name: str) -> Optional[Event]:
        if not self.on:
            return None
        self._nodes.follow()
        return self._open("user_annotation", name, {})

    def leave_range(self, event: Optional[Event]) -> None:
        """Ends one of the script's, after what a backward pass inside it has left open."""
        if event is not None and self.on:
            self._nodes.follow()
        self.end_range(event)

    def end_range(self, event: Optional[Event]) -> None:
        if event is not None:
            event["dur"] = self._now - event["ts"]
            self._now += STEP_US

    def trace(self) -> Dict[str, Any]:
        return {"schemaVersion": 1, "deviceProperties": [], "traceEvents": self.events}

    def _open(self, category: str, name: str, args: Dict[str, Any]) -> Event:
        event = self._event(category, name, 0, args)
        self._put(event)
        return event

    def _put(self, event: Event) -> None:
        self.events.append(event)
        self._now += STEP_US

    def _close(self) -> None:
        if self._iteration is not None:
            self._nodes.close()
            self.end_range(self._iteration)
        self._iteration = None

    def _event(self, category: str, name: str, duration: int, args: Dict[str, Any]) -> Event:
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": self._now, "dur": duration, "args": args}


class Ranges:
    """A context manager a range, as torch.profiler.record_function."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __call__(self, name: str) -> _Range:
        return _Range(self._log, name)


class _Range:
    def __init__(self, log: Log, name: str) -> None:
        self._log, self._name = log, name
        self._event: Optional[Event] = None

    def __enter__(self) -> _Range:
        self._event = self._log.begin_range(self._name)
        return self

    def __exit__(self, *unused: Any) -> None:
        self._log.leave_range(self._event)


def describe(arguments: Iterable[Any]) -> Dict[str, List[Any]]:
    """The four lists of the profiler for the arguments of an operation, in the order of its schema."""
    dims, types, strides, values = [], [], [], []
    for value in arguments:
        d, t, s, v = _describe_one(value)
        dims.append(d)
        types.append(t)
        strides.append(s)
        values.append(v)
    return {"Concrete Inputs": values, "Input type": types, "Input Strides": strides, "Input Dims": dims}


def _describe_one(value: Any) -> Tuple[List[Any], str, List[Any], str]:
    import torch

    if isinstance(value, torch.Tensor):
        return list(value.shape), _type(value), list(value.stride()), ""
    if isinstance(value, (list, tuple)):
        tensors = [t for t in value if isinstance(t, torch.Tensor)]
        if tensors:
            kind = f"TensorList[{_type(max(tensors, key=torch.Tensor.numel))}]"
            return [list(t.shape) for t in tensors], kind, [list(t.stride()) for t in tensors], ""
        return [], "ScalarList", [], "[" + ", ".join(_text(v) for v in value) + "]"
    if value is None:
        return [], "", [], ""
    if isinstance(value, torch.memory_format):
        return [], "Scalar", [], str(MEMORY_FORMATS.index(str(value).removeprefix("torch.")))
    if isinstance(value, (bool, int, float, torch.dtype)):
        return [], "Scalar", [], _text(value)
    return [], "", [], ""


def _type(tensor: Any) -> str:
    return TYPES.get(str(tensor.dtype).removeprefix("torch."), "")


def _text(value: Any) -> str:
    import torch

    if isinstance(value, torch.dtype):
        return str(_scalar_type(value))
    return str(value)


def _scalar_type(dtype: Any) -> Union[int, str]:
    """PyTorch's number of a number format, which its profiler writes."""
    import torch

    order = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
             None, torch.complex64, torch.complex128, torch.bool, None, None, None, torch.bfloat16)  # fmt: skip
    return order.index(dtype) if dtype in order else ""
