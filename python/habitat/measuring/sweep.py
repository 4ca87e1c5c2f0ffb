"""The shapes of the sweep: drawn log-uniformly from ranges that training uses, the same for the same seed.

Shapes are shuffled over operations, so that a sweep stopped early still covers all of them.
"""

from __future__ import annotations

import math
import random
from typing import List

from .dataset import Point, Shape
from .operations import elements

LARGEST_ELEMENTS = 2**30
SMALLEST_ELEMENTS = 2**10


def _log(rng: random.Random, low: float, high: float, multiple: int = 1) -> int:
    value = math.exp(rng.uniform(math.log(low), math.log(high)))
    return max(multiple, int(round(value / multiple)) * multiple)


def _size(rng: random.Random, low: float, high: float) -> int:
    """A dimension: mostly a multiple of 64 as layers have, sometimes of 8, now and then anything."""
    return _log(rng, low, high, rng.choice((64, 64, 64, 8, 1)) if high > 64 else 1)


def _product(rng: random.Random) -> Shape:
    return {"m": _log(rng, 16, 16384, rng.choice((1, 16, 64))), "n": _size(rng, 32, 16384), "k": _size(rng, 32, 16384)}


def _gemm(rng: random.Random) -> Shape:
    return {**_product(rng), "trans_a": rng.randrange(2), "trans_b": rng.randrange(2)}


def _bmm(rng: random.Random) -> Shape:
    return {"b": _log(rng, 2, 512), "m": _size(rng, 16, 2048), "n": _size(rng, 16, 2048), "k": _size(rng, 16, 2048)}


def _conv(rng: random.Random) -> Shape:
    kernel = rng.choice((1, 1, 3, 3, 3, 5, 7))
    shape = {"batch": _log(rng, 1, 128), "c_in": _size(rng, 3, 1024), "c_out": _size(rng, 8, 1024),
             "in": _log(rng, 7, 224), "kernel": kernel, "stride": rng.choice((1, 1, 1, 2)),
             "padding": kernel // 2, "groups": 1}  # fmt: skip
    if rng.random() < 0.08:
        shape.update(c_out=shape["c_in"], groups=shape["c_in"])
    return shape


def _conv_transpose(rng: random.Random) -> Shape:
    return {"batch": _log(rng, 1, 128), "c_in": _size(rng, 16, 512), "c_out": _size(rng, 8, 512),
            "in": _log(rng, 4, 64), "kernel": 4, "stride": 2, "padding": 1, "transposed": 1}  # fmt: skip


def _attention(rng: random.Random) -> Shape:
    heads = rng.choice((8, 12, 16, 20, 32))
    length = _log(rng, 64, 4096, 64)
    return {"batch": _log(rng, 1, 64), "heads": heads, "kv_heads": rng.choice((heads, heads, heads // 4)),
            "q_len": length, "kv_len": length, "head_dim": rng.choice((64, 64, 128)),
            "causal": rng.randrange(2)}  # fmt: skip


def _rnn(rng: random.Random) -> Shape:
    return {"batch": _log(rng, 4, 256), "steps": _log(rng, 8, 128), "input": _size(rng, 128, 2048),
            "hidden": rng.choice((128, 256, 512, 768, 1024, 1536, 2048)), "layers": rng.choice((1, 1, 2)),
            "bidirectional": int(rng.random() < 0.2)}  # fmt: skip


def _rows(rng: random.Random) -> Shape:
    return {"rows": _log(rng, 64, 262144), "columns": _size(rng, 32, 16384)}


def _images(rng: random.Random) -> Shape:
    return {"batch": _log(rng, 1, 256), "c_in": _size(rng, 16, 2048), "in": _log(rng, 4, 112)}


def _flat(rng: random.Random) -> Shape:
    return {"columns": _log(rng, 2**12, 2**29)}


# op: (shape generator, passes, number formats, share of the sweep)
SWEEP = {
    "linear": (_product, ("forward",), ("fp32", "tf32", "bf16", "fp16"), 10),
    "gemm": (_gemm, ("forward",), ("fp32", "tf32", "bf16", "fp16"), 14),
    "bmm": (_bmm, ("forward",), ("fp32", "tf32", "bf16", "fp16"), 10),
    "conv2d": (_conv, ("forward", "backward_input", "backward_weight"), ("fp32", "tf32", "bf16", "fp16"), 24),
    "conv_transpose2d": (_conv_transpose, ("forward", "backward_input", "backward_weight"),
                         ("fp32", "tf32", "bf16"), 4),
    "attention": (_attention, ("forward", "backward"), ("bf16", "fp16", "fp32"), 9),
    "lstm": (_rnn, ("forward", "backward"), ("fp32", "bf16"), 5),
    "gru": (_rnn, ("forward", "backward"), ("fp32",), 1),
    "softmax": (_rows, ("forward", "backward"), ("fp32", "bf16"), 5),
    "layer_norm": (_rows, ("forward", "backward"), ("fp32", "bf16"), 6),
    "batch_norm": (_images, ("forward", "backward"), ("fp32", "bf16"), 4),
    "add": (_flat, ("forward",), ("fp32", "bf16"), 2),
    "mul": (_flat, ("forward",), ("fp32", "bf16"), 1),
    "relu": (_flat, ("forward", "backward"), ("fp32", "bf16"), 2),
    "gelu": (_flat, ("forward", "backward"), ("fp32", "bf16"), 2),
    "copy": (_flat, ("forward",), ("fp32", "bf16"), 1),
}  # fmt: skip


def sweep(count: int, seed: int = 1) -> List[Point]:
    """`count` distinct (op, pass, dtype, shape), in an order that covers all operations early."""
    rng = random.Random(seed)
    ops, weights = list(SWEEP), [entry[3] for entry in SWEEP.values()]
    points: List[Point] = []
    seen = set()
    while len(points) < count:
        op = rng.choices(ops, weights)[0]
        generate, passes, dtypes, _ = SWEEP[op]
        shape = generate(rng)
        point = (op, rng.choice(passes), rng.choice(dtypes), tuple(shape.items()))
        if point not in seen and SMALLEST_ELEMENTS <= elements(op, shape) <= LARGEST_ELEMENTS:
            seen.add(point)
            points.append((*point[:3], shape))
    return points
