#!/usr/bin/env python3
"""What kernels of steps move through the GPU's memory, by its counters, beside the bytes of their tensors:
data/recordings/step_traffic_h200.csv.gz, and the three constants that come from it (docs/decisions/0305, 0361).

usage: measure_traffic.py count OUT_DIR [SECONDS]        on a GPU with PyTorch and ncu: one raw CSV a step
       measure_traffic.py table HABITAT OUT_DIR GPU      joins these with data/recordings of the same steps, as CSV
       measure_traffic.py fit GPU_L2_MIB GB_PER_S        prints the constants, and each without one model

A step runs once under ncu after four without it; the caches are left as the step has them, and each kernel runs once, as three
counters need no second pass. Kernels of one step come in the same order: they are joined by their names in this order, where products
are one name, as a library takes another algorithm now and then.
"""

import csv
import gzip
import json
import math
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "data", "recordings", "step_traffic_h200.csv.gz")
STEPS = (
    ("bert", "tf32", 2, "tf32"), ("resnet50", "fp32", 16, "fp32"), ("bert", "amp-bf16", 2, "amp_bf16"),
    ("transformer", "fp32", 32, "fp32"), ("gpt2", "amp-bf16", 4, "bf16"), ("vit", "amp-bf16", 16, "amp_bf16"),
    ("dcgan", "fp32", 64, "fp32"), ("resnet50", "amp-fp16", 64, "amp_fp16"),
)  # fmt: skip
FORWARD = (  # forward passes: case of eval_cnns.py, name of its recording
    ("mobilenet_v2-inf-fp32", "mobilenet_v2_inference_b12_fp32"), ("resnet50-inf-fp16", "resnet50_inference_b12_fp16"),
    ("densenet121-inf-fp32", "densenet121_inference_b12_fp32"), ("vgg16-inf-fp16", "vgg16_inference_b12_fp16"),
)  # fmt: skip
COUNTERS = ("dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum")
SCALES = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1, "us": 1e3, "ms": 1e6}
PRODUCTS = ("gemm", "bmm", "conv", "attention", "rnn")
PRODUCT_NAME = re.compile("gemm|conv|xmma|cutlass|winograd|[wd]grad|fprop|nvjet|splitK|nchw|nhwc|cudnn|cublas|fft|region_transform", re.IGNORECASE)
LEAST_BYTES = 2**20  # below, what the profiler itself moves is not small
FLOOR_NS = 1111.0  # 2200 cycles: the start and end of a kernel (docs/formulas.md)
HALF_AFTER_FLOORS = 2.5
FITTED_FULL, FITTED_SOFT = 0.51, 0.45  # of repeated measurements: operator_memory_time()


def one_step(script, precision, batch=None):
    """What ncu runs: a training step, or without a batch size a forward pass of eval_cnns.py."""
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    import torch

    if batch:
        from steps import load

        step = load(script, precision, int(batch))
    else:
        import torchvision
        from eval_cnns import make_step
        from eval_models import without_tf32

        torch.backends.cudnn.benchmark = True
        if precision == "fp32":
            without_tf32()
        step = make_step(getattr(torchvision.models, script)(weights=None), "inf", precision, "cuda")
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    step()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def count(out, seconds):
    end = time.monotonic() + seconds
    runs = [(f"{script}_b{batch}_{said}", [script, precision, str(batch)]) for script, precision, batch, said in STEPS]
    runs += [(name, case.split("-inf-")) for case, name in FORWARD]
    for name, words in runs:
        subprocess.run(
            ["ncu", "--profile-from-start", "off", "--cache-control", "none", "--clock-control", "none",
             "--metrics", ",".join(COUNTERS), "--csv", "--page", "raw",
             "--log-file", os.path.join(out, name + ".csv"), sys.executable, os.path.abspath(__file__), "step", *words],
            check=True, timeout=max(1, end - time.monotonic()),
        )  # fmt: skip


def short_name(name):
    """The same for a name as ncu and as the profiler write it."""
    bare = name.replace("void ", "", 1).replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    return re.sub(r"[(<].*", "", bare).split("::")[-1].strip()


def one_product(name):
    return "product" if PRODUCT_NAME.search(name) and not name.startswith(("bn_", "max_pool", "vectorized")) else name


def counted(path):
    """(name, bytes read, bytes written, ns) of each kernel."""
    with open(path, encoding="utf-8") as stream:
        head, units, *rows = csv.reader(line for line in stream if line.startswith('"'))
    columns = [head.index(c) for c in COUNTERS]
    for row in rows:
        values = [float(row[c].replace(",", "")) * SCALES[units[c]] for c in columns]
        yield short_name(row[head.index("Kernel Name")]), *values


def joined(ours, theirs):
    """Pairs of places of a longest common subsequence of two lists."""
    common = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i in reversed(range(len(ours))):
        for j in reversed(range(len(theirs))):
            same = ours[i] == theirs[j]
            common[i][j] = common[i + 1][j + 1] + 1 if same else max(common[i + 1][j], common[i][j + 1])
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif common[i + 1][j] >= common[i][j + 1]:
            i += 1
        else:
            j += 1


def explained(habitat, recording):
    """The kernels of a recording in their order: name, class, bytes of their tensors or None, ns."""
    run = subprocess.run(
        [habitat, "explain", recording, "--to", "T4", "--by", "kernel", "--json"], check=True, capture_output=True
    )
    return json.loads(run.stdout)["rows"]


def table(habitat, out, gpu):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("step", "class", "tensor_bytes", "moved_bytes", "recorded_ns"))
    for step in [f"{script}_b{batch}_{said}" for script, _, batch, said in STEPS] + [name for _, name in FORWARD]:
        measured = list(counted(os.path.join(out, step + ".csv")))
        rows = explained(habitat, os.path.join(ROOT, "data", "recordings", f"{step}_{gpu}.json.gz"))
        names = [one_product(short_name(row["kernel"])) for row in rows]
        for at, there in joined(names, [one_product(m[0]) for m in measured]):
            row, m = rows[at], measured[there]
            size_bytes = row["bytes"]
            if row["class"] in PRODUCTS or (size_bytes is not None and size_bytes < LEAST_BYTES):
                continue
            known = "" if size_bytes is None else round(size_bytes)
            writer.writerow((step, row["class"], known, round(m[1] + m[2]), round(row["origin_ms"] * 1e6)))


def fits_share(tensor_bytes, l2_bytes):
    """The part of a kernel's traffic that repeated measurements find in the cache."""
    return 1 - min(max((tensor_bytes - FITTED_FULL * l2_bytes) / (FITTED_SOFT * tensor_bytes), 0), 1)


def cache_share(rows, l2_bytes):
    """Least squares of (DRAM bytes / tensor bytes) over `rows`, weighed by time: 1 - share x fits_share."""
    above = below = 0.0
    for row in rows:
        size, ns = float(row["tensor_bytes"]), float(row["recorded_ns"])
        moved = min(float(row["moved_bytes"]) / size, 2)
        fits = fits_share(size, l2_bytes)
        above += ns * fits * (1 - moved)
        below += ns * fits * fits
    return above / below


def optimizer_share(rows, bytes_per_s):
    """DRAM time over x^2 / (x + k f), x the time past the start: docs/formulas.md#unknown-work."""
    roof = work = 0.0
    for row in rows:
        own = max(float(row["recorded_ns"]) - FLOOR_NS, 0)
        roof += float(row["moved_bytes"]) / bytes_per_s * 1e9
        work += own * own / (own + HALF_AFTER_FLOORS * FLOOR_NS) if own else 0
    return roof / work


def print_cache_share(name, rows, l2_mib):
    sized = [row for row in rows if row["tensor_bytes"]]
    l2_bytes = l2_mib * 2**20
    print(f"{name}  {cache_share(sized, l2_bytes):.2f}  of {len(sized)} kernels")
    for model in sorted({row["model"] for row in rows}):
        left = [row for row in sized if row["model"] != model]
        own = [row for row in sized if row["model"] == model]
        share = cache_share(left, l2_bytes)
        moved = sum(float(row["moved_bytes"]) for row in own)
        said = [float(row["tensor_bytes"]) * (1 - share * fits_share(float(row["tensor_bytes"]), l2_bytes)) for row in own]
        repeated = [float(row["tensor_bytes"]) * (1 - fits_share(float(row["tensor_bytes"]), l2_bytes)) for row in own]
        print(
            f"  without {model:12} {share:.2f}: its DRAM bytes are {moved / math.fsum(said):.2f} times what that says, "
            f"{moved / math.fsum(repeated):.1f} times what repeated measurements say"
        )


def fit(l2_mib, gb_per_s):
    with gzip.open(TABLE, "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["model"] = row["step"].split("_")[0]
    forward = {name for _, name in FORWARD}
    print_cache_share("forward_cache_share", [row for row in rows if row["step"] in forward], l2_mib)
    rows = [row for row in rows if row["step"] not in forward]
    print_cache_share("step_cache_share", rows, l2_mib)
    by_model = {}
    for model in sorted({row["model"] for row in rows}):
        own = [row for row in rows if row["model"] == model and row["class"] == "optimizer" and not row["tensor_bytes"]]
        if own:
            by_model[model] = optimizer_share(own, gb_per_s * 1e9)
    print(f"usual_optimizer   {math.fsum(by_model.values()) / len(by_model):.2f}  mean of")
    for model, share in by_model.items():
        print(f"  {model:12} {share:.2f}")


def main():
    match sys.argv[1:]:
        case ["count", out, *seconds] if len(seconds) <= 1:
            count(out, float(seconds[0]) if seconds else 600)
        case ["step", script, precision, *batch] if len(batch) <= 1:
            one_step(script, precision, *batch)
        case ["table", habitat, out, gpu]:
            table(habitat, out, gpu)
        case ["fit", l2_mib, gb_per_s]:
            fit(float(l2_mib), float(gb_per_s))
        case _:
            sys.exit(__doc__.split("\n\n")[1])


if __name__ == "__main__":
    main()
