"""What tools share that hold a table of training steps: the loop that trains one, and the command line that trains or records them."""

import argparse
import contextlib
import os
import sys

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def iteration_of(step, batch, precision, optimizer=torch.optim.AdamW, with_tf32=("tf32",)):
    """The function that trains a step, `step(batch)` -> (model, its loss), once; with_tf32: formats in which fp32 may be computed in TF32."""
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision in with_tf32
    model, loss_of = step(batch)
    model.train()
    optimizer = optimizer(p for p in model.parameters() if p.requires_grad)

    def iteration():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16) if precision == "amp-bf16" else contextlib.nullcontext():
            loss = loss_of()
        loss.backward()
        optimizer.step()

    return iteration


def train(step, batch, precision, iterations, *options, **named):
    """Trains a step so many times; what comes behind: as of iteration_of()."""
    iteration = iteration_of(step, batch, precision, *options, **named)
    for _ in range(iterations):
        iteration()


def record(tool, steps, asked, options=()):
    """Records (name, batch, number format) each into the folder that was asked for; `options` of the recorder with a GPU."""
    sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tools")]
    import forked

    folder = os.path.abspath(asked.record)
    os.chdir(ROOT)  # so that no path of this machine is in the recorded command
    who = os.path.basename(tool).removesuffix(".py")
    return forked.record_formats(who, tool, steps, folder, asked.no_gpu, asked.tag, asked.budget, options)


def main(text, tool, steps, formats, tag, trained, recorded, more=(), options=()):
    """The command line of a tool that `text` describes. steps: by name, small batches second; formats: the first where none is asked for;
    trained(name, batch, format, iterations) trains one; recorded(asked): what --record records; more: (option, what argparse takes)."""
    p = argparse.ArgumentParser(description=text.splitlines()[0], allow_abbrev=False)
    p.add_argument("step", nargs="?", choices=steps)
    p.add_argument("--batch", type=int)
    p.add_argument("--precision", default=formats[0], choices=formats)
    p.add_argument("--iterations", type=int, default=60)
    p.add_argument("--record", metavar="FOLDER")
    p.add_argument("--no-gpu", action="store_true")
    p.add_argument("--tag", default=tag, help="GPU that records, for names of files")
    p.add_argument("--budget", type=float, default=560)
    for option, taken in more:
        p.add_argument(option, **taken)
    asked = p.parse_args()
    if asked.record:
        return record(tool, recorded(asked), asked, options)
    if not asked.step:
        p.error("name a step, or a folder to record into")
    trained(asked.step, asked.batch or steps[asked.step][1], asked.precision, asked.iterations)
    return 0
