"""Tensors without values that say they are on a GPU, and the place that sees each operation on them.

PyTorch's own FakeTensorMode works out shapes. A tensor's device is asked for in two ways. Python gets the device that the
script put it on, "cuda:0". Inside PyTorch, where a build without CUDA has no streams of such a device for autograd to ask for, the
answer is "meta", which has none anywhere. The dispatcher's keys are those of CUDA, so that autocast and our own rules for
operations that differ on a GPU (dispatch.py) hold for these tensors alone.
"""

import threading

# They work on no element.
NO_WORK = {
    "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided", "aten::detach",
    "aten::detach_", "aten::alias", "aten::lift_fresh", "aten::_unsafe_view", "aten::set_", "aten::resize_",
    "aten::_reshape_alias", "aten::record_stream", "aten::is_pinned",
}  # fmt: skip

# PyTorch brings a formula for them as well, which a build without CUDA would use (dispatch.py keeps it from doing so).
OF_GPU = {"aten::_fused_rms_norm", "aten::silu_backward", "aten::mish_backward"}
# They fill their result with zeros, which CUDA does in a kernel of its own, ...
ZEROS_FIRST = {
    "aten::embedding_dense_backward", "aten::nll_loss_backward", "aten::max_pool2d_with_indices_backward",
    "aten::slice_backward", "aten::select_backward", "aten::diagonal_backward", "aten::unfold_backward",
}  # fmt: skip
# ... and these only copy the gradient into it.
COPIED_INTO = {"aten::slice_backward", "aten::select_backward", "aten::diagonal_backward", "aten::unfold_backward"}


def on_gpu(value):
    import torch

    if isinstance(value, torch.Tensor):
        return value.device.type == "cuda"
    return isinstance(value, (list, tuple)) and any(on_gpu(v) for v in value)


def make_mode(log, values):
    """The mode; a function, for PyTorch must not be imported before it is needed."""
    import torch
    from torch._subclasses.fake_tensor import (
        DataDependentOutputException,
        DynamicOutputShapeException,
        FakeTensor,
        FakeTensorMode,
    )

    aten = torch.ops.aten
    ask_device = torch.ops.prim.device.default
    gpu = torch.device("cuda", 0)
    composite = {}

    def is_composite(func):
        if func not in composite:
            parts = torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")
            composite[func] = parts and func._schema.name not in OF_GPU
        return composite[func]

    def in_order(func, args, kwargs):
        named = [kwargs.get(a.name, a.default_value) for a in func._schema.arguments[len(args) :]]
        return [*args, *named]

    class ShapesOnly(FakeTensorMode):
        def __init__(self):
            super().__init__(allow_non_fake_inputs=True)
            self._inside = threading.local()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if func is ask_device:
                device = args[0].fake_device
                return torch.device("meta") if device.type == "cuda" else device
            if kwargs.get("device") is not None and torch.device(kwargs["device"]).type == "meta":
                kwargs = {**kwargs, "device": gpu}  # "where the other tensor is", asked inside PyTorch
            if getattr(self._inside, "on", False) or is_composite(func):
                return super().__torch_dispatch__(func, types, args, kwargs)
            if func is aten._local_scalar_dense.default:
                self._note(func, args, kwargs, None)
                return values.of(args[0])
            self._inside.on = True
            try:
                if func is aten._to_copy.default and not isinstance(args[0], FakeTensor):
                    args = (self.from_tensor(args[0]),)  # loaded for real
                result = self._own(func, args, kwargs)
                if result is NotImplemented:
                    result = super().__torch_dispatch__(func, types, args, kwargs)
            except (DataDependentOutputException, DynamicOutputShapeException):
                values.refuse(f"{func._schema.name} asks for the values of a tensor")
            finally:
                self._inside.on = False
            self._note(func, args, kwargs, result)
            return result

        def _own(self, func, args, kwargs):
            """Operations that FakeTensorMode knows no shapes of on a build without CUDA."""
            if func is aten._amp_foreach_non_finite_check_and_unscale_.default:
                values.know(args[1], 0.0)
            if func is aten._cudnn_rnn_backward.default:
                return cudnn_rnn_backward(*args, **kwargs)
            if func._schema.name == "aten::_fused_rms_norm_backward":
                return tuple(torch.empty_like(t) if wanted else None for t, wanted in zip((args[1], args[4]), args[5]))
            return NotImplemented

        def _note(self, func, args, kwargs, result):
            if not log.on or func.is_view or func._schema.name in NO_WORK:
                return
            arguments, name = in_order(func, args, kwargs), func._schema.name
            if not (on_gpu(result) or any(on_gpu(a) for a in arguments)):
                return
            if name in ZEROS_FIRST:
                log.operation("aten::zero_", [result])
            if name == "aten::_safe_softmax":
                self._note_safe_softmax(arguments, result)
            elif name == "aten::scalar_tensor":
                log.operation("aten::fill_", [result, arguments[0]])
            elif name in COPIED_INTO:
                log.operation("aten::copy_", [arguments[0], arguments[0], False])
            else:
                log.operation(name, arguments)

        def _note_safe_softmax(self, arguments, result):
            """A softmax, then zeros in the rows that are masked altogether."""
            x, dim = arguments[:2]
            self._inside.on = True
            masked = torch.empty_like(result, dtype=torch.bool)
            rows = masked.select(dim, 0).unsqueeze(dim)
            self._inside.on = False
            log.operation("aten::_softmax", [x, dim, False])
            log.operation("aten::isneginf", [x])
            log.operation("aten::all", [masked, dim, True])
            log.operation("aten::where", [rows, result, result])

    return ShapesOnly()


def cudnn_rnn_backward(x, weight, weight_stride0, weight_buf, hx, cx, *rest):
    import torch

    mask = rest[-1]
    grads = [torch.empty_like(t) if wanted and t is not None else None for t, wanted in zip((x, hx, cx), mask[:3])]
    return (*grads, [torch.empty_like(w) for w in weight] if mask[3] else [])
