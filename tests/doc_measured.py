"""Figures in the prose of docs/iteration.md, iteration-figures.md, kernel-formulas.md, memory.md, recording.md, limits.md and of what quotes their tables: each sentence with its numbers worked out from what `habitat`
answers, from the tables of the same pages (which the tests `evaluated_pages` and `docs_shown` hold), from data/ and from the constants.
doc_figures.py compares."""

import csv
import gzip
import io
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import judge_turns  # noqa: E402
from iteration_goals import number, row, table  # noqa: E402

CLOCK = "docs/decisions/0447-the-clock-beside-the-rule.md"
FIGURES = "docs/iteration-figures.md"
CHANGES = "docs/changes-in-detail.md"
SMALL = "data/recordings/transformer_b32_fp32_h100.json.gz"


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def is_unreleased():
    """Figures of changes are held to today's until a release has them."""
    return page("CHANGELOG.md").split("\n## ")[1].startswith("Unreleased")


def constants():
    text = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("src/base/constants_*.h"))
    return {name: float(value) for name, value in re.findall(r"^CONSTANT\(\w+, (\w+), ([-+.\deE]+),", text, re.M)}


# ---- docs/iteration.md ----


def example(program):
    answer = program.ask("predict", SMALL, "--to", "H100-SXM5-80GB,B200-SXM-180GB,T4")
    trace, step = answer["trace"], {p["gpu"]: p for p in answer["predictions"]}
    h100, b200, t4 = (step[name] for name in ("H100-SXM5-80GB", "B200-SXM-180GB", "T4"))
    assert b200["bound_by"] == "cpu" and t4["bound_by"] == "gpu", "who binds"
    yield (f"{h100['busy_ms']:.0f} ms of kernels, but a step takes {h100['iteration_ms']:.0f} ms, because the CPU needs that long for {trace['kernels']} kernels")
    yield (f"On a B200 the kernels take {b200['busy_ms']:.0f} ms, and the step still takes {b200['iteration_ms']:.0f} ms: such a row is marked `CPU`. "
           f"On a T4 the kernels take {t4['busy_ms']:.0f} ms")


def rule_weights():
    weights = re.search(r"replay_rule_weights\[REPLAY_FEATURES\] = \{([\d.]+), ([\d.]+), ([\d.]+)\}", page("src/replay/rule.c"))
    steps, calls_ns, outermost_ns = map(float, weights.groups())
    return steps, calls_ns / 1e3, outermost_ns / 1e3


def replay_rules(c):
    steps, calls, outermost = rule_weights()
    point, factor, bare = c["replay_point"], c["replay_factor"], c["replay_bare_factor"]
    yield f"its launch plus {c['replay_latency_ns'] / 1e3:.0f} us or what the recording shows"
    yield f"{point:.2f} x ({steps:.2f} x usual step x steps + {calls:.1f} us x calls + {outermost:.1f} us x outermost operations)"
    yield (f"Interval {1 / factor / point:.2f} to {factor / point:.2f} of it. Recordings without operations: {c['replay_bare_share']} of the profiled time, "
           f"interval {math.floor(100 / bare + 0.5) / 100:.2f} to {bare} of it")
    yield f"Where ranks share more than gradients the interval reaches {c['replay_together_factor']} times higher"
    yield f"interval {1 / c['replay_given_factor']:.2f} to {c['replay_given_factor']} of it"
    yield f"their median ({c['replay_gap_ns'] / 1e3} us, {c['replay_gap_across_ns'] / 1e3} us behind another stream"
    yield f"0 to {c['replay_gap_scale_most']} times (docs/decisions/0134)"


def replay_figures(c):
    steps, calls, outermost = rule_weights()
    fitted = re.search(r"all (\d+ steps): ([\d.]+) x usual step x steps \+ ([\d.]+) us x calls \+ ([\d.]+) us x outermost", page(FIGURES))
    near = all(abs(float(made) / own - 1) < 0.01 for made, own in zip(fitted.groups()[1:], (steps, calls, outermost)))
    if not near:  # the rule was not fitted again
        yield f"all {fitted.group(1)}: {steps:.4f} x usual step x steps + {calls:.3f} us x calls + {outermost:.3f} us x outermost"
    yield f"an iteration more than {c['cpu_bound_ratio']:.1f} times as long as the GPU is busy"
    yield f"and the share {c['replay_point']}, were chosen with all recordings in view"
    yield f"of one run differ by more than {100 * c['much_spread']:.0f} %, they are listed apart"


def clock(program, c):
    """The CPU's side by the recorder's clock, and of the same recording by rule."""
    path = ROOT / "data/recordings/in_turns/resnet50_b64_fp32_h200.json.gz"
    with tempfile.TemporaryDirectory() as folder:
        told, ruled = (program.ask("predict", str(file), "--to", "H200-SXM5-141GB")["predictions"][0] for file in (path, judge_turns.without_clock(path, folder)))
    assert (told["cpu_basis"], ruled["cpu_basis"]) == ("clock", "rule"), "the example has lost its clock"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        noted_ms = json.load(stream)["habitat"]["cpu_ms"]
    yield f"takes an H200 {told['iteration_ms']:.1f} ms; of the CPU the clock says {noted_ms:.1f} ms, the rule {ruled['cpu_ms']:.1f}: {told['cpu_ms']:.1f} is taken."
    yield f"the clock's and the rule's mean in log(time), {c['replay_clock_weight']} of it the clock's; interval {c['replay_clock_factor']} either way"
    yield f"where more than {c['replay_queue_room']:.0f} kernels of a stream are still to be done"


def autocast(program):
    """The CPU's side of ViT with the casts of autocast, and what fp16's scaler waits for."""
    step = ROOT / "data/recordings/vit_b16_fp32_h200.json.gz"
    plain, casts = (program.ask("predict", str(step), "--to", "H200-SXM5-141GB", *more)["predictions"][0] for more in ((), ("--precision", "amp-bf16")))
    assert casts["bound_by"] == "cpu", "the example is not bound by its CPU any more"
    with gzip.open(ROOT / "data/recordings/vit_b16_amp_bf16_h200.json.gz", "rt", encoding="utf-8") as stream:
        notes = json.load(stream)["habitat"]
    times = notes["iteration_ms_all"][: notes["iteration_ms_groups"][0]]  # before the profiler was in the process
    yield (f"the CPU's side is {plain['cpu_ms']:.1f} ms by rule, its casts make it {casts['cpu_ms']:.1f} ms; recorded in bf16 on the same GPU it takes "
           f"{statistics.median(times):.1f} ms in the middle, {min(times):.1f} to {max(times):.1f}, bound by its CPU.")
    cells = re.search(r"^\| resnet50_b128_amp_fp16_h200 \| 64 \| ([\d.]+) \| [^|]* \| ([\d.]+) \|", page(FIGURES), re.M)
    yield f"ResNet-50 at batch size 128 on the H200, from fp32 at 64: {float(cells[2]):.1f} ms; {float(cells[1]):.1f} were measured"


def example_of_architecture(program):
    recording = "data/recordings/bert_large_inference_s512_b8_fp32_h200.json.gz"
    answer = program.ask("predict", recording, "--to", "T4")
    trace, step = answer["trace"], answer["predictions"][0]
    assert step["bound_by"] == "gpu" and step["fits"], "the example of docs/architecture.md"
    yield f"{trace['kernels']} kernels, {trace['operations']} operations."
    yield f"One iteration, {trace['kernel_ms']:.2f} ms of kernels."
    yield (f"the times of all {trace['kernels']} kernels: {step['iteration_ms']:.1f} ms, interval {step['low_ms']:.1f} to {step['high_ms']:.1f} ms, bound by the GPU, "
           f"{step['memory_bytes'] / 1e9:.2f} GB fit.")
    shares = step["coverage"]
    yield f"with the methods: learned {100 * shares['learned']:.1f} %, roofline {100 * shares['roofline']:.1f} %."


def without_gpu():
    """The guide's example against what others measured: docs/case-studies.md."""
    measured, predicted, _, *ms = row(table(page("docs/case-studies.md").split("\n## From H200 to B200", 1)[1], "part of the step"), "all")[1:]
    here, guess, there, guessed = map(number, ms)
    yield (f"the B200 was {measured[:-1]} times as fast as the H200 ({predicted[:-1]} was predicted), and the milliseconds above are {100 * (1 - guess / here):.0f} and "
           f"{100 * (1 - guessed / there):.0f} % too few")


def turns(c):
    """What other pages quote of the steps that one process timed in turns."""
    text = page(FIGURES)
    count, told, ruled = re.search(r"Of (\d+) predictions of steps that the CPU binds, .*: ([\d.]+) % off, without the clock ([\d.]+)\.", text).groups()
    reach, low, high = re.search(r"80 % within a factor of ([\d.]+); each script left out ([\d.]+) to ([\d.]+)\.", text).groups()
    assert float(reach) <= c["replay_clock_factor"] < float(reach) + 0.01, "replay_clock_factor is not what was measured"
    yield CLOCK, f"Of both kept runs: {ruled} to {told} % of {count} ("
    yield CLOCK, f"({reach}; scripts left out {float(low):.2f} to {float(high):.2f};"
    rows = {cells[0]: cells for cells in table(text, "in turns", "steps")}
    tf32, bf16, fp16, batch = (rows[f"{name}, all"] for name in ("tf32", "amp-bf16", "amp-fp16", "another batch"))
    if is_unreleased():
        yield CHANGES, (f"TF32 from fp32 {number(tf32[6]):.1f} and {number(tf32[2]):.1f} %, bf16 autocast {number(bf16[6]):.1f} and {number(bf16[2]):.1f}, "
                        f"fp16 {number(fp16[6]):.1f} and {number(fp16[2]):.1f}; another batch size ({batch[1]}) {number(batch[6]):.1f} and {number(batch[2]):.1f}.")  # fmt: skip


def messages(c):
    root_us = c["ring_fill_root_ns"] * math.sqrt(1000) / 1e3
    link, two = 450e9, 2 * 3
    size = 8388608
    w = size / link * 1e6
    parts = two, w / c["ring_efficiency"], root_us * math.sqrt(w)
    with open(ROOT / "data/recordings/two_gpus/all_reduce.csv", encoding="utf-8") as file:
        seen = sorted(1e3 * float(r["in_a_row_ms"]) for r in csv.DictReader(file) if int(r["message_bytes"]) == size)
    yield (f"{c['collective_latency_ns_per_gpu'] / 1e3:.0f} us (n + 1) + w / {c['ring_efficiency']} + {root_us:.1f} us sqrt(w / us) over NVLink; "
           f"w / {c['ring_efficiency_pcie']} over PCIe")
    yield f"the network ({8 * c['network_bytes_per_s'] / 1e9:.0f} Gbit/s a host"
    yield f"and {c['network_latency_ns'] / 1e3:.0f} us for each doubling"
    words = {8: "Eight"}
    yield f"{words[c['host_gpus']]} GPUs share a host"
    yield (f"{size / 1e6:.1f} MB among two H200 (450 GB/s one way): w = {w:.1f} us, {parts[0]} + {parts[1]:.1f} + {parts[2]:.1f} = {sum(parts):.1f} us; "
           f"measured {seen[0]:.1f} and {seen[1]:.1f}")
    yield f"| the CPU | {c['bucket_fill_steps']:.0f} usual steps (of the [rule](#calibration); 2 to 5 us) a gradient"
    yield f"its bucket, {c['bucket_return_steps']:.0f} a copy back, {c['message_steps']:.0f} a message"
    yield f"end equally far apart always ({c['message_end_spread_ns'] / 1e6:.0f} ms)"


def ranks():
    rows = table(page(FIGURES).split("\n## Recorded ranks\n\nms.", 1)[1], "step", "measured")
    errors = [f"{abs(number(cells[4])):.1f}" for cells in rows]
    yield f"they are predicted within {errors[0]}, {errors[1]} and {errors[2]} % ([table](iteration-figures.md#recorded-ranks))"


# ---- docs/decisions/0243, docs/changes-in-detail.md ----

DECISION = "docs/decisions/0243-convolutions-between-formats-of-matrix-units.md"


def other_precisions():
    """Precisions that are not from fp32: the decision, and the changes in detail until they are of a release."""
    part = page(FIGURES).split("\nAnother precision, not from fp32", 1)[1]
    rows = {cells[0]: cells for cells in table(part, "", "models") if cells[1] == "all"}
    single, others = "**fp32 from these three**", "**each of these three from the others**"

    def mean(title, column=3):
        return f"{number(rows[title][column]):.1f}"

    yield DECISION, (f"Of {rows[single][2]} steps to fp32, sums of kernels are {mean(single)} % off on average (worst {mean(single, 5)}): {mean('fp32 from tf32')} from TF32, "
                     f"{mean('fp32 from amp-bf16')} from bf16, {mean('fp32 from amp-fp16')} from fp16.")  # fmt: skip
    yield DECISION, (f"Of {rows[others][2]} such steps, sums are {mean(others)} % off (worst {mean(others, 5)}): TF32 to bf16 {mean('amp-bf16 from tf32')}, to fp16 "
                     f"{mean('amp-fp16 from tf32')}; bf16 to TF32 {mean('tf32 from amp-bf16')}, to fp16 {mean('amp-fp16 from amp-bf16')}; fp16 to TF32 "
                     f"{mean('tf32 from amp-fp16')}, to bf16 {mean('amp-bf16 from amp-fp16')}.")  # fmt: skip
    if is_unreleased():
        yield CHANGES, f"from TF32, bf16 and fp16 to fp32 are {mean(single)} % off on average"
        yield CHANGES, f"from one of these three to another {mean(others)} where they were"


# ---- docs/memory.md ----


def memory_cases(program):
    out = subprocess.run([program.path, "eval", "memory", "--csv"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def limits(cases):
    """The least predicted peak of a GPT-2 that failed, and the largest of a BERT that ran."""
    failed = min((r for r in cases if r["script"] == "gpt2" and r["fits"] == "false"), key=lambda r: float(r["predicted_bytes"]))
    ran = max((r for r in cases if r["truth"] == "limits" and r["script"] == "bert" and r["fits"] == "true"), key=lambda r: float(r["measured_bytes"]))
    gb = {name: float(value) / 1e9 for name, value in (("peak", failed["predicted_bytes"]), ("logits", failed["largest_bytes"]),
                                                       ("ran", ran["measured_bytes"]), ("largest", ran["largest_bytes"]))}  # fmt: skip
    yield (f"with a predicted peak of {gb['peak']:.1f} GB, one copy of its logits being {gb['logits']:.1f} GB; BERT-Large, whose largest tensor was "
           f"{gb['largest']:.1f} GB, ran at {gb['ran']:.1f}.")


def far_peaks(cases):
    scaled = [r for r in cases if r["truth"] != "shapes"]
    far = [r for r in scaled if r["error"] and abs(float(r["error"])) > 0.1]
    errors = {}
    for r in far:
        errors.setdefault(r["script"], []).append(100 * float(r["error"]))
    words = [f"{script} ({', '.join(f'{e:+.0f}' for e in sorted(some, key=abs))} %)" for script, some in sorted(errors.items())]
    yield f"Beyond 10 % are {len(far)} peaks of {len(errors)} of the {len({r['script'] for r in scaled})} scripts: {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}."
    for script, name in (("vgg16_training", "VGG-16's training"), ("resnet50_inference", "ResNet-50's inference")):
        low, more, seen = next((float(r["predicted_bytes"]), float(r["algorithms_bytes"]), float(r["measured_bytes"])) for r in scaled
                               if r["origin"] == f"{script}_b12_fp16_h200" and float(r["algorithms_bytes"]) > 0)  # fmt: skip
        yield f"{name}, in strict fp32 from fp16: {low / 1e9:.2f} to {(low + more) / 1e9:.2f} GB; measured {seen / 1e9:.2f}."
    flip = next(r for r in scaled if r["origin"] == "inception_v3_b16_fp32_h200" and r["batch"] == "32" and r["same_format"] == "true")
    yield f"Inception from 16 to 32 images, {-100 * float(flip['error']):.1f} % too small."


def left_out():
    text = page("docs/memory.md")
    rows = table(text, "left out", "peaks")
    of_all, built = row(rows, "**all**"), {cells[0]: cells for cells in table(text, "", "predictions")}
    assert built["did not fit: said to fit"][2] == "0", "the sentences below are of other figures"
    yield f"({of_all[4]} predictions of runs that failed, {of_all[7]} of runs that fitted): that none of the {of_all[4]} is wrong"
    yield f"{of_all[6]} of {of_all[4]} are said to fit and do not, and {of_all[9]} of {of_all[7]} are refused and ran."
    pieces = sorted(number(cells[8]) for cells in table(text, "model", "format"))
    yield (f"PyTorch held {pieces[0]:.2f} to {pieces[-1]:.2f} of the largest tensor in such pieces, "
           f"in the middle {statistics.median(pieces):.2f} ([table](#how-runs-failed))")  # fmt: skip


def margins(c):
    gaps = 100 * c["gaps_share"]
    yield f"by at most {c['memory_training_correction']} in a training step"
    yield f"(more than {100 * c['memory_foreign_share']:.0f} % of the kernels without a framework operation)"
    yield (f"Context: {c['context_bytes'] / 1e9} GB. Margin: the size of the largest tensor and {gaps:.0f} % of a recorded peak, "
           f"{gaps + 100 * c['scaled_margin_share']:.0f} % of one at another batch size or format, {gaps + 100 * c['shapes_margin_share']:.0f} % of one from shapes alone, "
           f"{gaps + 100 * c['tensors_margin_share']:.0f} % of one that is of its tensors alone (recorded without a GPU).")


# ---- docs/recording.md, docs/limits.md ----


def recording():
    with open(ROOT / "data/recordings/recording_cost.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    difference = {r["script"]: abs(float(r["kernel_diff_pct"])) for r in rows}
    others = max(value for name, value in difference.items() if name != "gnmt.py")
    longer = [float(r["overhead_pct"]) for r in rows]
    yield (f"within {math.ceil(10 * max(difference.values())) / 10} % (ResNet-50, Inception v3 and the Transformer within {math.ceil(10 * others) / 10} %), and the GPU "
           f"time of an iteration grows by {math.floor(10 * min(longer)) / 10} to {max(longer):.1f} %.")


def misses():
    rows = {cells[0]: cells for cells in table(page("README.md"), "GPU", "whole steps checked")}
    yield "docs/limits.md", f"is up to {1 / (1 - number(rows['P4'][4]) / 100):.1f} times slower than predicted."
    most = max(number(cells[4]) for cells in rows.values() if "convolutional" in cells[1])
    yield "docs/limits.md", f"can miss by more than {10 * math.floor(most / 10)} %."


def copies(c):
    with open(ROOT / "data/measurements/host_copies.csv", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if int(r["bytes"]) >= 2**24]
    pinned, pageable = (sorted(float(r["gb_per_s"]) for r in rows if r["memory"] == memory) for memory in ("pinned", "pageable"))
    link, median = 64, statistics.median(pinned)
    assert round(median / link, 2) == c["host_link_share"], "host_link_share is not what was measured"
    yield (f"Of the link's {link} GB/s pinned memory reaches {pinned[0]:.1f} to {pinned[-1]:.1f} GB/s from 16 MiB on (median {median:.1f}, a share of "
           f"{c['host_link_share']}: the constant `host_link_share`), pageable memory {pageable[0]:.1f} to {pageable[-1]:.1f}")


def formulas_unchanged():
    """Classes without a `formula`: models of 0.2.0 still fit them."""
    classes = re.split(r"\n    \[OPERATOR_", page("src/operator/class.c"))[1:-1]
    names = [re.search(r'\.name = "([^"]+)"', text)[1] for text in classes if ".formula = " not in text]
    yield f"Unchanged since 0.2.0 are {', '.join(names[:-1])} and {names[-1]}."


# ---- docs/kernel-formulas.md ----


def families(c):
    """Examples on an H200 that are worked by hand from the constants: clones, rolls, lists, batch norms with channels last."""
    sms, ghz, gb_per_s = 132, 1.98, 4228
    floor = c["kernel_floor_cycles"] / ghz / 1e3

    def paced(elements, a_cycle):
        return elements / (a_cycle * sms * ghz) / 1e3

    def moved(size):
        return size / gb_per_s / 1e3

    turned = 2**24
    places, memory = paced(turned, c["turned_per_cycle"]), moved(8 * turned)
    both = math.hypot(places, memory / c["alone_turned"])
    begins = c["unknown_begin_floors"]
    whole = floor + (both + math.sqrt(both * (both + 4 * begins * floor))) / 2
    yield f"P = {turned / 1e6:.2f} M / ({c['turned_per_cycle']} x {sms} x {ghz} GHz) = {places:.1f} us. M = {8 * turned / 1e6:.1f} MB / {gb_per_s} GB/s = {memory:.2f} us."
    yield f"L = {places:.1f} ⊕ {memory / c['alone_turned']:.1f} = {both:.1f} us."
    yield f"({both:.1f} + {4 * begins:.0f} x {floor:.2f}))) / 2 = {whole:.1f} us."
    yield f"| in pieces along the same dimension | {c['strided_per_cycle']} | 1 | | along another dimension than the source | {c['turned_per_cycle']} | {c['alone_turned']} |"
    rolled = 12 * 2**20
    yield (f"`roll` of {rolled / 1e6:.2f} M numbers on the H200: f + {rolled / 1e6:.2f} M / ({c['rolled_per_cycle']} x {sms} x {ghz} GHz) = {floor:.1f} + "
           f"{paced(rolled, c['rolled_per_cycle']):.1f} = {floor + paced(rolled, c['rolled_per_cycle']):.1f} us.")  # fmt: skip
    piece, pieces = 65536, 320
    rounds, memory = piece / c["list_round"], moved(12 * piece * pieces)
    walked = rounds * c["list_quick_cycles"] / ghz / 1e3
    yield (f"R = {rounds:.0f}, {rounds:.0f} x {c['list_quick_cycles']:.0f} / {ghz} GHz = {walked:.1f} us, M = {12 * piece * pieces / 1e6:.1f} MB / {gb_per_s} GB/s = "
           f"{memory:.1f} us. {floor:.1f} + {walked:.1f} ⊕ {memory / c['list_share']:.1f} = {floor + math.hypot(walked, memory / c['list_share']):.1f} us.")
    yield f"{c['list_slow_cycles']:.0f} for all others"
    rows, steps = 65536, 20
    turns = math.ceil(rows / sms)
    each = c["scan_block_cycles"] + c["scan_issue_cycles"] * steps
    yield f"p ({c['scan_pass_cycles']:.0f} + {c['scan_step_cycles']:.0f} n) - {c['scan_first_cycles']:.0f} cycles and b p ({c['scan_block_cycles']:.0f} + {c['scan_issue_cycles']:.0f} n) cycles"
    yield (f"b = {turns}. {turns} x ({c['scan_block_cycles']:.0f} + {c['scan_issue_cycles']:.0f} x {steps}) / {ghz} GHz = {turns * each / ghz / 1e3:.1f} us")
    planes, made, cache = 16 * 128, 16 * 128 * 32 * 32 * 4, 60 * 2**20
    step = c["resampled_cycles"] + c["resampled_missed_cycles"] * made / cache
    yield (f"The result is {made / 1e6:.2f} of {cache / 1e6:.2f} MB: a = {c['resampled_cycles']:.0f} + {c['resampled_missed_cycles']:.0f} x {made / cache:.3f} = {step:.0f}. "
           f"({c['resampled_block_cycles']:.0f} + {planes} x {step:.0f}) / {ghz} GHz = {(c['resampled_block_cycles'] + planes * step) / ghz / 1e3:.1f} us")  # fmt: skip
    yield f"{c['resampled_near_cycles']:.0f} where a picture is smaller than {c['sector_bytes']:.0f} byte"
    yield f"{c['sorted_place_cycles']:.0f} cycles and SM for each place"
    elements = 64 * 64 * 56 * 56
    tensor = moved(4 * elements)
    there, back = (elements * c[f"last_{way}_cycles"] / (sms * ghz) / 1e3 for way in ("forward", "backward"))
    yield (f"Forward {4 * floor:.1f} + {there:.1f} ⊕ {3 * tensor:.1f} = {4 * floor + math.hypot(there, 3 * tensor):.1f} us, "
           f"backward {2 * floor:.1f} + {back:.1f} ⊕ {5 * tensor:.1f} = {2 * floor + math.hypot(back, 5 * tensor):.1f} us.")


def packages():
    version = page("VERSION").strip()
    yield f"find_package(habitat {version.rsplit('.', 1)[0]} REQUIRED)"
    yield f"`apt-get install ./habitat_{version}_amd64.deb`"


def figures(program):
    c, cases = constants(), memory_cases(program)
    for sentence in formulas_unchanged():
        yield "docs/model-format.md", sentence
    for sentence in families(c):
        yield "docs/kernel-formulas.md", sentence
    for sentence in packages():
        yield "docs/packaging.md", sentence
    for sentence in example_of_architecture(program):
        yield "docs/architecture.md", sentence
    for sentence in without_gpu():
        yield "docs/guides/no-gpu.md", sentence
    for sentence in (*example(program), *autocast(program), *replay_rules(c), *clock(program, c), *messages(c), *ranks()):
        yield "docs/iteration.md", sentence
    for sentence in replay_figures(c):
        yield FIGURES, sentence
    yield "docs/man/habitat-predict.1.md", f"eight to a host, hosts over a network of {8 * c['network_bytes_per_s'] / 1e9:.0f} Gbit/s."
    for sentence in (*limits(cases), *far_peaks(cases), *left_out(), *margins(c)):
        yield "docs/memory.md", sentence
    for sentence in recording():
        yield "docs/recording.md", sentence
    for sentence in copies(c):
        yield "docs/dataset.md", sentence
    yield from other_precisions()
    yield from turns(c)
    yield "docs/faq.md", f"medians of ten moved by {100 * c['much_spread']:.0f} % and more,"
    yield from misses()
