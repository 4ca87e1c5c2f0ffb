#!/usr/bin/env python3
"""What was asked of iterations (time, batch size, precision, memory, several GPUs, no GPU) and what came out: the table of
docs/iteration.md, worked out from the tables that `habitat eval replay`, `scale`, `ddp` (docs/iteration-figures.md) and `memory` print and
from the steps without a GPU (docs/recording.md).

usage: iteration_goals.py ITERATION.md FIGURES.md MEMORY.md RECORDING.md      writes the table into ITERATION.md
"""

import pathlib
import re
import sys

from goals import line

BEGIN, END = "<!-- begin: goals -->\n", "<!-- end: goals -->"
SPREAD_MOST = 10  # [%] timed groups of a run that differ by more: listed apart
BOUND = 1.1  # an iteration more than so many times its busy time is bound by the CPU (src/replay)
BATCH_MODELS = "resnet50 inception_v3 gnmt transformer dcgan gpt2 bert vit".split()
PRECISION_MODELS = "resnet50 vit bert gpt2".split()
NO_GPU_MODELS = "resnet50 inception_v3 gnmt transformer dcgan gpt2 llama".split()


def number(cell):
    return float(re.search(r"[-+]?[\d.]+", cell).group())


def table(text, *head):
    """Rows of the first table whose columns begin with `head`, without its row of sums."""
    found, rows = False, []
    for one in text.split("\n"):
        cells = [cell.strip() for cell in one.strip("|").split("|")] if one.startswith("|") else []
        if found and not cells:
            return rows
        if found and not cells[0].startswith("--"):
            rows.append(cells)
        found = found or cells[: len(head)] == list(head)
    sys.exit(f"iteration_goals: no table with the columns {', '.join(head)}")


def row(rows, *names):
    for cells in rows:
        if cells[: len(names)] == list(names):
            return cells
    sys.exit(f"iteration_goals: no row {', '.join(names)}")


def pooled(parts):
    """(steps, mean, worst) of (steps, mean, worst) of several models."""
    steps = sum(part[0] for part in parts)
    return steps, sum(part[0] * part[1] for part in parts) / steps, max(part[2] for part in parts)


# ---- time ----


def each_step(what, steps, asked):
    """How many errors are within 1.5 %; asked None: listed apart."""
    if steps:
        near, worst = sum(step[4] <= 1.5 for step in steps), max(step[4] for step in steps)
        yield line(what, asked or "listed apart", f"{near} of {len(steps)}; worst {worst:.1f} %", near == len(steps) if asked else None)


def replay(page):
    origin = table(page, "replay", "steps")
    own, gpu = row(origin, "calibrated with its own time"), row(origin, "its time withheld, GPU-bound")
    yield line("Replay on the origin, its time known", "each within 1 %", f"worst {own[4]} % of {own[1]} steps", number(own[4]) <= 1)
    yield line("The time withheld, GPU-bound steps: the mean", "within 1.5 %", f"{gpu[2]} % of {gpu[1]} steps", number(gpu[2]) <= 1.5, "partly seen")
    steps = [(number(c[1]), number(c[3]), *map(float, c[6].split("..")), abs(number(c[7])), number(c[2])) for c in table(page, "recording", "measured", "spread")]
    bound = [step for step in steps if step[0] > BOUND * step[1]]
    free = [step for step in steps if step not in bound]
    yield from each_step("The same, each step", [step for step in free if step[5] <= SPREAD_MOST], "within 1.5 %")
    yield from each_step("The same, steps whose own groups differ by more than 10 %", [step for step in free if step[5] > SPREAD_MOST], None)
    held, widest = sum(step[2] <= step[0] <= step[3] for step in bound), max(step[3] / step[2] for step in bound)
    yield line("The time withheld, CPU-bound steps", "80 % inside an interval of 1.5 high over low at most",
               f"{held} of {len(bound)} ({100 * held / len(bound):.1f} %), widest {widest:.2f}", held >= 0.8 * len(bound) and widest < 1.505, "partly seen")  # fmt: skip


def transfers(page):
    rows = table(page, "method", "steps")
    for name, what in (("replay", "all steady runs"), ("replay, CPU-bound ones", "the CPU-bound ones of them")):
        got, busy = row(rows, name), row(rows, name.replace("replay", "sum (busy time)" if name == "replay" else "sum"))
        yield line(f"Calibrated on another batch size: {what}", "mean within 8 %", f"{got[2]} % of {got[1]} (plain sum {busy[2]})", number(got[2]) <= 8)
    apart = row(rows, "spread above 10 %: replay")
    yield line("Runs whose own groups differ by more than 10 %", "listed apart", f"{apart[2]} % of {apart[1]}", None)
    rows = table(page, "what", "steps")
    kernels, whole = row(rows, "kernels: busy time against busy time"), row(rows, "replay against the iteration")
    more = number(whole[2]) - number(kernels[2])
    yield line("Another GPU: what assembling adds to the kernels' error", "1.5 points at most", f"{more:.2f} ({kernels[2]} to {whole[2]} %)", more <= 1.5)


# ---- batch size and precision ----


SUMS, STEPS, SPREAD = "model", "model, whole steps", "model, spread steps"  # of the tables by model


def by_model(page, kind, at, models):
    """(steps, mean, worst) of each model that has steps of this kind."""
    rows = {cells[0]: cells for cells in table(page, kind, "another batch: steps")}
    return {name: tuple(map(number, rows[name][at : at + 3])) for name in models if rows[name][at] != "0"}


def in_turns(page, precision, models, uneven, kind="step, in turns"):
    """The same of steps measured in turns at the batch size they are predicted from; `uneven`: those whose groups differ by more than 10 %."""
    found = {}
    for cells in table(page, kind, "from"):
        step = re.fullmatch(rf"(\w+)_b(\d+)_{precision}_\w+", cells[0])
        name = step and step.group(1)
        if name in models and step.group(2) == cells[1] and (number(cells[3]) > SPREAD_MOST) == uneven:
            found.setdefault(name, []).append(abs(number(cells[7])))
    return {name: (len(errors), sum(errors) / len(errors), max(errors)) for name, errors in found.items()}


def joined(parts, more):
    return {name: pooled([some[name] for some in (parts, more) if name in some]) for name in {**parts, **more}}


def scaled_line(what, parts, mean_most, seen="partly seen"):
    steps, mean, worst = pooled(list(parts.values()))
    asked = f"mean within {mean_most} %, worst 25" if mean_most else "listed apart"
    right = mean <= mean_most and worst <= 25 if mean_most else None
    return line(what, asked, f"mean {mean:.2f}, worst {worst:.2f} % of {steps:.0f}", right, seen)


def each_line(what, parts, models, mean_most):
    far = [f"{name} {part[1]:.2f}" for name, part in parts.items() if part[1] > mean_most]
    worst = [name for name, part in parts.items() if part[2] > 25]
    got = f"{len(parts) - len(far)} of {len(parts)}" + (f"; mean of {', '.join(far)} %" if far else "") + (f"; worst beyond 25: {', '.join(worst)}" if worst else "")
    none = [name for name in models if name not in parts]
    return line(what, f"mean within {mean_most} %, worst 25", got + (f"; none of {', '.join(none)}" if none else ""), not far and not worst, "partly seen")


def scaled_lines(page, what, at, models, mean_most, precision=None):
    for kind, words in ((SUMS, "sum of kernels"), (STEPS, "whole iteration")):
        parts = by_model(page, kind, at, models)
        if kind == STEPS and precision:
            parts = joined(parts, in_turns(page, precision, models, False))
        if kind == SUMS and set(parts) != set(models):
            sys.exit(f"iteration_goals: no steps of {', '.join(set(models) - set(parts))}")
        if not parts:
            continue
        yield scaled_line(f"{what}, {words}", parts, mean_most)
        yield each_line(f"The same, each model by itself, {words}", parts, models, mean_most)
    apart = by_model(page, SPREAD, at, models)
    if precision:
        apart = joined(apart, in_turns(page, precision, models, True))
    if apart:
        yield scaled_line("The same, recordings whose own groups differ by more than 10 %, whole iteration", apart, None)


def one_host_lines(page, word, precision, models):
    """Of the clean test: recorded and measured on one host."""
    yield scaled_line(f"{word} AMP from fp32, clean test on one host, the same four, whole iteration", in_turns(page, precision, models, False, "step, one host"), 12, "")
    yield scaled_line("The same, steps whose own groups differ by more than 10 %", in_turns(page, precision, models, True, "step, one host"), None)


def one_run_lines(page):
    """Of steps that one process timed in turns; those whose groups differ by more than 10 % are listed apart."""
    sums = table(page, "in turns", "steps")
    for what, name, asked in (("Another batch size of the same run, in turns by one process, whole iteration", "another batch", True),
                              ("The same, the CPU-bound ones of them", "another batch, CPU-bound", True),
                              ("The same, spread above 10 %", "another batch, spread above 10 %", False)):  # fmt: skip
        cells = row(sums, name)
        right = number(cells[2]) <= 8 and number(cells[3]) <= 25 if asked else None
        got = f"mean {cells[2]}, worst {cells[3]} % of {cells[1]} (without the clock {cells[6]}; plain sum {cells[9]})"
        yield line(what, "mean within 8 %, worst 25" if asked else "listed apart", got, right, "partly seen")
    steps = table(page, "step, in turns by one process", "from")
    for word in ("bf16", "fp16"):
        found = [cells for cells in steps if f"_amp_{word}" in cells[0] and "_fp32_" in cells[1] and re.match("|".join(PRECISION_MODELS), cells[0])]
        for uneven in (False, True):
            errors = [abs(number(cells[8])) for cells in found if (number(cells[3]) > SPREAD_MOST) == uneven]
            if errors:
                what = "The same, spread above 10 %" if uneven else f"{word} AMP from fp32, in turns by one process, the same four, whole iteration"
                yield scaled_line(what, {"": (len(errors), sum(errors) / len(errors), max(errors))}, None if uneven else 12)


def scaled(page):
    yield from scaled_lines(page, "Largest batch from the smallest and back, eight models", 1, BATCH_MODELS, 8)
    yield from scaled_lines(page, "bf16 AMP from fp32: ResNet-50, ViT, BERT, GPT-2", 4, PRECISION_MODELS, 12, "amp_bf16")
    yield from one_host_lines(page, "bf16", "amp_bf16", PRECISION_MODELS)
    yield from scaled_lines(page, "fp16 AMP from fp32, the same four", 7, PRECISION_MODELS, 12, "amp_fp16")
    yield from one_host_lines(page, "fp16", "amp_fp16", PRECISION_MODELS)
    yield from one_run_lines(page)


# ---- several GPUs ----


ASKED_STEPS = re.compile(r"(resnet50|bert|bert_large|gpt2|gpt2_large)_b\d+_(tf32|amp_bf16|bf16)_h[12]00")
ONE_HOST = "### Recorded and measured on one host\n"
SEEN = "### The steps on which constants were chosen\n"


def parallel_line(what, rows, seen=""):
    errors = [abs(number(cells[7])) for cells in rows]
    mean, worst = sum(errors) / len(errors), max(errors)
    return line(what, "mean within 7 %, worst 15", f"mean {mean:.2f}, worst {worst:.2f} % of {len(errors)}", mean <= 7 and worst <= 15, seen)


PARALLEL_HEAD = ("step", "GPUs", "one GPU", "one GPU there", "measured", "predicted", "interval", "error %")


def spread_apart(rows):
    """(steps, those whose timed groups differ by more than 10 %): these are listed apart, as for replay."""
    far = [cells for cells in rows if "spread)" in cells[0]]
    return [cells for cells in rows if cells not in far], far


def one_host_parallel(rows):
    """Steps recorded on one GPU and measured on two of the same host."""
    steady, far = spread_apart(rows)
    yield parallel_line("Two H100s from one of them, recorded there, clean test, the same steps", [cells for cells in steady if ASKED_STEPS.match(cells[0])])
    yield parallel_line("The same, every step of it", steady)
    yield spread_line("The same, steps whose own groups differ by more than 10 %", far)


def spread_line(what, far):
    errors = [abs(number(cells[7])) for cells in far]
    return line(what, "listed apart", f"mean {sum(errors) / len(errors):.2f}, worst {max(errors):.2f} % of {len(errors)}", None)


def parallel(page):
    clean, seen = page.split(SEEN)
    clean, host = clean.split(ONE_HOST)
    new, new_far = spread_apart([cells for cells in table(clean, *PARALLEL_HEAD) if cells[1] == "2"])
    old, old_far = spread_apart([cells for cells in table(seen, *PARALLEL_HEAD) if ASKED_STEPS.match(cells[0])])
    asked = [cells for cells in new if ASKED_STEPS.match(cells[0])]
    yield parallel_line("Two H200s from one: ResNet-50, BERT-Large, GPT-2 in tf32 and bf16", asked, "partly seen")
    yield parallel_line("The same, every step of it", new, "partly seen")
    yield parallel_line("Steps on which constants were chosen: ResNet-50, BERT-Large, GPT-2-Large", old, "seen")
    yield spread_line("Steps of both tables whose own groups differ by more than 10 %", new_far + old_far)
    yield from one_host_parallel(table(host, *PARALLEL_HEAD))


# ---- memory ----


def peaks(page):
    """Models with a peak more than 10 % off, and how many of all are not."""
    far, count = set(), 0
    for heading in ("From one recording to another", "Measured steps", "Near 80 GB"):
        for cells in table(page.split(f"### {heading}\n", 1)[1], "model"):
            for at in (1, 5):
                if cells[at] == "0" or not cells[at]:
                    continue
                if cells[0] == "**all**":
                    count += int(cells[at])
                elif abs(number(cells[at + 2])) > 10:
                    far.add(cells[0])
    return far, count


def memory(page):
    far, count = peaks(page)
    yield line("Peak of memory at other batch sizes and precisions, every script", "each within 10 %",
               f"{len(far)} {'script has' if len(far) == 1 else 'scripts have'} one further off ({count} peaks in all)" if far else f"all {count} peaks", not far)  # fmt: skip
    built = {cells[0]: cells for cells in table(page, "", "predictions")}
    out = row(table(page, "left out", "peaks"), "**all**")
    fits, refused = built["did not fit: said to fit"], built["ran: called too large"]
    yield line('False "fits", as built (settled on these runs)', "none", f"{fits[2]} of {fits[1]}", number(fits[2]) == 0, "seen")
    yield line("The same, each model judged by constants of the others", "none", f"{out[6]} of {out[4]}", number(out[6]) == 0)
    yield line("False refusals, as built (settled on these runs)", "5 % at most", f"{refused[2]} of {refused[1]}", number(refused[3]) <= 5, "seen")
    yield line("The same, each model judged by constants of the others", "5 % at most", f"{out[9]} of {out[7]}", number(out[9]) <= 0.05 * number(out[7]))


# ---- without a GPU; other recordings ----


def without_gpu(page):
    """Of the table by model: iterations whose own groups differ by 10 % at most, the others, and sums of kernels."""
    rows = [cells for cells in table(page, "model", "steady steps", "iterations: mean error %") if cells[0] in NO_GPU_MODELS]
    for what, at, asked in (("recorded iteration", 1, "each within 20 %"), ("iterations whose own groups differ by more than 10 %", 7, "listed apart"),
                            ("sum of kernels", 13, "each within 20 %")):  # fmt: skip
        some = [cells[at : at + 5] for cells in rows if cells[at] != "0"]
        if not some:
            continue
        steps, near = (sum(int(cells[i]) for cells in some) for i in (0, 4))
        worst = max(some, key=lambda cells: abs(number(cells[2])))
        yield line(f"Without a GPU against the H200, {what}: five models, GPT-2, Llama", asked, f"{near} of {steps}, worst {worst[2]} % ({worst[3]})",
                   near == steps if asked != "listed apart" else None, "partly seen")  # fmt: skip
    some = [cells for cells in table(page, "model, against the median of hosts") if cells[0] in NO_GPU_MODELS]
    steps, near = (sum(int(cells[i]) for cells in some) for i in (1, 5))
    worst = max(some, key=lambda cells: abs(number(cells[3])))
    yield line("The same iterations, the median of what H200s of all sessions took", "each within 20 %", f"{near} of {steps}, worst {worst[3]} % ({worst[4]})",
               near == steps, "partly seen")  # fmt: skip


OTHERS = (
    ("Recordings of others, without a `habitat` object", "work, or say what is missing", "tests `cli.shared_traces`, `cli.shared_traces_others`, `cli.warnings`"),
    ("Newer PyTorch", "fixtures with newer keys; `make test-torch`", "test `unit.trace`; decision 0143 says what the first run found"),
)


def goals(figures, memory_page, recording):
    yield "| what | asked | got | |"
    yield "|---|---|---|---|"
    for part in (replay(figures), transfers(figures), scaled(figures), parallel(figures), memory(memory_page), without_gpu(recording)):
        yield from part
    for what, asked, got in OTHERS:
        yield line(what, asked, got, None)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    page, *sources = (pathlib.Path(name) for name in sys.argv[1:])
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or END not in text:
        sys.exit("iteration_goals: no place for the table")
    before, rest = text.split(BEGIN)
    rows = "\n".join(goals(*(source.read_text(encoding="utf-8") for source in sources)))
    page.write_text(f"{before}{BEGIN}{rows}\n{rest[rest.index(END):]}", encoding="utf-8")


if __name__ == "__main__":
    main()
