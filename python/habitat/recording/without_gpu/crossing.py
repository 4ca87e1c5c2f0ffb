"""Copies between the memory of the host and that of the GPU, and where the script's CPU waits for its GPU. Imports nothing of PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Literal, NamedTuple, Optional, Tuple, Type

if TYPE_CHECKING:
    from .events import Log

# Copies, and where their source is, what they write into (None: the result), and whether the CPU goes on meanwhile.
COPIES = {"aten::_to_copy": (0, None, 5), "aten::copy_": (1, 0, 2)}
# How long their result is, what it is, or whether a matrix could be decomposed hangs on values, which the CPU reads at the end.
READ_AT_END = {
    "aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::_unique", "aten::_unique2", "aten::unique_dim",
    "aten::unique_consecutive", "aten::equal", "aten::allclose", "aten::_linalg_check_errors", "aten::bincount", "aten::histc",
    "aten::linalg_matrix_exp",
}  # fmt: skip
CHOOSE_BY_MASK = {"aten::index", "aten::index_put", "aten::index_put_"}
# Where the number is among their arguments that they write into a tensor.
WRITE = {"aten::copy_": 1, "aten::index_put": 2, "aten::index_put_": 2}
MASKS = ("torch.bool", "torch.uint8")
REPEATS = "aten::repeat_interleave"  # of how often each; its second argument says how many that are together


class Copy(NamedTuple):
    kind: str  # as CUPTI names it, without "Memcpy"
    waits: bool  # the CPU does, as PyTorch has it unless asked not to


def pin(tensor: Any) -> Any:
    """Marks it as in memory that the GPU reads by itself."""
    tensor._habitat_pinned = True
    return tensor


def copy_of(name: str, arguments: List[Any], result: Any, on_gpu: Callable[[Any], bool]) -> Optional[Copy]:
    """What an operation copies from one memory to the other; None of all else."""
    if name not in COPIES:
        return None
    source_at, into_at, goes_on_at = COPIES[name]
    source, into = arguments[source_at], result if into_at is None else arguments[into_at]
    if on_gpu(source) == on_gpu(into):
        return None
    waits = not arguments[goes_on_at]
    return Copy(f"DtoH (Device -> {memory_of(into)})", waits) if on_gpu(source) else to_gpu(memory_of(source), waits)


def memory_of(host: Any) -> str:
    """Which memory a tensor of the host is in, in CUPTI's word."""
    return "Pinned" if getattr(host, "_habitat_pinned", False) else "Pageable"


def to_gpu(memory: str, waits: bool) -> Copy:
    return Copy(f"HtoD ({memory} -> Device)", waits)


def is_mask(index: Any) -> bool:
    return str(index.dtype) in MASKS


def only_mask(indices: Any, on_gpu: Callable[[Any], bool]) -> Any:
    """The mask on the GPU that alone says which elements are written; None where more does."""
    given = [index for index in indices if index is not None]
    return given[0] if len(given) == 1 and is_mask(given[0]) and on_gpu(given[0]) else None


def reads_at_end(name: str, arguments: List[Any], on_gpu: Callable[[Any], bool]) -> bool:
    """Whether the CPU reads a value that an operation on the GPU has found before it goes on."""
    if name in CHOOSE_BY_MASK:
        return any(on_gpu(i) and is_mask(i) for i in arguments[1] if i is not None)
    if name == REPEATS:
        return on_gpu(arguments[0]) and arguments[1] is None
    return name in READ_AT_END and on_gpu(arguments[0])


class Nothing:
    """A stream, event or graph that never has anything to do."""

    def __init__(self, *unused: Any, **unused_too: Any) -> None:
        self.device, self.cuda_stream = None, 0

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *unused: Any) -> Literal[False]:
        return False

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def elapsed_time(self, other: Any) -> float:
        return 1.0

    def record_event(self, event: Any = None) -> Any:
        return event or Nothing()

    def record(self, *unused: Any) -> None:
        pass

    wait = wait_event = wait_stream = synchronize = record


def waited_for(log: Log) -> Tuple[Type[Nothing], Type[Nothing]]:
    """A stream and an event whose `synchronize()` is noted: of an event where nothing has been asked for since it was recorded. What waits
    for less than all is let pass."""

    class Event(Nothing):
        at = -1

        def record(self, *unused: Any) -> None:
            self.at = log.operations

        def synchronize(self, *unused: Any) -> None:
            if self.at == log.operations:
                log.wait("cudaEventSynchronize")

    class Stream(Nothing):
        def record_event(self, event: Any = None) -> Any:
            made = event or Event()
            made.record()
            return made

        def synchronize(self, *unused: Any) -> None:
            log.wait("cudaStreamSynchronize")

    return Stream, Event
