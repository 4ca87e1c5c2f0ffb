"""What an operation runs on a GPU, noted as operations: one as a rule, others of some.

fake.py asks for it behind each operation. What is asked of tensors here runs quietly: it is none of the script's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, ContextManager, List, Tuple

import torch

from . import crossing, known, layouts

if TYPE_CHECKING:
    from .events import Log

GROUPED = getattr(getattr(torch.ops.aten, "_grouped_mm", None), "default", None)  # since PyTorch 2.8

# They work on no element.
NO_WORK = {
    "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided", "aten::detach",
    "aten::detach_", "aten::alias", "aten::lift_fresh", "aten::_unsafe_view", "aten::set_", "aten::resize_",
    "aten::_reshape_alias", "aten::record_stream", "aten::is_pinned", "aten::_efficientzerotensor",
}  # fmt: skip
# They fill their result with zeros, which CUDA does in a kernel of its own, ...
ZEROS_FIRST = {
    "aten::embedding_dense_backward", "aten::nll_loss_backward", "aten::max_pool2d_with_indices_backward",
    "aten::slice_backward", "aten::select_backward", "aten::diagonal_backward", "aten::unfold_backward",
    "aten::diag_embed", "aten::grid_sampler_2d_backward", "aten::grid_sampler_3d_backward",
    *(f"aten::{kind}_pad{dims}d_backward" for kind in ("reflection", "replication") for dims in (1, 2, 3)),
}  # fmt: skip
# ... and these only copy their tensor into it.
COPIED_INTO = {
    "aten::slice_backward", "aten::select_backward", "aten::diagonal_backward", "aten::unfold_backward", "aten::diag_embed",
}  # fmt: skip
# Products, and where their matrices begin: a format of the result may follow these, of which PyTorch's rule of shapes knows nothing.
MATRICES = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1}
# They choose elements by lists of indices, in which a dimension that is taken whole has none.
INDEXED = {"aten::index", "aten::index_put", "aten::index_put_"}
# They make a tensor and fill it, which is all that runs on a GPU.
FILLED = {
    "aten::new_zeros": "aten::zero_", "aten::new_ones": "aten::fill_", "aten::new_full": "aten::fill_",
    "aten::scalar_tensor": "aten::fill_", "aten::randint": "aten::random_", "aten::linspace": "aten::fill_",
    "aten::randint_like": "aten::random_", "aten::tril_indices": "aten::fill_", "aten::triu_indices": "aten::fill_",
    "aten::hann_window": "aten::fill_", "aten::hamming_window": "aten::fill_", "aten::blackman_window": "aten::fill_",
    "aten::bartlett_window": "aten::fill_", "aten::kaiser_window": "aten::fill_",
}  # fmt: skip
# Gradients of gathers add into zeros, out of place where a tensor is of a class of Python's, as ours are.
ADDED_INTO_ZEROS = {"aten::scatter_add": "GatherBackward", "aten::index_put": "IndexBackward"}
# Gradients of recurrent cells, and of how many tensors of gates biases have theirs.
GATES = {"aten::_thnn_fused_lstm_cell_backward_impl": 1, "aten::_thnn_fused_gru_cell_backward": 2}


def is_same(a: Any, b: Any) -> bool:
    """Whether two tensors are the same elements of the same memory."""
    same_memory = a is b or known.memory_of(a) == known.memory_of(b)
    return same_memory and (a.dtype, a.stride(), a.storage_offset()) == (b.dtype, b.stride(), b.storage_offset())


def on_gpu(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.device.type == "cuda")
    return isinstance(value, (list, tuple)) and any(on_gpu(v) for v in value)


class Kernels:
    """`log` gets what is noted; quiet(): a context in which operations are not."""

    def __init__(self, log: Log, quiet: Callable[[], ContextManager[None]]) -> None:
        self._log = log
        self._quiet = quiet
        self._number: Tuple[Any, Any] = (None, None)  # a tensor that was made of one last, and the event of that

    def note(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """Notes an operation, and whether the CPU waits for the GPU at its end."""
        name = func._schema.name
        if not self._log.on or func.is_view or name in NO_WORK or name.startswith("prims::"):
            return
        arguments = in_order(func, args, kwargs)
        if self._writes_number(name, arguments):
            return
        copy = crossing.copy_of(name, arguments, result, on_gpu)
        if copy is not None:
            self._log.operation(name, arguments, copy.kind)
        else:
            self._bring(name, arguments)
            self._work(func, name, list(arguments), result)
        if name == "aten::scalar_tensor":
            self._number = result, self._log.latest
        if copy.waits if copy is not None else crossing.reads_at_end(name, arguments, on_gpu):
            self._log.wait("cudaStreamSynchronize")

    def _work(self, func: Any, name: str, arguments: List[Any], result: Any) -> None:
        if name in MATRICES and func._overloadname.startswith("dtype"):
            del arguments[MATRICES[name] + 2]
        if name == "aten::clone" and arguments[1] is None:
            arguments[1] = torch.preserve_format
        if not (on_gpu(result) or any(on_gpu(a) for a in arguments)):
            if isinstance(result, torch.Tensor):
                self._log.drawn_on_cpu(name, result.numel())
            return
        with self._quiet():
            copied = list(layouts.copied_first(name, arguments))
        for t, order in copied:
            self._log.operation("aten::clone", [t, order])
        if name in ZEROS_FIRST:
            self._log.operation("aten::zero_", [result[0] if isinstance(result, tuple) else result])
        if name == "aten::baddbmm" and arguments[3] != 0:  # adds to what was copied into its result
            with self._quiet():
                added = arguments[0].expand(result.shape)
            self._log.operation("aten::copy_", [result, added, False])
        if name == "aten::equal":
            self._equal(*arguments)
            return
        if name == "aten::allclose":
            self._log.operation("aten::isclose", arguments)
            name, arguments = "aten::all", [arguments[0]]
        if name == "aten::_is_all_true":
            name, arguments = "aten::all", [arguments[0]]
        if name in INDEXED:
            with self._quiet():
                arguments[:2] = self._leading(*arguments[:2])
        if name == "aten::_safe_softmax":
            self._safe_softmax(arguments, result)
        elif name == "aten::repeat_interleave":  # of how often: where each begins, then its number as often
            self._log.operation("aten::cumsum", [arguments[0], 0, None])
            self._log.operation("aten::fill_", [result, 0])
        elif name == "aten::diagonal_copy":
            self._log.operation("aten::copy_", [result, result, False])
        elif name == "aten::_cdist_backward":
            self._pairs(name, arguments)
        elif name in GATES:
            self._log.operation(name, arguments)
            for gates in result[: GATES[name]] if arguments[-1] else ():  # of their biases
                self._log.operation("aten::sum", [gates, [0], False, None])
        elif name == "aten::nonzero":
            self._log.operation(name, [*arguments, result])
        elif name.startswith("aten::masked_scatter"):
            self._masked_scatter(name, arguments, result)
        elif func is GROUPED and arguments[0].dtype != torch.bfloat16:
            self._groups(*arguments[:3])
        elif name == "aten::roll" and len(arguments[2]) > 1:
            for shift, dim in zip(*arguments[1:]):  # each in a kernel of its own
                self._log.operation(name, [arguments[0], [shift], [dim]])
        elif name == "aten::masked_select":
            self._masked(arguments[0], arguments[1], result)
        elif name == "aten::eye":
            with self._quiet():
                diagonal = result.diagonal()
            self._log.operation("aten::zero_", [result])
            self._log.operation("aten::fill_", [diagonal, 1])
        elif name == "aten::randperm":  # places in the order of random numbers
            self._log.operation("aten::random_", [result])
            self._log.operation("aten::sort", [result, 0, False])
        elif name == "aten::multinomial" and arguments[2]:  # where a random number lies in sums of weights
            for part in ("aten::sum", "aten::cumsum"):
                self._log.operation(part, [arguments[0], [-1], False, None] if part == "aten::sum" else [arguments[0], -1, None])
            self._log.operation("aten::random_", [result])
        elif name in FILLED:
            self._log.operation(FILLED[name], [result, 0] if FILLED[name] == "aten::fill_" else [result])
        elif name in COPIED_INTO:
            self._log.operation("aten::copy_", [arguments[0], arguments[0], False])
        else:
            self._log.operation(name + "_" if _adds_into_zeros(name) else name, arguments)

    def _writes_number(self, name: str, arguments: List[Any]) -> bool:
        """Notes an operation that writes a number of the script's (`x[0] = 1`, `x[mask] = 0`), and says whether it is one. PyTorch leaves such
        a number on the host and fills what is written; in tensors of our kind it fills a tensor of one number before."""
        at = crossing.WRITE.get(name)
        if at is None or not on_gpu(arguments[0]):
            return False
        into, value = arguments[0], arguments[at]
        number, event = self._number
        made = number is not None and on_gpu(value) and known.memory_of(value) == known.memory_of(number)
        retracted = made and self._log.retract(event)
        if name == "aten::copy_":
            if retracted and into.dim():
                self._log.operation("aten::fill_", [into, 0])
            elif retracted:
                self._send(number)
            return retracted
        if not retracted and (on_gpu(value) or value.numel() != 1):
            return False
        mask = None if arguments[3] else crossing.only_mask(arguments[1], on_gpu)
        if mask is not None:
            self._log.operation("aten::masked_fill_", [into, mask, 0])
            return True
        if retracted:
            self._send(number)
        return False

    def _send(self, tensor: Any, memory: str = "Pageable", waits: bool = True) -> None:
        """One of the host goes to the GPU."""
        copy = crossing.to_gpu(memory, waits)
        self._log.operation("aten::_to_copy", [tensor, None, None, None, None, not waits, None], copy.kind)
        if copy.waits:
            self._log.wait("cudaStreamSynchronize")

    def _bring(self, name: str, arguments: List[Any]) -> None:
        """What an operation on the GPU is given on the host and sends there by itself."""
        if name == "aten::where" and on_gpu(arguments[0]):
            for tensor in arguments[1:]:
                if isinstance(tensor, torch.Tensor) and not on_gpu(tensor):
                    self._send(tensor)
        if name not in INDEXED or not on_gpu(arguments[0]):
            return
        for index in arguments[1]:
            if index is not None and not on_gpu(index):
                self._bring_index(index)
        if name != "aten::index" and not on_gpu(arguments[2]):
            self._send(arguments[2])

    def _bring_index(self, index: Any) -> None:
        """Numbers are sent from where they are, masks as the places where they are true, through pinned memory and without waiting."""
        if not crossing.is_mask(index):
            self._send(index, crossing.memory_of(index))
            return
        mask = known.known(index)
        with self._quiet():
            places = index if mask is None else index.new_empty([known.count_true(mask, mask.shape), mask.dim()], dtype=torch.int64)
        self._send(places, "Pinned", waits=False)

    def _leading(self, source: Any, indices: Any) -> Tuple[Any, Any]:
        """What the kernel of an index sees: the dimensions that are chosen from first, and numbers for masks, which it counts before."""
        numbers: List[Any] = []
        for index in indices:
            mask = None if index is None or index.dtype != torch.bool else known.known(index)
            if mask is None:
                numbers.append(index)
                continue
            places = [index.new_empty([len(along)], dtype=torch.int64) for along in known.places(mask)]
            if on_gpu(index):
                self._log.operation("aten::nonzero", [index, index.new_empty([len(places[0]), len(places)], dtype=torch.int64)])
            numbers += places
        if any(n is not None and n.dtype == torch.bool for n in numbers):
            return source, indices  # of a mask that is not known
        numbers += [None] * (source.dim() - len(numbers))
        first = [i for i, n in enumerate(numbers) if n is not None]
        rest = [i for i, n in enumerate(numbers) if n is None]
        return source.permute(first + rest), [numbers[i] for i in first]

    def _masked(self, x: Any, mask: Any, result: Any) -> None:
        """Where the mask is true is counted first; then those elements are taken."""
        with self._quiet():
            x, mask = torch.broadcast_tensors(x, mask)
            places = [result.new_empty(result.shape, dtype=torch.int64) for _ in x.shape]
            found = result.new_empty([result.numel(), x.dim()], dtype=torch.int64)
        self._log.operation("aten::nonzero", [mask, found])
        self._log.operation("aten::index", [x, places])

    def _pairs(self, name: str, arguments: List[Any]) -> None:
        """The gradients of the pairs of points, then their sum for each of the first points."""
        grad, first = arguments[:2]
        with self._quiet():
            pairs = grad.new_empty([*grad.shape[:-2], grad.shape[-1], *first.shape[-2:]])
        self._log.operation(name, arguments)
        self._log.operation("aten::sum", [pairs, [-3], False, None])

    def _masked_scatter(self, name: str, arguments: List[Any], result: Any) -> None:
        """The mask is written out as large as what it is of, and the rest of that is copied; the gradient of the source is what the mask
        takes of the result's."""
        with self._quiet():
            mask = arguments[1].expand(arguments[0].shape)
            taken = result.reshape(-1)
        if name == "aten::masked_scatter_backward":
            self._masked(arguments[0], mask, taken)
            return
        if not mask.is_contiguous():
            self._log.operation("aten::clone", [mask, torch.contiguous_format])
        if name == "aten::masked_scatter":
            self._log.operation("aten::clone", [arguments[0], torch.preserve_format])
        self._log.operation("aten::masked_scatter_", arguments)

    def _equal(self, a: Any, b: Any) -> None:
        """Each element is compared, then all of that; not where shapes or memory say it."""
        with self._quiet():
            told = a.shape != b.shape or is_same(a, b)
            equal = torch.empty_like(a, dtype=torch.bool)
        if not told:
            self._log.operation("aten::eq", [a, b])
            self._log.operation("aten::all", [equal])

    def _safe_softmax(self, arguments: List[Any], result: Any) -> None:
        """A softmax, then zeros in the rows that are masked altogether."""
        x, dim = arguments[:2]
        with self._quiet():
            masked = torch.empty_like(result, dtype=torch.bool)
            rows = masked.select(dim, 0).unsqueeze(dim)
        self._log.operation("aten::_softmax", [x, dim, False])
        self._log.operation("aten::isneginf", [x])
        self._log.operation("aten::all", [masked, dim, True])
        self._log.operation("aten::where", [rows, result, result])

    def _groups(self, a: Any, b: Any, ends: Any) -> None:
        """One kernel makes all products in bf16 alone; in other formats they are made one after another."""
        groups = b.shape[0] if ends is None else ends.numel()
        total = b.shape[1] if a.dim() == 3 else a.shape[0] if b.dim() == 3 else a.shape[1]
        real = None if ends is None else known.known(ends)
        said = [total * (g + 1) // groups for g in range(groups)] if real is None else [int(end) for end in real.tolist()]
        with self._quiet():
            for g, (begin, end) in enumerate(zip([0, *said], said)):
                rows = (begin, end - begin)
                one = a.select(0, g) if a.dim() == 3 else a.narrow(0 if b.dim() == 3 else 1, *rows)
                other = b.select(0, g) if b.dim() == 3 else b.narrow(1 if a.dim() == 3 else 0, *rows)
                if one.numel() and other.numel():
                    self._log.operation("aten::mm", [one, other])


def _adds_into_zeros(name: str) -> bool:
    node = getattr(torch._C, "_current_autograd_node", lambda: None)() if name in ADDED_INTO_ZEROS else None
    return node is not None and bool(node.name().startswith(ADDED_INTO_ZEROS[name]))


def in_order(func: Any, args: Any, kwargs: Any) -> List[Any]:
    """All arguments of a call, as its schema lists them."""
    named = [kwargs.get(a.name, a.default_value) for a in func._schema.arguments[len(args) :]]
    return [*args, *named]
