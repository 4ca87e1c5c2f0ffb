"""Records convolutional networks as others measured them, for comparison with published times.

Usage: python3 tools/eval_cnns.py CASE OUTPUT      e.g. resnet50-train-fp16 resnet50.json.gz
       python3 tools/eval_cnns.py --list

The measurements are the `source=ryujaehun` rows of the public bundle: torchvision models, batch 12, 3x224x224, cuDNN's
search for the fastest algorithm on; the images come from pageable host memory in every iteration; `inf` is the
forward pass, `train` is zero_grad, forward, cross entropy and backward without an optimiser; fp16 is `model.half()`.
The GPUs measured have no TF32. `fp32` records with TF32 off, `tf32` with PyTorch's defaults (on for convolutions).
Needs the package `torchvision`; nothing is downloaded, weights are random.
"""

import sys

import torch

from eval_models import command, without_tf32

BATCH = 12
MODELS = ("resnet50", "vgg16", "densenet121", "mobilenet_v2")
CASES = tuple(
    f"{model}-{mode}-{form}"
    for model in MODELS
    for mode in ("inf", "train")
    for form in ("fp32", "tf32", "fp16")
    if form != "tf32" or model in ("resnet50", "vgg16")
)


def make_step(model, mode, form, device, batch=BATCH, size=224):
    """A function that runs one iteration of a torchvision model."""
    dtype = torch.float16 if form == "fp16" else torch.float32
    images = torch.randn(batch, 3, size, size, dtype=torch.float32).to(dtype)
    labels = torch.randint(0, 1000, (batch,), device=device)
    model = model.to(device=device, dtype=dtype).train(mode == "train")
    loss_of = torch.nn.CrossEntropyLoss()

    def infer():
        with torch.no_grad():
            model(images.to(device))

    def train():
        model.zero_grad()
        loss_of(model(images.to(device)), labels).backward()

    return train if mode == "train" else infer


def record_case(case, output):
    import torchvision

    import habitat

    name, mode, form = case.split("-")
    torch.backends.cudnn.benchmark = True
    if form == "fp32":
        without_tf32()
    step = make_step(getattr(torchvision.models, name)(weights=None), mode, form, "cuda")
    return habitat.record_iterations(
        step, path=output, iterations=1, warmup=5, timed=10, batch_size=BATCH, model=case, compact=True,
        pause=1.0, command=f"tools/eval_cnns.py {case}",
    )


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:], __doc__, CASES, record_case))
