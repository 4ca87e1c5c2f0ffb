"""The training steps that are recorded on every GPU at hand: scripts of examples/, number formats, batch sizes."""

import importlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = os.path.join(ROOT, "examples")

# (script, --precision, how the file's name says it, batch sizes). The paper's five models first.
STEPS = (
    ("resnet50", "fp32", "fp32", (4, 16, 32, 64)),
    ("resnet50", "tf32", "tf32", (16, 64)),
    ("resnet50", "amp-bf16", "amp_bf16", (16, 64)),
    ("resnet50", "amp-fp16", "amp_fp16", (16, 64, 128)),
    ("inception_v3", "fp32", "fp32", (16, 32, 64)),
    ("inception_v3", "amp-fp16", "amp_fp16", (32,)),
    ("gnmt", "fp32", "fp32", (16, 32, 48)),
    ("gnmt", "amp-fp16", "amp_fp16", (32,)),
    ("transformer", "fp32", "fp32", (32, 48, 64)),
    ("transformer", "amp-bf16", "amp_bf16", (32,)),
    ("dcgan", "fp32", "fp32", (16, 64, 96, 128)),
    ("dcgan", "amp-bf16", "amp_bf16", (16,)),
    ("dcgan", "amp-fp16", "amp_fp16", (16, 64)),
    ("gpt2", "fp32", "fp32", (4,)),
    ("gpt2", "tf32", "tf32", (4, 8)),
    ("gpt2", "amp-bf16", "bf16", (4, 8)),  # its default
    ("gpt2", "amp-fp16", "amp_fp16", (4,)),
    ("llama", "tf32", "tf32", (2,)),
    ("llama", "bf16", "bf16", (2, 4)),  # its default: weights in bf16
    ("vit", "fp32", "fp32", (16, 64)),
    ("vit", "tf32", "tf32", (16, 64)),
    ("vit", "amp-bf16", "amp_bf16", (16, 64)),
    ("vit", "amp-fp16", "amp_fp16", (16, 64)),
    ("bert", "fp32", "fp32", (2, 8)),
    ("bert", "tf32", "tf32", (2, 8)),
    ("bert", "amp-bf16", "amp_bf16", (2, 8, 32)),
    ("bert", "amp-fp16", "amp_fp16", (8,)),
)


def named_steps():
    """(name, script, precision, batch) of every step."""
    return [
        (f"{script}_b{batch}_{label}", script, precision, batch)
        for script, precision, label, batches in STEPS
        for batch in batches
    ]


def recording_name(script, precision, batch, suffix):
    """The recording of a step without its ending: "resnet50_b64_amp_bf16_h200"."""
    label = next(label for name, said, label, _ in STEPS if (name, said) == (script, precision))
    return f"{script}_b{batch}_{label}_{suffix}"


def arguments(precision, batch):
    """The command line of an example for one step; it runs until the recorder ends it."""
    return ["--batch", str(batch), "--precision", precision, "--iterations", "100000"]


def load(script, precision, batch, *more):
    """The function that runs one iteration of an example, taken from its training loop."""
    if EXAMPLES not in sys.path:
        sys.path.insert(0, EXAMPLES)
    import common

    caught = []
    kept, common.train = common.train, lambda step, args, every=10: caught.append(step)
    sys.argv = [script, *arguments(precision, batch), *more]
    sys.modules.pop(script, None)
    try:
        importlib.import_module(script).main()
    finally:
        common.train = kept
    return caught.pop()  # nothing here must keep the step: its memory would count in what is measured next
