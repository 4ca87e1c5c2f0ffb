"""Tensors without values that say they are on a GPU, and the place that sees each operation on them.

PyTorch's own FakeTensorMode works out shapes. A tensor's device is asked for in two ways. Python gets the device that the
script put it on, "cuda:0". Inside PyTorch, where a build without CUDA has no streams of such a device for autograd to ask for,
the answer is "meta", which has none anywhere. The dispatcher's keys are those of CUDA, so that autocast and our own rules for
operations that differ on a GPU (dispatch.py) hold for these tensors alone.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Tuple

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    UnsupportedOperatorException,
)
from torch.utils._python_dispatch import _disable_current_modes

from . import known, recurrent
from .kernels import GROUPED, MATRICES, Kernels, in_order, is_same, on_gpu
from .layouts import CONVOLUTIONS, laid_out_by_cudnn, worked_in

if TYPE_CHECKING:
    from .allocations import Allocations
    from .events import Log
    from .values import Values

    class FakeTensorMode:  # PyTorch's, of which type checkers are told nothing: what is used of it here
        def __init__(self, *, allow_non_fake_inputs: bool) -> None: ...
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any: ...
        def from_tensor(self, tensor: Any) -> Any: ...
        def __enter__(self) -> Any: ...
        def __exit__(self, *unused: Any) -> None: ...

else:
    from torch._subclasses.fake_tensor import FakeTensorMode

aten = torch.ops.aten
ASK_DEVICE = torch.ops.prim.device.default
GPU = torch.device("cuda", 0)
WITHOUT_RULES = torch.Tensor.__torch_dispatch__
IN_PARTS = torch._C.DispatchKey.CompositeImplicitAutograd
IN_PARTS_BEHIND_AUTOGRAD = (
    torch._C.DispatchKey.CompositeExplicitAutograd,
    torch._C.DispatchKey.CompositeExplicitAutogradNonFunctional,
)

# What FakeTensorMode says, then runs, where it cannot tell the shapes of a result: layouts other than dense ones, operations without
# a rule. A PyTorch that is built for CUDA asks for its driver then.
NO_SHAPES = ("Could not run", "Found no NVIDIA driver")


def lacks_shapes(error: RuntimeError) -> bool:
    """Whether an operation ended so because the shapes of its result are not known without its values."""
    return isinstance(error, UnsupportedOperatorException) or any(words in str(error) for words in NO_SHAPES)


# PyTorch brings a formula for them as well, which a build without CUDA would use (dispatch.py keeps it from doing so).
OF_GPU = {"aten::_fused_rms_norm", "aten::silu_backward", "aten::mish_backward"}
# PyTorch knows no shape of these: that of the second of their inputs.
GRADIENTS_OF_SCORES = {"aten::_ctc_loss_backward", "aten::multi_margin_loss_backward", "aten::multilabel_margin_loss_backward"}
# A step of an optimiser in one kernel, in place: it has no result that could have a shape, and PyTorch a rule for Adam's alone.
FUSED_STEPS = ("aten::_fused_ada", "aten::_fused_sgd_")
# They are made of other operations, each in kernels of its own, behind autograd.
MADE_OF_OTHERS = {
    "aten::_euclidean_dist", "aten::logsumexp", "aten::binary_cross_entropy_with_logits", "aten::soft_margin_loss",
    "aten::soft_margin_loss_backward", "aten::dist", "aten::masked_fill", "aten::isinf", "aten::_trilinear", "aten::linalg_pinv",
}  # fmt: skip
# They draw a number for each of the first tensor's, or are the gradients of that: PyTorch has no rule of shapes for them.
DRAWN_LIKE = {
    "aten::_standard_gamma", "aten::_standard_gamma_grad", "aten::_sample_dirichlet", "aten::_dirichlet_grad", "aten::binomial",
}  # fmt: skip


def _has(func: Any, key: Any) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key))


def has_own_rules(kind: Any) -> bool:
    """Whether it is a class of tensors that are made of others, such as numbers in 8 bit beside their scales."""
    return not issubclass(kind, FakeTensor) and getattr(kind, "__torch_dispatch__", WITHOUT_RULES) is not WITHOUT_RULES


class ShapesOnly(FakeTensorMode):
    """Every operation passes here: `log` gets those on the GPU, `values` is asked for numbers."""

    def __init__(self, log: Log, values: Values, allocations: Allocations, overrides: Dict[str, Callable[..., Any]]) -> None:
        super().__init__(allow_non_fake_inputs=True)
        self._overrides = overrides  # name of an operation -> what it does on a GPU
        self._log = log
        self._values = values
        self._allocations = allocations
        self._inside = threading.local()
        self._composite: Dict[Any, bool] = {}
        self._kernels = Kernels(log, self._quiet)

    def __deepcopy__(self, memo: Any) -> "ShapesOnly":
        """A tensor is copied with its mode; there is one mode for all of them."""
        return self

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if any(has_own_rules(kind) for kind in types):
            return NotImplemented  # theirs are asked, and what they do comes here
        if func is ASK_DEVICE:
            device = args[0].fake_device
            return torch.device("meta") if device.type == "cuda" else device
        inside = getattr(self._inside, "on", False)
        if not inside and self._is_composite(func):
            return self._in_parts(func, args, kwargs)
        if kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "meta":
            kwargs = {**kwargs, "device": GPU}  # "where the other tensor is", asked inside PyTorch
        if inside:
            return super().__torch_dispatch__(func, types, args, kwargs)
        if func is aten._to_copy.default and not isinstance(args[0], torch.Tensor):
            return self._number(args[0])
        if func is aten._local_scalar_dense.default:
            self._kernels.note(func, args, kwargs, None)
            return self._values.of(args[0])
        before = self._log.latest
        adds = bool(args) and on_gpu(args[0]) and self._log.follow_gradient(args[0])
        result = self._run(func, types, args, kwargs)
        if adds:
            self._allocations.keep([args[0], result])
        self._values.follow(func._schema.name, args, result)
        self._kernels.note(func, args, kwargs, result)
        self._log.number(before)
        return result

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """What PyTorch runs in it is none of the script's."""
        before, self._inside.on = getattr(self._inside, "on", False), True
        try:
            yield
        finally:
            self._inside.on = before

    def _number(self, value: Any) -> Any:
        """A number that multiplies zeros nobody keeps: PyTorch asks for both on the device "meta", and no kernel runs."""
        with self._quiet(), self:
            return torch.full((), value, device=GPU)

    def _in_parts(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What is taken apart before it comes here, but for `inference_mode()`."""
        own = self._overrides.get(func.name()) if on_gpu(args) else None
        key = next(key for key in (IN_PARTS, *IN_PARTS_BEHIND_AUTOGRAD) if _has(func, key))
        around = self._log.begin_parts(func._schema.name) if func._schema.name in MADE_OF_OTHERS and on_gpu(args) else None
        try:
            with self:
                return own(*args, **kwargs) if own else func._op_dk(key, *args, **kwargs)
        finally:
            self._log.end_range(around)

    def _run(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The result's shapes; what PyTorch runs on the way to them is none of ours."""
        self._inside.on = True
        try:
            result = self._shapes(func, types, args, kwargs)
            if any(t.layout != torch.strided for t in known.tensors_in(result) if on_gpu(t)):
                self._values.refuse(f"{func._schema.name} makes a sparse tensor", "how many elements it has is not known")
            known.follow(func, args, kwargs, result)
            self._allocations.note(func._schema.name if on_gpu(result) else "", result, args[0] if args else None)
            if func._schema.name in CONVOLUTIONS and on_gpu(args):
                self._allocations.pass_by(*worked_in(func._schema.name, args, result))
            return result
        except (DataDependentOutputException, DynamicOutputShapeException):
            result = self._by_values(func, types, args, kwargs)
            if result is NotImplemented:
                self._values.refuse(f"{func._schema.name} asks for the values of a tensor")
            if known.chosen(args):
                self._values.note_choice()
            self._allocations.note(func._schema.name if on_gpu(result) else "", result, args[0] if args else None)
            return result
        except RuntimeError as error:
            if not lacks_shapes(error):
                raise
            what = f"{func._schema.name} cannot be done on tensors without values"
            self._values.refuse(what, "PyTorch knows no shape of its result")
        finally:
            self._inside.on = False

    def _shapes(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is aten._to_copy.default:
            return self._copied(func, types, args[0], kwargs)
        result = self._own(func, args, kwargs)
        if result is NotImplemented:
            result = super().__torch_dispatch__(func, types, args, kwargs)
        if func is aten.view.default and 1 in result.shape:
            return self._laid_out(types, args[0], result)
        images = CONVOLUTIONS.get(func._schema.name)
        return result if images is None or not on_gpu(args) else laid_out_by_cudnn(images, args, result)

    def _laid_out(self, types: Any, source: Any, view: Any) -> Any:
        """The rule for fake tensors gives dimensions of one element other strides than real tensors have, by which products are chosen."""
        with _disable_current_modes():
            real = torch.empty_strided(source.shape, source.stride(), device="meta").view(view.shape).stride()
        if view.stride() == real:
            return view
        return super().__torch_dispatch__(aten.as_strided.default, types, (source, view.shape, real, source.storage_offset()))

    def _copied(self, func: Any, types: Any, source: Any, kwargs: Any) -> Any:
        """FakeTensorMode computes with the values of small constants, which it would take to a real GPU."""
        if not isinstance(source, FakeTensor):
            source = self.from_tensor(source)  # loaded for real
        constant, source.constant = source.constant, None
        try:
            return super().__torch_dispatch__(func, types, (source,), kwargs)
        finally:
            source.constant = constant

    def _by_values(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """A result whose shape hangs on values: all of them are known, or those of the masks that choose from what is not."""
        gpu, made_up = on_gpu(args), known.chosen(args)
        found, result = known.computed(func, args, kwargs)
        if found:
            return self._as_result(result, gpu, made_up)
        if func is aten.equal.default:
            return self._are_equal(*args)
        if func is aten.allclose.default:
            self._values.note_asked()
            return True  # whoever asks expects it
        if func is aten.masked_select.default:
            mask = known.known(args[1])
            shape = torch.broadcast_shapes(args[0].shape, args[1].shape)
            return NotImplemented if mask is None else args[0].new_empty([known.count_true(mask, shape)])
        if func is not aten.index.Tensor:
            return NotImplemented
        places: List[Any] = []
        for index in args[1]:
            if index is None or index.dtype not in (torch.bool, torch.uint8):
                places.append(index)
                continue
            mask = known.known(index)
            if mask is None:
                return NotImplemented
            places += self._as_result(known.places(mask), gpu, made_up)
        return super().__torch_dispatch__(func, types, (args[0], places), kwargs)

    def _are_equal(self, a: Any, b: Any) -> bool:
        """Tensors of the same memory are, others of one shape may be: then the answer is made up."""
        if a.shape != b.shape or is_same(a, b):
            return bool(a.shape == b.shape)
        self._values.note_asked()
        return False

    def _as_result(self, real: Any, gpu: bool, made_up: bool) -> Any:
        """What hangs on values that are known, as tensors where those are that it was computed from."""
        if isinstance(real, (list, tuple)):
            return type(real)(self._as_result(part, gpu, made_up) for part in real)
        if not isinstance(real, torch.Tensor):
            return real
        fake = self.from_tensor(real)
        if gpu:
            fake = self._copied(aten._to_copy.default, (), fake, {"device": GPU})
        fake._habitat_twin = known.Twin(real, [True], fake, made_up)
        return fake

    def _own(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Operations that FakeTensorMode knows no shapes of on a build without CUDA."""
        if func is aten._amp_foreach_non_finite_check_and_unscale_.default:
            self._values.know(args[1], 0.0)
        if func is aten._cudnn_rnn_backward.default:
            return cudnn_rnn_backward(*args, **kwargs)
        if func in recurrent.shapes():
            return recurrent.shapes()[func](*args)
        if func._schema.name == "aten::_ctc_loss":
            return ctc_loss(*args[:4])
        if func._schema.name in GRADIENTS_OF_SCORES:
            return torch.empty_like(args[1])
        if func._schema.name in ("aten::index_copy", "aten::index_copy_") and func._overloadname != "out":
            return args[0] if func._schema.is_mutable else torch.empty_like(args[0])
        if func._schema.name in DRAWN_LIKE:
            return torch.empty_like(args[0])
        if func is GROUPED:
            return grouped_product(*args, **kwargs)
        if func._schema.name in MATRICES and func._overloadname in ("dtype", "dtype_out"):
            first = MATRICES[func._schema.name]
            a, b, dtype = args[first : first + 3]
            return kwargs["out"] if "out" in kwargs else a.new_empty([*a.shape[:-1], b.shape[-1]], dtype=dtype)
        if func._schema.name.startswith(FUSED_STEPS) and not func._schema.returns:
            return None
        if func._schema.name == "aten::_fused_rms_norm_backward":
            return tuple(torch.empty_like(t) if wanted else None for t, wanted in zip((args[1], args[4]), args[5]))
        return NotImplemented

    def _is_composite(self, func: Any) -> bool:
        """Whether its parts pass here as well."""
        if func not in self._composite:
            name = func._schema.name
            behind = name in MADE_OF_OTHERS and any(_has(func, key) for key in IN_PARTS_BEHIND_AUTOGRAD)
            self._composite[func] = behind or (_has(func, IN_PARTS) and name not in OF_GPU)
        return self._composite[func]


def grouped_product(a: Any, b: Any, ends: Any = None, bias: Any = None, out_dtype: Any = None) -> Any:
    """PyTorch's own rule knows bf16 alone, as does its fast kernel; on a GPU other formats go another way."""
    if a.dim() == 2 and b.dim() == 2:
        shape = [ends.numel(), a.shape[0], b.shape[1]]
    else:
        shape = ([a.shape[0]] if a.dim() == b.dim() else []) + [a.shape[-2], b.shape[-1]]
    return a.new_empty(shape, dtype=out_dtype or a.dtype)


def ctc_loss(scores: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
    """A loss for each sequence, and the sums over alignments: a place before, between and after the labels at every step."""
    steps, batch, _ = scores.shape
    longest = targets.shape[1] if targets.dim() == 2 else -(-targets.shape[0] // batch)
    return scores.new_empty([batch]), scores.new_empty([batch, steps, 2 * longest + 1])


def cudnn_rnn_backward(
    x: Any, weight: List[Any], weight_stride0: int, weight_buf: Any, hx: Any, cx: Any, *rest: Any
) -> Tuple[Any, ...]:
    mask = rest[-1]
    grads = [torch.empty_like(t) if wanted and t is not None else None for t, wanted in zip((x, hx, cx), mask[:3])]
    return (*grads, [torch.empty_like(w) for w in weight] if mask[3] else [])
