"""Makes data/measurements/ from the public measurement bundle: the project's schema, thinned.

Usage: python3 tools/make_measurements.py [BUNDLE]     BUNDLE: folder with ops_*.csv.gz and the rest
       (default: $HABITAT_SHARED_DATA, else ../shared/data)

Only the standard library is used. Rows are thinned by a hash of their shape, so that an operation stays or goes on all
GPUs alike; docs/dataset.md says by how much, what that costs, and what each column means. Runs of this script on equal
input give equal bytes.
"""

import csv
import gzip
import io
import os
import pathlib
import shutil
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "data" / "measurements"
COMMON = ["gpu", "source", "split", "timing", "class", "dtype"]
VARIANTS = {"sglang": "sglang", "trtllm": "trtllm"}
SCALAR = {"addu": "add", "mulu": "mul", "divu": "div", "powu": "pow"}
BINARY = ("add", "mul", "div", "pow")
LINEAR_WEIGHT = "1"  # trans_b: a linear layer's weights are stored (n, k), one row an output


def stays(shape, one_in):
    """Whether this shape is among the one in `one_in` that are kept."""
    return zlib.crc32(repr(shape).encode()) % one_in == 0


def rows_of(bundle, name):
    with gzip.open(bundle / name, "rt", newline="") as file:
        yield from csv.DictReader(file)


def write(name, columns, rows):
    """A gzip file without time stamp, rows in a fixed order."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([row.get(column, "") for column in columns])
        count += 1
    with open(OUT / name, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(text.getvalue().encode())
    print(f"{name}: {count} rows, {(OUT / name).stat().st_size / 1e6:.2f} MB", file=sys.stderr)


def significant(value, digits=4):
    return f"{float(value):.{digits}g}"


def gemm_fp32(bundle):
    for r in rows_of(bundle, "ops_gemm_fp32.csv.gz"):
        yield {
            "gpu": r["gpu"], "source": r["source"], "split": r["split"], "timing": "eager", "dtype": r["dtype"],
            "class": "bmm" if r["op"] == "bmm" else "gemm", "bias": "" if r["op"] == "bmm" else "1",
            "b": r["B"], "m": r["M"], "n": r["K"], "k": r["N"], "trans_b": "" if r["op"] == "bmm" else LINEAR_WEIGHT,
            "time_ms": significant(r["latency_ms"], 5),
        }


def conv_fp32(bundle):
    for r in rows_of(bundle, "ops_conv_fp32.csv.gz"):
        yield {
            "gpu": r["gpu"], "source": r["source"], "timing": "eager", "class": "conv", "dtype": r["dtype"],
            "pass": "forward", "batch": r["batch"], "c_in": r["c_in"], "c_out": r["c_out"], "kernel_h": r["kernel_size"],
            "kernel_w": r["kernel_size"], "in_h": r["in_hw"], "in_w": r["in_hw"], "stride_h": r["stride"],
            "stride_w": r["stride"], "pad_h": r["padding"], "pad_w": r["padding"],
            "time_ms": significant(r["latency_ms"], 5),
        }
    yield from deepbench_convolutions(bundle, "fp32", "fp32")


def deepbench_convolutions(bundle, written, dtype):
    for r in rows_of(bundle, "deepbench.csv.gz"):
        if r["op"] != "conv2d" or r["dtype"] != written:
            continue
        for column, which in (("fwd_ms", "forward"), ("bwd_input_ms", "backward_input"), ("bwd_weight_ms", "backward_weight")):
            if r[column]:
                yield {
                    "gpu": r["gpu"], "source": r["source"], "timing": "kernel", "class": "conv", "dtype": dtype,
                    "pass": which, "batch": r["batch"], "c_in": r["c"], "c_out": r["k_out"], "kernel_h": r["filter_h"],
                    "kernel_w": r["filter_w"], "in_h": r["h"], "in_w": r["w"], "stride_h": r["stride_h"],
                    "stride_w": r["stride_w"], "pad_h": r["pad_h"], "pad_w": r["pad_w"], "time_ms": r[column],
                }


def deepbench_rnn(bundle, written, dtype):
    """Layers without input product: the benchmark runs cuDNN in its skip-input mode, so one input stands for none. The
    gradient of the data and that of the weights are two calls; a backward pass needs both. Each step is launched."""
    gates = {"rnn_lstm": "4", "rnn_gru": "3", "rnn_vanilla": "1"}
    for r in rows_of(bundle, "deepbench.csv.gz"):
        if r["op"] not in gates or r["dtype"] != written:
            continue
        backward = ""
        if r["bwd_input_ms"] and r["bwd_weight_ms"]:
            backward = significant(float(r["bwd_input_ms"]) + float(r["bwd_weight_ms"]), 6)
        for time, which in ((r["fwd_ms"], "forward"), (backward, "backward")):
            if time:
                yield {
                    "gpu": r["gpu"], "source": r["source"], "timing": "eager", "class": "rnn", "dtype": dtype,
                    "pass": which, "gates": gates[r["op"]], "batch": r["batch"], "steps": r["timesteps"],
                    "input": "1", "hidden": r["hidden"], "layers": "1", "time_ms": time,
                }


def rnn_fp32(bundle):
    yield from deepbench_rnn(bundle, "fp32", "fp32")


def conv_fp16(bundle):
    """The V100's matrix units; fp16_in_fp32_math computes on plain ones and is left out."""
    yield from deepbench_convolutions(bundle, "fp16_mixed", "fp16")


def rnn_fp16(bundle):
    yield from deepbench_rnn(bundle, "fp16_mixed", "fp16")


def mlp_gemm_fp32(bundle):
    """For method mlp alone: seven more GPUs, 160 products each."""
    for r in rows_of(bundle, "deepbench.csv.gz"):
        if r["op"] == "gemm" and r["dtype"] == "fp32":
            yield {
                "gpu": r["gpu"], "source": r["source"], "timing": "kernel", "class": "gemm", "dtype": r["dtype"],
                "b": "1", "m": r["m"], "n": r["n"], "k": r["k"], "time_ms": r["fwd_ms"],
            }


def pointwise_fp32(bundle):
    for r in rows_of(bundle, "ops_pointwise_fp32.csv.gz"):
        op = r["op"]
        row = op in ("softmax", "ln")
        one_in = 1 if row else 4
        if r["split"] == "train" and not stays((op, r["B"], r["H"]), one_in):
            continue
        made = {
            "gpu": r["gpu"], "source": r["source"], "split": r["split"], "timing": "eager", "dtype": r["dtype"],
            "time_ms": significant(r["latency_ms"], 5),
        }
        if row:
            made.update({"class": "softmax" if op == "softmax" else "norm", "rows": r["B"], "columns": r["H"],
                         "kind": "softmax" if op == "softmax" else "layer_norm"})
        else:
            made.update({"class": "elementwise", "kind": SCALAR.get(op, op), "rows": "1",
                         "columns": str(int(r["B"]) * int(r["H"])), "inputs": "2" if op in BINARY else "1"})
        yield made


GPUS = {"B200": "B200-SXM-180GB"}  # names of the bundle that are not the table's
KNOWN_FORMATS = ("bf16", "fp8", "fp8_block")  # nvfp4: no rate is known of any GPU, so nobody could be predicted


def rows_of_both(bundle, name):
    """Rows of a file of the bundle and of its part for the B200."""
    for part in (name, name.replace(".csv", "_b200.csv")):
        for r in rows_of(bundle, part):
            yield r | {"gpu": GPUS.get(r["gpu"], r["gpu"])}


def gemm_lowprec(bundle):
    unknown = 0
    for r in rows_of_both(bundle, "ops_gemm_lowprec.csv.gz"):
        if r["framework"] == "vllm" and r["dtype"] == "fp8_block":
            continue
        if r["dtype"] not in KNOWN_FORMATS:
            unknown += 1
            continue
        shape = (r["m"], r["n"], r["k"])
        large = 2.0 * int(r["m"]) * int(r["n"]) * int(r["k"]) >= 1e9
        if not stays(shape, 2 if large else 6):
            continue
        yield {
            "gpu": r["gpu"], "source": r["source"], "timing": "serving", "class": "gemm",
            "dtype": "fp8" if r["dtype"] == "fp8_block" else r["dtype"],
            "variant": "block" if r["dtype"] == "fp8_block" else VARIANTS.get(r["framework"], ""),
            "m": r["m"], "n": r["n"], "k": r["k"], "trans_b": LINEAR_WEIGHT, "time_ms": significant(r["latency_ms"]),
            "flag": r["flag"],
        }
    print(f"gemm_lowprec.csv.gz: {unknown} rows of formats without a known rate left out", file=sys.stderr)


def attention(bundle):
    for r in rows_of_both(bundle, "ops_attention.csv.gz"):
        triton = r["kernel"] == "triton" or int(r["head_dim"]) > 256
        yield {
            "gpu": r["gpu"], "source": r["source"], "timing": "serving", "class": "attention", "dtype": r["dtype"],
            "variant": "triton" if triton else VARIANTS.get(r["framework"], ""), "batch": r["batch"], "seq": r["seq"],
            "heads": r["heads"], "kv_heads": r["kv_heads"], "head_dim": r["head_dim"],
            "causal": "1" if r["op"] == "context_causal" else "", "time_ms": significant(r["latency_ms"]),
        }


CONVOLUTION = [c for c in COMMON if c != "split"] + [
    "pass", "batch", "c_in", "c_out", "kernel_h", "kernel_w", "in_h", "in_w", "stride_h", "stride_w", "pad_h", "pad_w",
    "time_ms"]  # fmt: skip
RECURRENT = [c for c in COMMON if c != "split"] + [
    "pass", "gates", "batch", "steps", "input", "hidden", "layers", "time_ms"]  # fmt: skip
FILES = (
    ("gemm_fp32.csv.gz", COMMON + ["b", "m", "n", "k", "bias", "trans_b", "time_ms"], gemm_fp32),
    ("conv_fp32.csv.gz", CONVOLUTION, conv_fp32),
    ("conv_fp16.csv.gz", CONVOLUTION, conv_fp16),
    ("rnn_fp32.csv.gz", RECURRENT, rnn_fp32),
    ("rnn_fp16.csv.gz", RECURRENT, rnn_fp16),
    ("mlp/gemm_fp32.csv.gz", [c for c in COMMON if c != "split"] + ["b", "m", "n", "k", "time_ms"], mlp_gemm_fp32),
    ("pointwise_fp32.csv.gz", COMMON + ["kind", "rows", "columns", "inputs", "time_ms"], pointwise_fp32),
    ("gemm_lowprec.csv.gz", [c for c in COMMON if c != "split"] + [
        "variant", "m", "n", "k", "trans_b", "time_ms", "flag"], gemm_lowprec),
    ("attention.csv.gz", [c for c in COMMON if c != "split"] + [
        "variant", "batch", "seq", "heads", "kv_heads", "head_dim", "causal", "time_ms"], attention),
)


def recorded(row):
    """Whether data/recordings holds the model of this row of e2e_models.csv (tools/eval_models.py, eval_cnns.py, published_steps.py)."""
    source, _, _, dtype, _, gpus = row[:6]
    return source == "neusight" or (source == "ryujaehun" and dtype in ("fp32", "fp16") and gpus == "1")


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HABITAT_SHARED_DATA", ROOT.parent / "shared" / "data")
    bundle = pathlib.Path(given)
    if not (bundle / "ops_gemm_fp32.csv.gz").exists():
        sys.exit(f"make_measurements: {bundle}: no measurement bundle there; name its folder")
    (OUT / "mlp").mkdir(parents=True, exist_ok=True)
    for name, columns, source in FILES:
        write(name, columns, source(bundle))
    for name in ("published_baselines.csv", "published_predictions.csv"):
        shutil.copyfile(bundle / name, OUT / name)
    with open(bundle / "e2e_models.csv") as file:  # whole models: those that recordings match
        lines = [line for number, line in enumerate(file) if number == 0 or recorded(line.split(","))]
    (OUT / "e2e_models.csv").write_text("".join(lines))
    folder = OUT / "e2e_ops"
    folder.mkdir(exist_ok=True)
    for path in sorted((bundle / "e2e_ops").glob("*.csv.gz")):
        shutil.copyfile(path, folder / path.name)
    total = sum(p.stat().st_size for p in OUT.rglob("*") if p.is_file())
    print(f"{total / 1e6:.2f} MB together", file=sys.stderr)


if __name__ == "__main__":
    main()
