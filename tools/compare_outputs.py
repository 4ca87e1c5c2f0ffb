"""Compares what two builds of `habitat` answer: a redesign must change no number.

Usage: python3 tools/compare_outputs.py OLD/habitat NEW/habitat [--quick]

Runs `predict` with every method, at other batch sizes, in other precisions and on several GPUs on recordings of this repository, `explain`, `info`, `op` and
`predict-ops` on both and compares the JSON or CSV: numbers within 1e-12 relative, everything else exactly. Prints what differs; exit status 1 if anything does.
--quick: a few recordings.
"""

import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METHODS = ("auto", "habitat", "mlp", "wave", "wave-large", "flops", "bandwidth", "roofline")
OPERATIONS = (
    "gemm --m 4096 --n 4096 --k 1024 --dtype bf16", "gemm --m 512 --n 512 --k 512 --dtype fp32",
    "bmm --b 128 --m 512 --n 64 --k 512", "linear --m 1024 --n 1024 --k 4096 --dtype tf32",
    "conv2d --batch 32 --in-channels 64 --out-channels 64 --kernel 3 --size 56",
    "conv2d --batch 32 --in-channels 64 --out-channels 64 --kernel 3 --size 56 --pass backward --dtype fp16",
    "attention --batch 4 --heads 16 --length 1024 --head-dim 64 --dtype bf16",
    "lstm --batch 32 --steps 50 --input 1024 --hidden 1024", "layer_norm --rows 8192 --columns 1024",
    "softmax --rows 8192 --columns 1024", "add --elements 33554432", "copy --elements 33554432",
)  # fmt: skip
SCALED = (
    ("--batch", "2,24,96"), ("--precision", "fp32"), ("--precision", "tf32"), ("--precision", "amp-bf16"), ("--precision", "amp-fp16", "--batch", "12"),
    ("--gpus", "1,4"), ("--assemble", "sum", "--batch", "5"),
)  # fmt: skip
FOLDERS = ("", "without_gpu", "training_ways", "unusual", "full_size")
TOLERANCE = 1e-12


def output(binary, arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same_value(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
    return a == b


def differences(a, b, where=""):
    """Places where two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            yield from differences(a.get(key), b.get(key), f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{where}[{i}]")
    elif not same_value(a, b):
        yield f"{where}: {a!r} became {b!r}"


def cells(text):
    return [[number(cell) if number(cell) is not None else cell for cell in line.split(",")] for line in text.splitlines()]


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return cells(text)


def commands(quick, rows):
    files = [path for folder in FOLDERS for path in sorted(glob.glob(os.path.join(ROOT, "data", "recordings", folder, "*.json.gz")))]
    for path in files[:: 20 if quick else 4]:
        for method in METHODS:
            yield ["predict", path, "--method", method, "--json"]
        yield ["predict", path, "--to", "T4,B200,MI300X", "--by", "op", "--json"]
        for more in SCALED:
            yield ["predict", path, *more, "--json"]
        yield ["explain", path, "--to", "V100-PCIE-32GB", "--json", "--by", "kernel"]
        yield ["info", path, "--json"]
    for text in OPERATIONS:
        yield ["op", *text.split(), "--to", "all", "--json"]
    for path in rows:
        yield ["predict-ops", path]
        yield ["predict-ops", path, "--to", "A100-PCIE-40GB"]
    yield ["gpus", "--json"]


def sample(folder):
    """A thin sample of every table of measurements."""
    made = []
    for path in sorted(glob.glob(os.path.join(ROOT, "data", "measurements", "*.csv.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            lines = stream.readlines()
        thin = os.path.join(folder, os.path.basename(path)[: -len(".gz")])
        with open(thin, "w", encoding="utf-8") as stream:
            stream.writelines(lines[:1] + lines[1 :: max(1, len(lines) // 200)])
        made.append(thin)
    return made


def main(arguments):
    quick = "--quick" in arguments
    binaries = [os.path.abspath(a) for a in arguments if a != "--quick"]
    if len(binaries) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    count = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(quick, sample(folder)):
            old, new = (output(binary, command) for binary in binaries)
            found = list(differences([old[0], parsed(old[1]), old[2]], [new[0], parsed(new[1]), new[2]]))
            count, bad = count + 1, bad + bool(found)
            for line in found[:3]:
                print(f"{' '.join(command)}\n    {line}")
    print(f"{count} commands, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
