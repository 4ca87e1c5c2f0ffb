#!/usr/bin/env python3
"""What an operation, a gradient and a copy take the CPU of a step that is recorded without a GPU: the table of src/base/constants_recordings.h
(docs/decisions/0620), fitted anew on every step of data/recordings that was recorded or measured on a GPU and without one.

Each host (or day) has a factor of its own, hosts and models count alike, and a step takes the longer of both sides; so the weights are of the
middle host. Prints what each way to count gives, its error with each model left out, and how far off the chosen one is with host and model left out.

usage: fit_cpu_table.py HABITAT      some minutes; needs numpy
"""

import ast
import collections
import csv
import functools
import gzip
import json
import pathlib
import re
import sys

import numpy

import judge_new_models as judge
import steps

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "data/recordings"
FOLDERS = ("new_models", "new_models/on_h100", "unusual", "unusual/again", "training_ways", "full_size", "full_size/again")
TURNS = "*/measured_turns*.csv"
# Whose CPU does what no table of operations tells: TorchScript, roots of matrices, convolutions that cuDNN tries, rows of bags, films.
ASIDE = {"scripted", "preconditioned", "segment", "resnext50", "mixed_weights", "deformed", "points"}
COPIES = {"aten::_to_copy", "aten::copy_", "aten::clone"}
COPY_US = (10, 17, 20)
# Followed: autograd asks for their gradient in the same step; parts: of operations that are made of others; lists: of an optimiser and what
# else goes over all parameters at once; plain: neither autograd nor a module is around them.
FOLLOWED = ("followed", "backward", "parts")
REST = ("in modules", "plain")
WAYS = {  # how operations are counted: a weight each
    "all alike": ((*FOLLOWED, *REST, "lists"),),
    "and gradients": ((*FOLLOWED, *REST, "lists"), ("gradients",)),
    "followed and lists, the rest, gradients": ((*FOLLOWED, "lists"), REST, ("gradients",)),
    "followed, lists, the rest, gradients": (FOLLOWED, ("lists",), REST, ("gradients",)),
    "the same, plain ones apart": (FOLLOWED, ("lists",), ("in modules",), ("plain",), ("gradients",)),
    "the same, lists by their tensors, too": (FOLLOWED, ("lists",), ("listed",), REST, ("gradients",)),
    "the same, backward apart": (("followed", "parts"), ("backward",), ("lists",), REST, ("gradients",)),
}
CHOSEN, CHOSEN_COPY_US = "followed, lists, the rest, gradients", 17
LISTS = re.compile(r"aten::(_foreach_|_amp_foreach_|_fused_ad|_fused_sgd)")

Step = collections.namedtuple("Step", "host model ms gpu_ms counts")


def kind_of(event, is_part, in_node, in_module, followed):
    if is_part:
        return "parts"
    if LISTS.match(event["name"]):
        return "lists"
    if in_node:
        return "backward"
    return "followed" if event["args"].get("Sequence number") in followed else "in modules" if in_module else "plain"


@functools.cache
def counts_of(path):
    """How much of each kind a recording without a GPU holds."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        events = json.load(stream)["traceEvents"]
    first = next(event for event in events if event["name"].startswith("ProfilerStep"))
    begin, end = first["ts"], first["ts"] + first["dur"]
    found, node_end, outer_end, module_end = collections.Counter(), begin, begin, begin
    followed = {event["args"].get("Sequence number") for event in events if event["name"].startswith("autograd::engine")} - {None}
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        name, at, over = event["name"], event["ts"], event["ts"] + event["dur"]
        if not begin <= at < end or event is first:
            continue
        if event["cat"] == "user_annotation":
            module_end = max(module_end, over) if name.startswith("nn.Module") else module_end
        elif event["cat"] == "cuda_runtime":
            found["waits"] += 1
        elif name.startswith("autograd::engine"):
            found["gradients" if "AccumulateGrad" in name else "nodes"] += 1
            node_end = max(node_end, over)
        elif name in COPIES:
            found["copies"] += 1
        else:
            found[kind_of(event, at < outer_end, at < node_end, at < module_end, followed)] += 1
            outer_end = max(outer_end, over)
            if LISTS.match(name):
                found["listed"] += len(event["args"]["Input Dims"][0])
            if "_amp_foreach" in name:
                found["scaled"] += len(event["args"]["Input Dims"][0])
            found["recurrent"] += "cudnn_rnn" in name
    return found


def without_gpu(folder, name):
    """The recording without a GPU of a step of a folder; those of another GPU's folder lie in the one above."""
    for place in (folder, folder.parent):
        path = place / "without_gpu" / f"{name}.json.gz"
        if path.exists():
            return path
    return None


def model_of(name):
    return re.sub(r"_b\d+.*", "", name)


def measured_steps():
    """(host, GPU, name, path without a GPU, measured ms)"""
    turns = collections.defaultdict(list)
    for path in sorted(RECORDINGS.glob(TURNS)):
        with open(path, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                gpu = "h200" if "H200" in row["gpu"] else "h100"
                host = f"{path.parent.name}{path.stem.removeprefix('measured_turns')} {gpu}"
                turns[row["script"], row["precision"], int(row["batch"])].append((host, gpu, float(row["iteration_ms"])))
    for name, script, precision, batch in steps.named_steps():
        path = without_gpu(RECORDINGS, name)
        for host, gpu, ms in turns[script, precision, batch] if path else ():
            yield host, gpu, name, path, ms
    for folder in (RECORDINGS, *(RECORDINGS / name for name in FOLDERS)):
        for recorded in sorted(folder.glob("*_h[12]00.json.gz")):
            name, _, gpu = recorded.name[: -len(".json.gz")].rpartition("_")
            path = without_gpu(folder, name)
            if path:
                yield f"{folder.relative_to(RECORDINGS)} {gpu}", gpu, name, path, recorded
        table = folder / "measured_h200.csv"
        if table.exists():
            with open(table, newline="", encoding="utf-8") as stream:
                for row in csv.DictReader(stream):
                    path = without_gpu(folder, row["recording"])
                    if path:
                        yield f"{folder.relative_to(RECORDINGS)} measured h200", "h200", row["recording"], path, float(row["iteration_ms"])


def all_steps(habitat):
    """Steps whose CPU can have bound them."""
    for host, gpu, name, path, measured in measured_steps():
        counts, model = counts_of(path), model_of(name)
        if model in ASIDE or counts["recurrent"]:
            continue
        if isinstance(measured, pathlib.Path):
            trace, truth = judge.predict(habitat, measured)
            ms, gpu_ms = trace["iteration_ms"], truth["busy_ms"]
        else:
            ms, gpu_ms = measured, judge.predict(habitat, path, gpu=judge.GPUS[gpu])[1]["busy_ms"]
        waits = counts["waits"] and gpu_ms > 0.3 * ms  # what waiting adds is not the table's
        least_us = 34 * sum(counts[kind] for kind in (*FOLLOWED, *REST, "lists")) + 60 * counts["gradients"] + 20 * counts["copies"]
        if ms and not waits and 2e-3 * least_us > gpu_ms:
            yield Step(host, model, ms, gpu_ms, counts)


class Fit:
    """Weights [us] of a way to count, and each host's factor beside the middle one."""

    def __init__(self, some, way, copy_us):
        self.way, self.copy_us = way, copy_us
        self.hosts = {host: i for i, host in enumerate(sorted({step.host for step in some}))}
        count = collections.Counter((step.host, step.model) for step in some)
        self.share = numpy.array([1 / count[step.host, step.model] for step in some])
        self.share /= self.share.sum()
        self.host = numpy.array([self.hosts[step.host] for step in some])
        self.data = self.table(some)
        self.weights = numpy.log(numpy.array([40.0] * len(way) + [20.0]))
        self.factors = numpy.zeros(len(self.hosts))
        for _ in range(5):
            self.fit_weights()
            self.fit_hosts()

    def table(self, some):
        rows = [[sum(step.counts[kind] for kind in kinds) for kinds in self.way] + [step.counts["scaled"]] for step in some]
        copies = numpy.array([step.counts["copies"] for step in some]) * self.copy_us
        return numpy.array(rows, float), copies, numpy.array([step.gpu_ms for step in some]) * 1.01, numpy.log([step.ms for step in some])

    def errors(self, weights, factors, data, host):
        """log(measured / said)"""
        counts, copies, gpu_ms, measured = data
        cpu_ms = (counts @ numpy.exp(weights) + copies) * 1e-3 * numpy.exp(factors[host])
        return measured - numpy.log(numpy.maximum(cpu_ms, gpu_ms))

    def loss(self, weights, factors):
        off = self.errors(weights, factors, self.data, self.host)
        return float((self.share * numpy.sqrt(off * off + 0.02**2)).sum())

    def fit_weights(self):
        best, step = self.loss(self.weights, self.factors), 0.2
        while step > 0.002:
            moved = False
            for i in range(len(self.weights)):
                for by in (step, -step):
                    tried = self.weights.copy()
                    tried[i] += by
                    loss = self.loss(tried, self.factors)
                    if loss < best - 1e-9:
                        self.weights, best, moved = tried, loss, True
            step = step if moved else step / 2

    def fit_hosts(self):
        grid = numpy.log(numpy.linspace(0.6, 1.6, 81))
        for i in range(len(self.factors)):
            losses = []
            for value in grid:
                self.factors[i] = value
                losses.append(self.loss(self.weights, self.factors))
            self.factors[i] = grid[int(numpy.argmin(losses))]
        self.factors -= numpy.median(self.factors)

    def of(self, some, factors=None):
        """The same errors, of other steps of the same hosts."""
        host = numpy.array([self.hosts[step.host] for step in some])
        return self.errors(self.weights, self.factors if factors is None else factors, self.table(some), host)


def left_out(found, way, copy_us):
    """{model: (errors, errors of the middle of the other hosts)} of fits without the model."""
    result = {}
    for model in sorted({step.model for step in found}):
        fit = Fit([step for step in found if step.model != model], way, copy_us)
        some = [step for step in found if step.model == model and step.host in fit.hosts]
        if some:
            middle = numpy.array([numpy.median(numpy.delete(fit.factors, i)) for i in range(len(fit.factors))])
            result[model] = fit.of(some), fit.of(some, middle), some
    return result


def within(errors, share=0.8):
    return float(numpy.exp(numpy.quantile(numpy.abs(errors), share)))


def print_ways(found):
    print("| counted | copy us | weights us | scaler, us a gradient | error, model left out: mean | median |\n|---|--:|---|--:|--:|--:|")
    for name, way in WAYS.items():
        for copy_us in COPY_US if name == CHOSEN else (CHOSEN_COPY_US,):
            fit, out = Fit(found, way, copy_us), left_out(found, way, copy_us)
            means = [float(numpy.abs(errors).mean()) for errors, *_ in out.values()]
            weights = numpy.exp(fit.weights)
            print(f"| {name} | {copy_us} | {', '.join(f'{x:.1f}' for x in weights[:-1])} | {weights[-1]:.1f} | {numpy.mean(means):.3f} | {numpy.median(means):.3f} |")


def print_chosen(found):
    fit, out = Fit(found, WAYS[CHOSEN], CHOSEN_COPY_US), left_out(found, WAYS[CHOSEN], CHOSEN_COPY_US)
    by_host = collections.defaultdict(list)
    for _, errors, some in out.values():
        for step, off in zip(some, errors):
            by_host[step.host].append(float(off))
    print("\n| host | steps | factor | 80 % of its steps within, host and model left out |\n|---|--:|--:|--:|")
    for host, i in fit.hosts.items():
        if by_host[host]:
            print(f"| {host} | {len(by_host[host])} | {numpy.exp(fit.factors[i]):.2f} | {within(by_host[host]):.2f} |")
    known = numpy.concatenate([errors for errors, *_ in out.values()])
    unknown = numpy.concatenate([errors for _, errors, _ in out.values()])
    print(f"\n80 % of {len(known)} steps are within {within(unknown):.2f} with host and model left out, within {within(known):.2f} with the model left out.")
    far = {model: float(errors.mean()) for model, (errors, *_) in out.items()}
    print("Furthest off, log(measured / said): " + ", ".join(f"{model} {off:+.2f}" for model, off in sorted(far.items(), key=lambda row: -abs(row[1]))[:12]) + ".")


def main(arguments):
    if len(arguments) != 1:
        print(ast.get_docstring(ast.parse(pathlib.Path(__file__).read_text(encoding="utf-8"))), file=sys.stderr)
        return 2
    found = list(all_steps(arguments[0]))
    print(f"{len(found)} steps of {len({step.model for step in found})} scripts on {len({step.host for step in found})} hosts or days.\n")
    print_ways(found)
    print_chosen(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
