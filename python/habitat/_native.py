"""Handles of what the C library makes (tables of GPUs, prices, traces, answers, choices), and what is asked of them. No arithmetic here."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Union

from ._library import (
    REPORT_HTML,
    REPORT_JSON,
    ChoiceOptions,
    Handle,
    Pieces,
    Pointer,
    ReadOptions,
    ReportOptions,
    Request,
    call,
    encoded,
    json_of,
    library,
    method_number,
    refuse,
    text_of,
)
from ._wishes import ASSEMBLE, PRECISIONS, Wishes, whole

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


@dataclass(frozen=True)
class Reading:
    """What of a trace is an iteration, and of how many samples, where the trace itself does not say it."""

    iterations: Optional[int] = None
    nvtx_range: Optional[str] = None
    recorded_batch: Optional[int] = None

    def __post_init__(self) -> None:
        if self.iterations is not None:
            object.__setattr__(self, "iterations", whole("iterations", self.iterations))
        if self.recorded_batch is not None:
            object.__setattr__(self, "recorded_batch", whole("recorded_batch", self.recorded_batch))
        if self.nvtx_range is not None and not (isinstance(self.nvtx_range, str) and self.nvtx_range):
            raise ValueError(f"nvtx_range is the name of a range, not {self.nvtx_range!r}")
        if self.iterations is not None and self.nvtx_range is not None:
            raise ValueError("iterations does not go with nvtx_range, whose ranges are the iterations; choose one")


def sha256_of(file: str) -> Optional[str]:
    """None of what cannot be read, or only once, as a pipe."""
    if not os.path.isfile(file):
        return None
    digest = hashlib.sha256()
    try:
        with open(file, "rb") as stream:
            for piece in iter(lambda: stream.read(1 << 20), b""):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


class GpuTable(Handle):
    """Handle of the GPU table: the built-in GPUs, the user's own, and `files`.

    `skipped` has a line for each file of the user's folder that cannot be used; Python warns of it too.
    `sha256` has one of each file that GPUs came from, for telling that another process reads the same.
    """

    def __init__(self, files: Union[PathLike, Iterable[PathLike]] = (), caller: int = 3) -> None:
        """`caller`: how many calls up the user's line is, which a warning names."""
        super().__init__(library.habitat_gpu_table_free, "the GPU table")
        folder, made = ctypes.create_string_buffer(4096), Pointer()
        known = library.habitat_gpu_user_dir(folder, len(folder)) == 0
        call(library.habitat_gpu_table_create, folder.value if known else None, ctypes.byref(made))
        self._own(made)
        self.skipped = self._skipped()
        for line in self.skipped:
            warnings.warn(line, stacklevel=caller)
        own = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
        for file in own:
            call(library.habitat_gpu_table_add_file, self.handle, encoded(os.fsencode(file)), None)
        folders = sorted(Path(os.fsdecode(folder.value)).glob("*.json")) if known else []
        self.sha256 = [sha256_of(os.fsdecode(file)) for file in [*folders, *own]]

    def _skipped(self) -> list[str]:
        count = ctypes.c_size_t()
        files = library.habitat_gpu_skipped_files(self.handle, ctypes.byref(count))
        lines = [files[i].file + b": skipped: " + files[i].message for i in range(count.value)]
        return [line.decode("utf-8", "replace") for line in lines]

    def find(self, name: str) -> tuple[ctypes.c_void_p, bool]:
        """(handle of the GPU, whether `name` left open which part: "V100")."""
        gpu, alias, text, table = ctypes.c_void_p(), ctypes.c_bool(), encoded(name), self.handle
        call(library.habitat_gpu_find, table, text, ctypes.byref(gpu), ctypes.byref(alias))
        return gpu, bool(alias.value and not library.habitat_gpu_name_is_exact(gpu, text))

    def all(self) -> list[ctypes.c_void_p]:
        table = self.handle
        return [ctypes.c_void_p(library.habitat_gpu_at(table, i)) for i in range(library.habitat_gpu_count(table))]

    def describe(self, gpu: Optional[ctypes.c_void_p] = None) -> Any:
        """The JSON of `habitat gpus`, of one handle or of all."""
        return json_of(library.habitat_json_gpus, self.handle, gpu)


class Prices(Handle):
    """Handle of the library's own prices, for the GPUs of a table, which lives as long; a user's are added.

    `notes` says what a user should be told of the files that were read.
    """

    def __init__(self, table: GpuTable) -> None:
        super().__init__(library.habitat_prices_free, "the list of prices")
        made, gpus = Pointer(), table.handle
        call(library.habitat_prices_create, gpus, True, ctypes.byref(made))
        self._own(made, gpus)

    def read(self, file: PathLike) -> None:
        call(library.habitat_prices_read, self.handle, encoded(os.fsencode(file)))

    def set(self, gpu: ctypes.c_void_p, usd_per_hour: float) -> None:
        call(library.habitat_prices_set, self.handle, gpu, usd_per_hour)

    @property
    def notes(self) -> list[str]:
        count, prices = ctypes.c_size_t(), self.handle
        lines = library.habitat_prices_notes(prices, ctypes.byref(count))
        return [lines[i].decode("utf-8", "replace") for i in range(count.value)]


class Answer(Handle):
    """Handle of an answer; `request` is what it was asked by, and lives as long."""

    def __init__(self, request: Request) -> None:
        super().__init__(library.habitat_answer_free, "the answer")
        made = Pointer()
        call(library.habitat_ask, ctypes.byref(request), ctypes.byref(made))
        self._own(made, request)


class Choosing(Handle):
    """Handle of a choice among answers of one table of GPUs, which live as long."""

    def __init__(
        self, answers: Sequence[Answer], weights: Sequence[float], objective: str, vendor: Optional[str] = None, **options: Any
    ) -> None:
        super().__init__(library.habitat_choice_free, "the choice")
        number, count, made = ctypes.c_int(), len(answers), Pointer()
        held = [answer.handle for answer in answers]
        options["vendor"] = None if vendor is None else encoded(vendor)
        call(library.habitat_objective_from_name, encoded(objective), ctypes.byref(number))
        call(
            library.habitat_choose, (ctypes.c_void_p * count)(*held),
            (ctypes.c_double * count)(*weights), count, ctypes.byref(ChoiceOptions(objective=number.value, **options)),
            ctypes.byref(made),
        )  # fmt: skip
        self._own(made, held)

    def describe(self) -> Any:
        """The JSON of `habitat choose`."""
        return json.loads(self._written(format=REPORT_JSON))

    def report(self, shorten: bool) -> str:
        """The page of `habitat choose --html`; `shorten`: the first GPUs in the charts, not all."""
        return self._written(format=REPORT_HTML, shorten=shorten).decode("utf-8")

    def _written(self, **options: Any) -> bytes:
        pieces = Pieces()
        call(library.habitat_report_choice, self.handle, ctypes.byref(ReportOptions(write=pieces.write, **options)))
        return pieces.joined()


def today() -> bytes:
    """By which old prices say their age: the day as of cli_today() of cli/prices.c, which a build may fix for all."""
    epoch, seconds = os.environb.get(b"SOURCE_DATE_EPOCH"), ctypes.c_double(time.time())
    given = ctypes.c_double()
    if epoch and library.habitat_is_number(epoch, ctypes.byref(given)) and 0 <= given.value < 253402300800.0:
        seconds = given  # before the year 10000
    year, month, day = time.gmtime(int(seconds.value))[:3]
    return b"%04d-%02d-%02d" % (year, month, day)


def _notes(lines: Sequence[str]) -> Dict[str, Any]:
    """Fields of a request."""
    return {"notes": (ctypes.c_char_p * len(lines))(*(encoded(line) for line in lines)), "note_count": len(lines)}


def ask_operation(
    table: GpuTable,
    destinations: Sequence[ctypes.c_void_p],
    words: Sequence[str],
    method: str = "auto",
    notes: Sequence[str] = (),
) -> Any:
    """The JSON of `habitat op`. `words`: operation, shape ("m=8 n=8 k=8"), number format, pass."""
    request = Request(
        gpus=table.handle, method=method_number(method),
        destinations=(ctypes.c_void_p * len(destinations))(*destinations), destination_count=len(destinations),
        **_notes(notes),
    )  # fmt: skip
    return json_of(library.habitat_json_operation, ctypes.byref(request), *(encoded(word) for word in words))


class TraceHandle(Handle):
    """Handle of a trace that has been read."""

    def __init__(self, path: PathLike, reading: Reading = Reading()) -> None:
        super().__init__(library.habitat_trace_free, "the trace")
        made, name = Pointer(), reading.nvtx_range
        options = ReadOptions(None if name is None else encoded(name), reading.iterations or 0, False, reading.recorded_batch or 0)
        call(library.habitat_trace_read_with, encoded(os.fsencode(path)), ctypes.byref(options), ctypes.byref(made))
        self._own(made)

    def describe(self, table: GpuTable, origin: Optional[ctypes.c_void_p] = None, notes: Sequence[str] = ()) -> Any:
        """The JSON of `habitat info`."""
        self.handle  # a closed trace is said to be one, before its table
        request = self._asked(origin=origin, gpus=table.handle, no_predictions=True, **_notes(notes))
        return json_of(library.habitat_json_answer, ctypes.byref(request), None, False)

    def _asked(self, **fields: Any) -> Request:
        return Request(trace=self.handle, **fields)

    def predict(
        self,
        table: GpuTable,
        destinations: Sequence[ctypes.c_void_p],
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
        explain: bool = False,
        **beside: Any,
    ) -> Any:
        """The JSON of `habitat predict`, or of `habitat explain` for the first of `destinations` (handles).

        `beside`, here and below: notes, prices, batch_from and fastest_first of `_request`.
        """
        request = self._request(table, destinations, origin, wishes, **beside)
        by = None if wishes.by is None else encoded(wishes.by)
        return json_of(library.habitat_json_answer, ctypes.byref(request), by, explain)

    def report(
        self,
        table: GpuTable,
        destinations: Optional[Sequence[ctypes.c_void_p]],
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
        explain: bool = False,
        **beside: Any,
    ) -> str:
        """The page of `habitat predict --html`, or of `habitat explain --html`; without destinations of all GPUs."""
        request = self._request(table, destinations, origin, wishes, **beside)
        return text_of(library.habitat_html_answer, ctypes.byref(request), explain).decode("utf-8")

    def ask(
        self,
        table: GpuTable,
        destinations: Sequence[ctypes.c_void_p],
        origin: Optional[ctypes.c_void_p],
        wishes: Wishes,
        **beside: Any,
    ) -> Answer:
        """An answer to choose by."""
        return Answer(self._request(table, destinations, origin, wishes, **beside))

    def _request(
        self,
        table: GpuTable,
        destinations: Optional[Sequence[ctypes.c_void_p]],
        origin: Optional[ctypes.c_void_p],
        wishes: Wishes,
        notes: Sequence[str] = (),
        prices: Optional[Prices] = None,
        batch_from: Optional[TraceHandle] = None,
        fastest_first: bool = False,
    ) -> Request:
        prices = prices or Prices(table)
        batches = wishes.batches or (() if wishes.batch is None else (wishes.batch,))
        numbers = wishes.gpu_counts or (() if wishes.gpu_count is None else (wishes.gpu_count,))
        return self._asked(
            origin=origin, gpus=table.handle, method=method_number(wishes.method),
            destinations=None if destinations is None else (ctypes.c_void_p * len(destinations))(*destinations),
            destination_count=len(destinations or ()),
            **_notes(notes),
            assemble=ASSEMBLE[wishes.assemble], cpu_scale=wishes.cpu_scale or 0.0,
            prices=prices.handle,
            batch_sizes=(ctypes.c_uint64 * len(batches))(*batches) if batches else None, batch_size_count=len(batches),
            precision=PRECISIONS[wishes.precision],
            gpu_counts=(ctypes.c_uint32 * len(numbers))(*numbers) if numbers else None, gpu_counts_count=len(numbers),
            sharded=wishes.sharded,
            spot=wishes.spot, today=today(), steps=wishes.steps or 0.0, samples=wishes.samples or 0.0,
            batch_from=None if batch_from is None else batch_from.handle, fastest_first=fastest_first,
        )  # fmt: skip

    def export_chakra(
        self,
        table: GpuTable,
        destination: ctypes.c_void_p,
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
    ) -> bytes:
        """The Chakra execution trace of each GPU that shares the iteration: all are alike."""
        answer = Answer(self._request(table, [destination], origin, wishes))
        return _exported(library.habitat_export_chakra, answer, "a Chakra trace")

    def export_timeline(
        self,
        table: GpuTable,
        destination: ctypes.c_void_p,
        origin: Optional[ctypes.c_void_p] = None,
        wishes: Wishes = Wishes(),
    ) -> bytes:
        """The Chrome trace of `habitat export --timeline`."""
        answer = Answer(self._request(table, [destination], origin, wishes))
        return _exported(library.habitat_export_timeline, answer, "a timeline")


def _exported(function: Callable[..., int], answer: Answer, what: str) -> bytes:
    """What the library writes of an answer's first prediction, as it was replayed."""
    pieces = Pieces()
    replay = library.habitat_answer_replay(answer.handle)  # borrowed from the answer
    if not replay:
        raise refuse(f"{what} needs an iteration that is replayed")
    call(function, replay, library.habitat_answer_prediction(answer.handle, 0), pieces.write, None)
    return pieces.joined()


class RankHandles(TraceHandle):
    """Handles of the traces of ranks, which are asked about together; in any order."""

    def __init__(self, paths: Sequence[PathLike], reading: Reading = Reading()) -> None:
        self._all = [TraceHandle(path, reading) for path in paths]

    @property
    def handle(self) -> Pointer:
        return self._all[0].handle

    def close(self) -> None:
        for trace in self._all:
            trace.close()

    def _asked(self, **fields: Any) -> Request:
        held = [trace.handle for trace in self._all]
        ranks = (ctypes.c_void_p * len(held))(*held)
        request = super()._asked(ranks=ranks, rank_count=len(held), **fields)
        request.kept += held
        return request
