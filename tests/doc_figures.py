#!/usr/bin/env python3
"""Figures in the prose of docs/ are what the program answers and what the generated pages say.

Each row of figures() is a page and a sentence of it, with every number worked out here or in doc_measured.py from `habitat` or from a
table of a generated page. A sentence that is not on its page is an error; it is printed as it should be.

usage: doc_figures.py HABITAT
"""
import json
import math
import pathlib
import re
import subprocess
import sys

import doc_measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
BERT = "data/recordings/bert_large_inference_s512_b8_fp32_h200.json.gz"
LLAMA = "data/recordings/llama_b4_bf16_h200.json.gz"
H200, T4 = "H200-SXM5-141GB", "T4"
FORMULAS, FAMILIES = "docs/formulas.md", "docs/kernel-formulas.md"


class Program:
    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()

    def ask(self, *words):
        out = subprocess.run([self.path, *words, "--json"], cwd=ROOT, check=True, capture_output=True, text=True)
        return json.loads(out.stdout)

    def op_ms(self, words, gpu, *more):
        return self.ask("op", *words.split(), "--to", gpu, *more)["predictions"][0]["ms"]

    def gpu(self, name):
        answer = self.ask("gpus", name)
        return answer["gpus"][0] if "gpus" in answer else answer


def fold(text):
    return " ".join(text.split())


def accuracy():
    return (ROOT / "docs/accuracy.md").read_text(encoding="utf-8")


def held(page, heading):
    """(share, cases) of the row "all" in the table of intervals under a heading of docs/accuracy.md."""
    part = re.search(rf"(?ms)^## {re.escape(heading)}$(.*?)(?=^## |\Z)", page).group(1)
    cases, share = re.search(r"^\| all \| (\d+) \| (\d+) % \|", part, re.M).groups()
    return share, cases


def left_out(page, heading):
    part = re.search(rf"(?ms)^## {re.escape(heading)}$(.*?)(?=^## |\Z)", page).group(1)
    return re.search(r"intervals\s+hold (\d+) % of", part).group(1)


def rates(program):
    for name in (H200, "V100-PCIE-32GB", T4):
        gpu = program.gpu(name)
        yield (f"| {name} | {gpu['sm_count']} | {gpu['boost_clock_hz'] / 1e6:.0f} | {gpu['memory_bandwidth_bytes_per_s'] / 1e9:.0f} | "
               f"{gpu['sustained']['bandwidth_bytes_per_s'] / 1e9:.0f} | {gpu['peak']['plain_flop_per_s']['fp32'] / 1e12:.4g} | "
               f"{gpu['sustained']['plain_flop_per_s']['fp32'] / 1e12:.3g} | {gpu['compute_capability']} |")


def operations(program):
    """(page, sentence) of what `habitat op` answers."""
    square = "gemm --m 4096 --n 4096 --k 4096"
    yield FORMULAS, f"`roofline` on the T4: 137.4 G / 8.141 T = {program.op_ms(square, T4, '--method', 'roofline'):.2f} ms."
    yield FORMULAS, f"*Example*: {program.op_ms(square, T4):.2f} ms for the same product, which is near the sustained rate of 4.2 Tflop/s."
    yield FAMILIES, f"1.384 + (137.7 + sqrt(137.7 (137.7 + 160 x 1.384))) / 2 = {1e3 * program.op_ms('sum --rows 8192 --columns 1024', T4):.1f} us."
    fp64 = program.op_ms("gemm --m 1000 --n 1000 --k 1000 --dtype fp64", "V100-PCIE-32GB")
    yield FAMILIES, f"with f = 1.594 us it is {1e3 * fp64:.1f} us."


def product(rows):
    return next(r for r in rows if r["op"] == "aten::addmm" and r["shape"].startswith("[1024] [4096,1024]"))


def residual(program, row):
    """T_d = A_d (T_o / A_o)^e of one product of BERT-Large."""
    words = "linear --m 4096 --n 1024 --k 1024"
    origin, there, each = program.op_ms(words, H200), program.op_ms(words, T4), row["origin_ms"] / row["calls"]
    share = (each / origin) ** 0.25
    return (f"A_o = {1e3 * origin:.1f} us and A_d = {1e3 * there:.1f} us (`habitat op {words}`) took T_o = {1e3 * each:.1f} us. With e = 1/4: T_d = "
            f"{1e3 * there:.1f} x ({1e3 * each:.1f}/{1e3 * origin:.1f})^0.25 = {1e3 * there:.1f} x {share:.4f} = {1e3 * there * share:.1f} us.")


def products(rows):
    row = product(rows)
    yield (f"They take {row['origin_ms']:.3f} ms on the H200, {1e3 * row['origin_ms'] / row['calls']:.2f} us each, and are predicted to take "
           f"{row['ms']:.1f} ms on the T4")


# the parts of an iteration's interval, docs/formulas.md#intervals: words, class, bias
PARTS = (("gemm, by a model", "gemm", 0.015), ("bmm, by a model", "bmm", 0.132), ("softmax, by a model", "softmax", 0.173),
         ("norm, by a model", "norm", 0.056), ("element-wise, by the rule", "elementwise", 0.023), ("copies, by the rule", "copy", 0.023))


def interval(program):
    step = program.ask("predict", BERT, "--to", T4, "--assemble", "sum")["predictions"][0]
    whole, batch = step["iteration_ms"], step["batch_size"]
    text = subprocess.run([program.path, "explain", BERT, "--to", T4, "--top", "1"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    classes = {name: float(ms) for name, ms in re.findall(r"(?m)^(\w+) +[\d.]+ +([\d.]+) +[\d.]+x", text)}
    yield f"*Example.* BERT-Large on the T4, T = {whole:.2f} ms"
    squares = 0.040**2
    for words, name, bias in PARTS:
        squares += (classes[name] / whole * bias) ** 2
        yield f"| {words} | {classes[name]:.2f} / {whole:.2f} | {bias} | {classes[name] / whole * bias:.4f} |"
    width, kernels = 1.2816 * math.sqrt(squares), program.ask("explain", BERT, "--to", T4)["trace"]["kernels"]
    short = (1.00 * 0.020 * kernels / whole) ** 2
    up = 1.2816 * math.sqrt(squares + short)
    yield f"The squares add to {squares:.7f}, s = {math.sqrt(squares):.5f} and w = {width:.5f}. low = {whole:.2f} / {math.exp(width):.4f} = {step['low_ms']:.1f} ms."
    yield (f"Upwards the mean kernel, {whole:.2f} ms / {kernels} = {whole / kernels:.2f} ms, adds (1.00 x 0.020 / {whole / kernels:.2f})^2 = {short:.6f}: "
           f"w = {up:.4f} and high = {whole:.2f} x {math.exp(up):.4f} = {step['high_ms']:.1f} ms.")
    assert abs(whole / math.exp(width) / step["low_ms"] - 1) < 1e-3 and abs(whole * math.exp(up) / step["high_ms"] - 1) < 1e-3, "the parts do not add up"
    yield f"{batch} / {whole:.1f} ms = {step['samples_per_s']:.2f} samples per second (BERT-Large on the T4)."


def coverage():
    page = accuracy()
    language, networks = "End to end", "End to end: convolutional networks"
    pairs = "Pairs: the same steps recorded on two GPUs"
    shares = [(*held(page, part), left_out(page, part)) for part in (language, networks, pairs)]
    (a, m, x), (b, n, y), (c, o, z) = shares
    yield (f"language models {a} % of {m}, convolutional networks {b} % of {n}, H100 and H200 {c} % of {o}. These parts were fitted on the same "
           f"cases; chosen anew for each case without its GPU and its model, intervals hold {x}, {y} and {z} %.")


def shared(program):
    """What parts of one chip share of what was seen."""
    head = "bmm --b 128 --m 512 --k 512 --n 64"
    yield (f"takes {program.op_ms(head, 'A100-PCIE-40GB'):.3f} ms on the A100-PCIE-40GB by both models (measured 0.513); the A100-PCIE-80GB, which "
           f"nobody measured so, gets {program.op_ms(head, 'A100-PCIE-80GB'):.3f} ms.")


def in_parts(program):
    """The step of the example, its weights in parts on two GPUs."""
    step = "data/recordings/full_size/words_1b_b1_tf32_h100.json.gz"
    row = program.ask("predict", step, "--to", H200, "--gpus", "2", "--sharded")["predictions"][0]
    return (f"{row['sharded_layers']} layers are seen; {row['communication_ms']:.1f} ms of messages, of which {row['exposed_communication_ms']:.1f} make the step longer: "
            f"{row['iteration_ms']:.0f} ms, and {row['memory_bytes'] / 1e9:.1f} GB of memory each.")


def tutorial(program):
    """What the words of the tutorial quote of the answers beside them."""
    row = program.ask("predict", LLAMA, "--to", "L40S")["predictions"][0]
    text = subprocess.run([program.path, "explain", LLAMA, "--to", "L40S"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kernels = re.search(r"(?m)^kernels .* ([\d.]+)x$", text)[1]
    there, here = (re.search(pattern, fold(text))[1] for pattern in (r"bound by arithmetic: (\d+) TFLOP/s", r"x the H200's (\d+); the H200"))
    ratio = f"{row['ratio']:.3g}"
    yield f"the L40S with {ratio}x takes {ratio} times as long"
    yield f"`kernels`: they take {kernels} times as long."
    yield f"The L40S sustains {there} TFLOP/s where the H200 sustains {here}."


def figures(program):
    yield "docs/iteration.md", in_parts(program)
    for sentence in tutorial(program):
        yield "docs/tutorial.md", sentence
    for sentence in shared(program):
        yield "docs/modelling.md", sentence
    rows = program.ask("explain", BERT, "--to", T4)["rows"]
    words = residual(program, product(rows))
    times = re.findall(r"([\d.]+) us", words)
    origin, there, result = times[0], times[1], times[-1]
    yield "docs/architecture.md", f"on both GPUs ({origin} us and {there} us) and scales the measurement: {result} us."
    yield from operations(program)
    for sentence in (words, *rates(program), *products(rows), *interval(program), *coverage()):
        yield FORMULAS, sentence
    yield from doc_measured.figures(program)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = count = 0
    for page, sentence in figures(Program(sys.argv[1])):
        count += 1
        if fold(sentence) not in fold((ROOT / page).read_text(encoding="utf-8").replace("\n\n", "\n")):
            wrong += 1
            print(f"not ok - {page} should say: {sentence}")
    if not wrong:
        print(f"ok - {count} sentences with figures are what the program and the generated pages say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
