"""Measures random convolutions on the GPU at hand.

Usage: PYTHONPATH=python python3 tools/measure_convolutions.py times OUT.csv [--budget SECONDS] [--seed N] [--gpu NAME] [--benchmark]
       PYTHONPATH=python python3 tools/measure_convolutions.py ratios TIMES.csv
       PYTHONPATH=python python3 tools/measure_convolutions.py algorithms OUT.csv [--benchmark N] [--heuristics N]

times: how long convolutions take, in the columns of `habitat collect` (docs/dataset.md). Each is measured in strict fp32,
tf32, fp16 and bf16, forward and both gradients, so that the formats can be compared shape by shape; some with channels last,
some with both gradients in one call. With --benchmark all as cudnn.benchmark chooses (the column source says so): PyTorch keeps
the algorithm of a shape, so that one process has one way. One seed gives the same list on every GPU. A row is written as soon
as it is measured; a file that is there goes on where it stopped. data/measurements/convolutions_h200.csv.gz is 160 seconds of it.

ratios: the table of docs/modelling.md#traces, from a file of times: what formats cost, shape by shape.

algorithms: which algorithm cuDNN takes in strict fp32 and the workspace of each pass: data/measurements/
convolution_algorithms_h200.csv is this with the counts that are the defaults (5 minutes on an H200).
"""

import argparse
import csv
import multiprocessing
import random
import re
import statistics
import sys
import time

FORMATS = ("fp32", "tf32", "fp16", "bf16")
PASSES = ("forward", "backward_input", "backward_weight")

# ---- Shapes whose times are measured ----

CHANNELS = (16, 24, 32, 40, 48, 64, 64, 80, 96, 112, 128, 128, 144, 160, 192, 192, 224, 256, 256, 288, 320, 384, 448, 512, 512,
            576, 640, 768, 960, 1024, 1280, 1536, 2048)  # fmt: skip
SIDES = (7, 8, 12, 14, 14, 16, 17, 24, 28, 28, 32, 35, 48, 56, 56, 64, 71, 73, 96, 112, 112, 128, 147, 149, 224)
BATCHES = (1, 2, 4, 8, 12, 16, 24, 32, 32, 48, 64, 64, 96, 128, 256)
# First layers: kernel, stride, output channels, sides of the image.
STEMS = (
    (7, 2, (64,), (224, 256)), (3, 1, (16, 32, 64), (32, 64, 224)), (3, 2, (24, 32, 40, 64), (224, 299)),
    (5, 1, (6, 20, 32, 64), (28, 32, 64)), (4, 4, (96, 128), (224,)), (16, 16, (384, 768), (224,)), (11, 4, (64, 96), (224,)),
    (4, 2, (64, 128), (64, 128)),
)  # fmt: skip
# Kernel (height, width), stride, most channels, how often.
BODIES = (
    ((1, 1), 1, 2048, 20), ((1, 1), 2, 1024, 4), ((3, 3), 1, 640, 26), ((3, 3), 2, 640, 9), ((5, 5), 1, 256, 5), ((5, 5), 2, 256, 1),
    ((7, 7), 1, 128, 2), ((1, 7), 1, 256, 3), ((7, 1), 1, 256, 3), ((1, 3), 1, 512, 2), ((3, 1), 1, 512, 2), ((4, 4), 2, 1024, 2),
    ((2, 2), 2, 768, 2),
)  # fmt: skip
LARGEST_ELEMENTS, LARGEST_FLOP = 2**28, 3e11


def _sized(batch, c_in, c_out, side, kernel, stride, padding, **more):
    """A shape by the parameters of a dataset; `kernel` and `padding` are (height, width)."""
    shape = {"batch": batch, "c_in": c_in, "c_out": c_out, "in": side}
    if kernel[0] == kernel[1]:
        shape.update(kernel=kernel[0], stride=stride, padding=padding[0])
    else:
        shape.update(kernel_h=kernel[0], kernel_w=kernel[1], stride=stride, padding_h=padding[0], padding_w=padding[1])
    return {**shape, **more}


def _stem(rng):
    k, stride, outs, sides = rng.choice(STEMS)
    padding = 0 if k in (16, 4) and stride == k else k // 2 if k % 2 else 1
    if k == 3 and rng.random() < 0.3:
        padding = 0
    channels = rng.choice((3, 3, 3, 3, 1))
    return _sized(rng.choice(BATCHES), channels, rng.choice(outs), rng.choice(sides), (k, k), stride, (padding,) * 2)


def _body(rng):
    kernel, stride, most, _ = rng.choices(BODIES, [body[3] for body in BODIES])[0]
    channels = [c for c in CHANNELS if c <= most]
    c_in = rng.choice(channels)
    c_out = c_in if rng.random() < 0.3 else rng.choice(channels)
    padding = tuple(k // 2 for k in kernel) if kernel[0] % 2 else (1, 1) if kernel[0] == 4 else (0, 0)
    if kernel == (3, 3) and rng.random() < 0.1:
        padding = (0, 0)
    return _sized(rng.choice(BATCHES), c_in, c_out, rng.choice(SIDES), kernel, stride, padding)


def _depthwise(rng):
    k, c = rng.choice((3, 3, 3, 5, 7)), rng.choice(CHANNELS)
    return _sized(rng.choice(BATCHES), c, c, rng.choice(SIDES), (k, k), rng.choice((1, 1, 1, 2)), (k // 2,) * 2, groups=c)


def _grouped(rng):
    groups = rng.choice((2, 4, 8, 32, 32, 64))
    c = groups * rng.choice((4, 8, 16, 24, 32))
    return _sized(rng.choice(BATCHES), c, c, rng.choice(SIDES), (3, 3), rng.choice((1, 1, 2)), (1, 1), groups=groups)


def _transposed(rng):
    kernel, padding = rng.choice((((2, 2), (0, 0)), ((4, 4), (1, 1))))
    channels = [c for c in CHANNELS if c <= 1024]
    return _sized(rng.choice(BATCHES), rng.choice(channels), rng.choice((*channels, 3)), rng.choice(SIDES), kernel, 2, padding,
                  transposed=1)  # fmt: skip


FAMILIES = ((_stem, 14), (_body, 66), (_depthwise, 11), (_grouped, 5), (_transposed, 4))


def pixels_out(shape, axis):
    """Height (axis "h") or width ("w") of the result."""
    kernel, padding = (shape.get(f"{what}_{axis}", shape.get(what, 0)) for what in ("kernel", "padding"))
    if shape.get("transposed"):
        return (shape["in"] - 1) * shape["stride"] - 2 * padding + kernel
    return (shape["in"] + 2 * padding - kernel) // shape["stride"] + 1


def cost(shape):
    """(elements of both images, flop of a pass)."""
    out = pixels_out(shape, "h") * pixels_out(shape, "w")
    area = shape.get("kernel_h", shape.get("kernel")) * shape.get("kernel_w", shape.get("kernel"))
    images = shape["batch"] * (shape["c_in"] * shape["in"] ** 2 + shape["c_out"] * out)
    steps = shape["in"] ** 2 if shape.get("transposed") else out
    return images, 2 * shape["batch"] * steps * area * shape["c_in"] * shape["c_out"] / shape.get("groups", 1)


def drawn(seed):
    """Distinct shapes without end, the same for the same seed."""
    rng, seen = random.Random(seed), set()
    while True:
        shape = rng.choices([f[0] for f in FAMILIES], [f[1] for f in FAMILIES])[0](rng)
        if pixels_out(shape, "h") < 1 or pixels_out(shape, "w") < 1:
            continue
        elements, flop = cost(shape)
        key = tuple(sorted(shape.items()))
        if key not in seen and elements <= LARGEST_ELEMENTS and flop <= LARGEST_FLOP:
            seen.add(key)
            yield shape


def points(seed):
    """Points without end: every shape in all formats and passes; each third with channels last as well, each sixth with
    both gradients in one call as well."""
    for number, shape in enumerate(drawn(seed)):
        op = "conv_transpose2d" if shape.get("transposed") else "conv2d"
        shapes = [shape] + ([{**shape, "channels_last": 1}] if number % 3 == 0 else [])
        passes = PASSES + (("backward",) if number % 6 == 1 else ())
        for layout in shapes:
            for dtype in FORMATS:
                for which in passes:
                    yield op, which, dtype, layout


# ---- Times ----


def measured(point, source, gpu):
    """One row of the dataset; None where the shape does not run here. Shorter runs than a sweep of all operations has."""
    import torch
    from habitat.measuring import dataset
    from habitat.measuring.operations import build
    from habitat.measuring.timing import measure

    op, which, dtype, shape = point
    try:
        t = measure(lambda: build(op, which, dtype, shape), target_ms=1.5, repeats=3, most_calls=50)
    except RuntimeError:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        return None
    return {"gpu": gpu, "op": op, "pass": which, "dtype": dtype, "shape": dataset.shape_text(shape), "latency_ms": f"{t.ms:.6g}",
            "min_ms": f"{t.min_ms:.6g}", "repeats": t.repeats, "timing": t.how, "source": source}  # fmt: skip


def times(chosen):
    import torch
    from habitat.measuring import dataset
    from habitat.measuring.collect import gpu_name

    kept = dataset.read(chosen.output)
    known = {(*dataset.key_of(row), row["source"]) for row in kept}
    gpu, end, new, failed = chosen.gpu or gpu_name(), time.monotonic() + chosen.budget, 0, 0
    source = f"measure_convolutions torch {torch.__version__}" + (" cudnn.benchmark" if chosen.way else "")
    torch.backends.cudnn.benchmark = chosen.way
    with open(chosen.output, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, dataset.COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)  # without a last line that a stop cut short
        for point in points(chosen.seed):
            if time.monotonic() >= end or new + failed >= chosen.count:
                break
            if (gpu, *point[:3], dataset.shape_text(point[3]), source) in known:
                continue
            row = measured(point, source, gpu)
            failed += row is None
            new += row is not None
            if row:
                writer.writerow(row)
                stream.flush()
            if (new + failed) % 100 == 0 and torch.cuda.is_available():
                torch.cuda.empty_cache()
    print(f"{chosen.output}: {new} new rows, {failed} did not run here")
    return 0


# ---- What formats cost ----

LEAST_MS = 0.05  # in fp32: shorter ones are mostly their start
KINDS = ("3 x 3, stride 1", "1 x 1", "images of 3 channels or 1", "depthwise")


def kind_of(shape):
    """The row of the table, or None."""
    if shape["c_in"] <= 3:
        return KINDS[2]
    if shape.get("groups", 1) > 1 or shape.get("transposed"):
        return KINDS[3] if shape.get("groups", 1) == shape["c_in"] else None
    if shape.get("kernel") == 3:
        return KINDS[0] if shape["stride"] == 1 else None
    return KINDS[1] if shape.get("kernel") == 1 else None


def ratios_of(rows):
    """{(kind, format): {pass: ratios to strict fp32, ascending}}, NCHW."""
    from habitat.measuring import dataset

    of = {}
    for row in rows:
        of.setdefault((row["shape"], row["pass"]), {})[row["dtype"]] = float(row["latency_ms"])
    found = {}
    for (text, which), ms in of.items():
        shape = dataset.shape_of(text)
        kind = None if shape.get("channels_last") or ms.get("fp32", 0) < LEAST_MS else kind_of(shape)
        for dtype in ("fp16", "tf32") if kind and which in PASSES else ():
            if dtype in ms:
                found.setdefault((kind, dtype), {}).setdefault(which, []).append(ms[dtype] / ms["fp32"])
    return {key: {which: sorted(values) for which, values in passes.items()} for key, passes in found.items()}


def ratios(chosen):
    from habitat.measuring import dataset

    found = ratios_of(dataset.read(chosen.output))
    print("| | fp16 over strict fp32: forward; gradient of the image; of the weights | TF32 over strict fp32 |\n|---|---|---|")
    for kind in KINDS:
        cells = []
        for dtype in ("fp16", "tf32"):
            passes = found.get((kind, dtype), {})
            cells.append("; ".join(
                f"{statistics.median(v):.2f} ({v[len(v) // 10]:.2f} to {v[-1 - len(v) // 10]:.2f})" for v in (passes.get(p) for p in PASSES) if v
            ))  # fmt: skip
        print(f"| {kind} | {cells[0]} | {cells[1]} |")
    return 0


# ---- Algorithms and workspaces ----

ALGORITHM_CHANNELS = (16, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 448, 512, 768, 1024)
ALGORITHM_SIDES = (7, 8, 14, 16, 17, 28, 32, 35, 56, 64, 73, 112, 128, 224)
ALGORITHM_BATCHES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)
ALGORITHM_KERNELS = ("3x3", "1x1", "5x5", "7x7", "1x7", "7x1", "3x3s2", "4x4s2")
ALGORITHM_WEIGHTS = (60, 8, 10, 4, 4, 4, 7, 3)
# Layers of VGG-16 and ResNet-50 at 12 images: c_in, c_out, side, kernel, stride.
NETWORK_BATCH = 12
NETWORKS = (
    (3, 64, 224, 3, 1), (64, 64, 224, 3, 1), (64, 128, 112, 3, 1), (128, 128, 112, 3, 1), (128, 256, 56, 3, 1),
    (256, 256, 56, 3, 1), (256, 512, 28, 3, 1), (512, 512, 28, 3, 1), (512, 512, 14, 3, 1), (3, 64, 224, 7, 2),
    (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1), (256, 128, 56, 1, 1),
    (128, 128, 56, 3, 2), (128, 512, 28, 1, 1), (256, 512, 56, 1, 2), (512, 128, 28, 1, 1), (128, 128, 28, 3, 1),
    (512, 256, 28, 1, 1), (256, 256, 28, 3, 2), (256, 1024, 14, 1, 1), (512, 1024, 28, 1, 2), (1024, 256, 14, 1, 1),
    (256, 256, 14, 3, 1), (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2), (512, 2048, 7, 1, 1), (1024, 2048, 14, 1, 2),
    (2048, 512, 7, 1, 1), (512, 512, 7, 3, 1),
)  # fmt: skip
SIZES = ("batch", "c_in", "c_out", "in", "kernel_h", "kernel_w", "stride")
ALGORITHM_PASSES = ("forward", "to_input", "to_weights")


def algorithm_shapes():
    """(network, sizes) without end: the layers of networks, then random shapes."""
    for c_in, c_out, side, kernel, stride in NETWORKS:
        yield "yes", (NETWORK_BATCH, c_in, c_out, side, kernel, kernel, stride)
    rng = random.Random(7)
    while True:
        kernel = rng.choices(ALGORITHM_KERNELS, ALGORITHM_WEIGHTS)[0]
        rows, columns, stride = int(kernel[0]), int(kernel[2]), 2 if kernel.endswith("s2") else 1
        side, batch = rng.choice(ALGORITHM_SIDES), rng.choice(ALGORITHM_BATCHES)
        c_in, c_out = rng.choice(ALGORITHM_CHANNELS), rng.choice(ALGORITHM_CHANNELS)
        flop = 2 * batch * c_in * c_out * side * side * rows * columns / stride / stride
        if batch * max(c_in, c_out) * side * side * 4 <= 6e8 and flop <= 1.2e12:
            yield "no", (batch, c_in, c_out, side, rows, columns, stride)


def algorithm(kernels):
    """The algorithm in a word, by the names of a pass's kernels."""
    names = " ".join(kernels)
    side = re.search(r"fft2d_r2c_(\d+)x", names)
    if "olded" in names:
        return "folded"
    if side:
        return f"spectra{side.group(1)}"
    if "regular_fft" in names:
        return "spectra1d"
    if "winograd" in names:
        return "tiles9" if "9x9" in names else "tiles4"
    return "copies" if "nchwToNhwc" in names else "direct"


def passes_of(sizes):
    """name: (launch, bytes of the result) of the three passes."""
    import torch

    batch, c_in, c_out, side, rows, columns, stride = sizes
    padding = (1, 1) if rows == 4 else (rows // 2, columns // 2)
    x = torch.randn(batch, c_in, side, side, device="cuda")
    w = torch.randn(c_out, c_in, rows, columns, device="cuda")
    forward = lambda: torch.nn.functional.conv2d(x, w, None, stride, padding)  # noqa: E731
    g = torch.randn_like(forward())

    def gradient(*mask):
        return lambda: torch.ops.aten.convolution_backward(
            g, x, w, None, [stride] * 2, padding, [1, 1], False, [0, 0], 1, [*mask, False]
        )

    launches = (forward, gradient(True, False), gradient(False, True))
    return {name: (launch, of.numel() * 4) for name, launch, of in zip(ALGORITHM_PASSES, launches, (g, x, w))}


def workspace_bytes(launch, result_bytes):
    """Peak of the allocator in the call, less what was there and the result, which it rounds up to 512 byte."""
    import torch

    for _ in range(2):
        launch()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    launch()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before - (result_bytes + 511) // 512 * 512


def kernels_of(launch):
    """Names of the kernels that a call runs."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as p:
        launch()
        torch.cuda.synchronize()
    return [e.name for e in p.events() if e.device_type == torch.autograd.DeviceType.CUDA and not e.name.startswith("Mem")]


def algorithms_of(sizes):
    """Algorithm and workspace of each pass, in the order of the columns."""
    cells = []
    for launch, result_bytes in passes_of(sizes).values():
        held = workspace_bytes(launch, result_bytes)
        cells += [algorithm(kernels_of(launch)), held]
    return cells


def write_algorithms(path, mode, wanted):
    """Appends `wanted` convolutions of a mode."""
    import torch

    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = mode == "benchmark"
    shapes = algorithm_shapes()
    with open(path, "a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        while wanted > 0:
            network, sizes = next(shapes)
            try:
                writer.writerow((mode, network, *sizes, *algorithms_of(sizes)))
            except torch.OutOfMemoryError:
                torch.cuda.empty_cache()
                continue
            stream.flush()
            wanted -= 1
            if wanted % 20 == 0:
                torch.cuda.empty_cache()


def algorithms(chosen):
    """A process for each mode: PyTorch keeps what it chose for a shape, whichever way."""
    with open(chosen.output, "w", newline="", encoding="utf-8") as stream:
        header = ("mode", "network", *SIZES, *(n for p in ALGORITHM_PASSES for n in (p, f"{p}_bytes")))
        csv.writer(stream, lineterminator="\n").writerow(header)
    for mode, wanted in (("benchmark", chosen.benchmark), ("heuristics", chosen.heuristics)):
        job = multiprocessing.get_context("spawn").Process(target=write_algorithms, args=(chosen.output, mode, wanted))
        job.start()
        job.join()
        if job.exitcode:
            return job.exitcode
    print(f"{chosen.output}: {chosen.benchmark} and {chosen.heuristics} convolutions")
    return 0


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = p.add_subparsers(dest="mode", required=True)
    t = modes.add_parser("times", help="times in four number formats")
    t.add_argument("--budget", type=float, default=600, help="seconds to measure for (default: 600)")
    t.add_argument("--count", type=int, default=10**9, help="new rows at most (default: no limit)")
    t.add_argument("--seed", type=int, default=23, help="which list of shapes (default: 23)")
    t.add_argument("--benchmark", dest="way", action="store_true", help="with torch.backends.cudnn.benchmark")
    t.add_argument("--gpu", help="name to write in the column gpu (default: as CUDA names the device)")
    a = modes.add_parser("algorithms", help="algorithms and workspaces in strict fp32")
    a.add_argument("--benchmark", type=int, default=384, help="convolutions where cuDNN tries its algorithms (default: 384)")
    a.add_argument("--heuristics", type=int, default=1337, help="convolutions where it goes by its heuristics (default: 1337)")
    r = modes.add_parser("ratios", help="what formats cost, from a file of times")
    for mode in (t, a, r):
        mode.add_argument("output", metavar="OUT.csv")
    chosen = p.parse_args(argv)
    return {"times": times, "ratios": ratios, "algorithms": algorithms}[chosen.mode](chosen)


if __name__ == "__main__":
    sys.exit(main())
