"""Training steps of full size whose weights, gradients and states are in parts (fully_shard), as two GPUs ran them: for docs/full-size-steps.md.

usage: sharded_steps.py STEP [--batch N] [--precision tf32|amp-bf16|bf16] [--iterations N]    one step, to be recorded without a GPU
       sharded_steps.py --record FOLDER --no-gpu [--budget SECONDS]   those of tools/full_size_steps.py into FOLDER, those of
                                                                      full_size_again.py into FOLDER/again

What they took is in measured_sharded_h200.csv (tools/measure_ddp_steps.py --sharded).
"""

import functools
import os
import sys

import recorded_steps
import torch
from full_size_again import STEPS as AGAIN
from full_size_steps import STEPS as FIRST

STEPS = {**FIRST, **AGAIN}
OF_FIRST = (
    ("words_1b", "amp-bf16", 4), ("gpt2_xl", "amp-bf16", 12), ("bert_large", "amp-bf16", 48), ("words_1b", "tf32", 1),
    ("vit_large", "amp-bf16", 192), ("t5_large", "amp-bf16", 24), ("whisper_medium", "amp-bf16", 16), ("bert_large", "tf32", 8),
    ("gpt2_xl", "tf32", 2), ("swin_base", "amp-bf16", 128), ("vit_large", "tf32", 32), ("gpt2_xl", "amp-bf16", 2),
)  # fmt: skip
OF_AGAIN = (
    ("words_3b", "bf16", 6), ("vit_huge", "amp-bf16", 96), ("summary", "amp-bf16", 12), ("vit_huge", "tf32", 16), ("words_3b", "bf16", 1),
    ("summary", "tf32", 2),
)  # fmt: skip
TABLES = {"first": OF_FIRST, "again": OF_AGAIN}
FORMATS = ("amp-bf16", "tf32", "bf16")


def shard(model, compute):
    """Weights, gradients and states in parts: each of the layers that follow each other in a list, and what is around them."""
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    policy, inside = MixedPrecisionPolicy(param_dtype=compute), set()
    for module in model.modules():  # from the outside in
        layers = list(module) if isinstance(module, torch.nn.ModuleList | torch.nn.Sequential) else []
        if module in inside or len(layers) < 2 or len({type(layer) for layer in layers}) > 1 or not any(True for _ in layers[0].parameters()):
            continue
        for layer in layers:
            fully_shard(layer, mp_policy=policy)
            inside.update(layer.modules())
    fully_shard(model, mp_policy=policy)


def in_parts(name, precision, batch):
    """(model, its loss) of a step."""
    model, loss_of = STEPS[name][0](batch)
    shard(model, torch.bfloat16 if precision == "amp-bf16" else None)
    return model, loss_of


def trained(name, batch, precision, iterations):
    recorded_steps.train(functools.partial(in_parts, name, precision), batch, precision, iterations, functools.partial(torch.optim.AdamW, fused=True))


def recorded(asked):
    """(name, batch, format)"""
    if not asked.no_gpu:
        sys.exit("sharded_steps: with a GPU they run on two, see tools/measure_ddp_steps.py; say --no-gpu")
    table = OF_AGAIN if os.path.basename(os.path.abspath(asked.record)) == "again" else OF_FIRST
    for name, precision, batch in table:
        yield name, batch, precision


if __name__ == "__main__":
    sys.exit(recorded_steps.main(__doc__, "tools/sharded_steps.py", STEPS, FORMATS, "h200", trained, recorded))
