"""Ways to train (and to use) a network that the recordings of models here do not have: docs/training-ways.md.

usage: training_ways.py WAY [--batch N] [--iterations N]                  one way, to be recorded
       training_ways.py --record FOLDER [--only WAY..] [--no-gpu] [--tag GPU] [--budget SECONDS]    all of them, into FOLDER

Each is written as people write it: loop, Trainer, compiler, optimiser. Needs torchvision, Transformers, Lightning and
accelerate besides PyTorch. Weights and data are random.
"""

import argparse
import itertools
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))


def integers(end, *shape):
    return torch.randint(0, end, shape, device="cuda")


def numbers(*shape):
    return torch.randn(*shape, device="cuda")


def amp(dtype=torch.bfloat16):
    return torch.autocast("cuda", dtype)


def vision(name, **options):
    import torchvision

    return getattr(torchvision.models, name)(**options).cuda().train()


def words(kind, **sizes):
    """A model of Transformers, e.g. words("Llama.ForCausalLM", ..)."""
    import transformers

    name, task = kind.split(".")
    return getattr(transformers, name + task)(getattr(transformers, name + "Config")(**sizes)).cuda().train()


LLAMA = {
    "vocab_size": 32000,
    "hidden_size": 1024,
    "intermediate_size": 2816,
    "num_hidden_layers": 12,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
}
SMALL_GPT2 = {"vocab_size": 50304, "n_positions": 1024, "use_cache": False}


def train(optimizer, loss_of, iterations):
    """The loop that most have: gradients are let go between the forward pass and the backward one."""
    for _ in range(iterations):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def sorted_pictures(model, x, y):
    """The loss of a model that sorts pictures into classes, under autocast."""

    def loss_of():
        with amp():
            return F.cross_entropy(model(x), y)

    return loss_of


# Plain loops


def accumulate(batch, iterations):
    """Four micro-batches a step, clipped gradients, a fused optimiser."""
    model = vision("vit_b_16")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)
    for _ in range(iterations):
        for part, label in zip(x.chunk(4), y.chunk(4)):
            with amp():
                loss = F.cross_entropy(model(part), label) / 4
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def checkpoint(batch, iterations):
    """Layers computed again in the backward pass."""
    model = words("GPT2.LMHeadModel", **SMALL_GPT2)
    model.gradient_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = integers(50257, batch, 1024)
    for _ in range(iterations):
        with amp():
            loss = model(input_ids=x, labels=x).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def channels_last(batch, iterations):
    """NHWC, a scaler, SGD with momentum and an average of the weights."""
    model = vision("convnext_tiny").to(memory_format=torch.channels_last)
    mean = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    scaler = torch.amp.GradScaler("cuda")
    x, y = numbers(batch, 3, 224, 224).to(memory_format=torch.channels_last), integers(1000, batch)
    for _ in range(iterations):
        optimizer.zero_grad()
        with amp(torch.float16):
            loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        mean.update_parameters(model)


class LowRank(nn.Module):
    def __init__(self, base, rank=16):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False, device="cuda")
        self.up = nn.Linear(rank, base.out_features, bias=False, device="cuda")

    def forward(self, x):
        return self.base(x) + self.up(self.down(x.float())).to(x.dtype)


def low_rank(batch, iterations):
    """Frozen weights in bf16, small adapters in fp32 beside two projections of each layer."""
    model = words("Llama.ForCausalLM", **LLAMA).to(torch.bfloat16).requires_grad_(False)
    for layer in model.model.layers:
        layer.self_attn.q_proj, layer.self_attn.v_proj = LowRank(layer.self_attn.q_proj), LowRank(layer.self_attn.v_proj)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    x = integers(32000, batch, 1024)
    for _ in range(iterations):
        loss = model(input_ids=x, labels=x).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def detector(batch, iterations):
    """Pictures of several sizes, padded to the largest of a batch, anchors, regions: shapes that depend on values."""
    import torchvision

    torch.backends.cuda.matmul.allow_tf32 = True
    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None).cuda().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
    sizes = itertools.cycle(((480, 640), (512, 512), (600, 450)))
    pictures = [torch.rand(3, *next(sizes), device="cuda") for _ in range(batch)]
    box = torch.tensor([[30.0, 40.0, 200.0, 220.0], [100.0, 60.0, 380.0, 400.0]], device="cuda")
    targets = [{"boxes": box, "labels": torch.tensor([1, 2], device="cuda")} for _ in pictures]
    train(optimizer, lambda: sum(model(pictures, targets).values()), iterations)


class Block(nn.Module):
    def __init__(self, a, b, time):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(32, a), nn.SiLU(), nn.Conv2d(a, b, 3, padding=1))
        self.time = nn.Linear(time, b)
        self.second = nn.Sequential(nn.GroupNorm(32, b), nn.SiLU(), nn.Dropout(0.1), nn.Conv2d(b, b, 3, padding=1))
        self.skip = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

    def forward(self, x, t):
        return self.skip(x) + self.second(self.first(x) + self.time(F.silu(t))[:, :, None, None])


class Attention(nn.Module):
    def __init__(self, width, heads=8):
        super().__init__()
        self.norm, self.qkv, self.out, self.heads = nn.GroupNorm(32, width), nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1), heads

    def forward(self, x):
        n, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).view(n, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
        return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(n, c, h, w))


class Denoiser(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(width, 512), nn.SiLU(), nn.Linear(512, 512))
        self.first, self.width = nn.Conv2d(3, width, 3, padding=1), width
        widths = (width, 2 * width, 2 * width, 4 * width)
        self.down = nn.ModuleList(Block(a, b, 512) for a, b in zip((width, *widths), widths))
        self.middle = nn.ModuleList([Block(widths[-1], widths[-1], 512), Attention(widths[-1])])
        self.up = nn.ModuleList(Block(2 * b, a, 512) for a, b in zip((width, *widths), widths))
        self.last = nn.Sequential(nn.GroupNorm(32, width), nn.SiLU(), nn.Conv2d(width, 3, 3, padding=1))

    def forward(self, x, steps):
        octaves = torch.exp(-9.2 * torch.arange(self.width // 2, device=x.device) / (self.width // 2))
        angles = steps[:, None] * octaves
        t = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        x, kept = self.first(x), []
        for block in self.down:
            x = block(x, t)
            kept.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.middle[1](self.middle[0](x, t))
        for block, skip in zip(reversed(self.up), reversed(kept)):
            x = block(torch.cat([F.interpolate(x, scale_factor=2, mode="nearest"), skip], 1), t)
        return self.last(x)


def diffusion(batch, iterations):
    """Group norm, attention over pictures, an average of the weights by hand."""
    model = Denoiser().cuda()
    mean = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = numbers(batch, 3, 64, 64)
    for _ in range(iterations):
        t, noise = torch.rand(batch, device="cuda"), torch.randn_like(x)
        with amp():
            guess = model((1 - t)[:, None, None, None] * x + t[:, None, None, None] * noise, 1000 * t)
            loss = F.mse_loss(guess.float(), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch._foreach_lerp_(mean, [p.detach() for p in model.parameters()], 0.001)


def windows(batch, iterations):
    """Attention in shifted windows with a learned bias."""
    model = vision("swin_t")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def experts(batch, iterations):
    """Each token to two of eight experts: rows that depend on values."""
    sizes = {**LLAMA, "intermediate_size": 1536, "num_hidden_layers": 6}
    model = words("Mixtral.ForCausalLM", num_local_experts=8, num_experts_per_tok=2, **sizes).to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = integers(32000, batch, 1024)
    for _ in range(iterations):
        loss = model(input_ids=x, labels=x).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def speech(batch, iterations):
    """Whisper: convolutions over sound, an encoder and a decoder."""
    model = words("Whisper.ForConditionalGeneration", d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = numbers(batch, 80, 3000), integers(50000, batch, 128)

    def loss_of():
        with amp():
            return model(input_features=x, labels=y).loss

    train(optimizer, loss_of, iterations)


def two_kinds(batch, iterations):
    """Muon for matrices, AdamW for the rest, the rate of learning on a schedule."""
    model = words("GPT2.LMHeadModel", **SMALL_GPT2)
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "wte" not in name and "wpe" not in name]
    chosen = {id(p) for p in matrices}
    rest = [p for p in model.parameters() if id(p) not in chosen]
    optimizers = [torch.optim.Muon(matrices, lr=0.02), torch.optim.AdamW(rest, lr=1e-4)]
    schedules = [torch.optim.lr_scheduler.CosineAnnealingLR(one, iterations) for one in optimizers]
    x = integers(50257, batch, 512)
    for _ in range(iterations):
        with amp():
            loss = model(input_ids=x, labels=x).loss
        loss.backward()
        for one in optimizers + schedules:
            one.step()
        for one in optimizers:
            one.zero_grad()


def adafactor(batch, iterations):
    """T5 with a factored state."""
    model = words("T5.ForConditionalGeneration", d_model=768, d_kv=64, d_ff=3072, num_layers=6, num_heads=12, decoder_start_token_id=0)
    optimizer = torch.optim.Adafactor(model.parameters(), lr=1e-3)
    x, y = integers(32000, batch, 512), integers(32000, batch, 128)

    def loss_of():
        with amp():
            return model(input_ids=x, labels=y).loss

    train(optimizer, loss_of, iterations)


def equation(batch, iterations):
    """A network that obeys an equation: gradients of gradients, in fp64."""
    torch.set_default_dtype(torch.float64)
    layers = [part for i in range(6) for part in (nn.Linear(256 if i else 2, 256), nn.Tanh())]
    model = nn.Sequential(*layers, nn.Linear(256, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    points = torch.rand(batch, 2, device="cuda", requires_grad=True)
    for _ in range(iterations):
        u = model(points)
        (first,) = torch.autograd.grad(u.sum(), points, create_graph=True)
        (second,) = torch.autograd.grad(first[:, 0].sum(), points, create_graph=True)
        loss = ((first[:, 1] - 0.1 * second[:, 0]) ** 2).mean() + (u**2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def tables(batch, iterations):
    """Bags of embeddings with sparse gradients beside a dense part: two optimisers."""
    bags = nn.ModuleList(nn.EmbeddingBag(100000, 64, mode="sum", sparse=True) for _ in range(26)).cuda()
    bottom = nn.Sequential(nn.Linear(13, 512), nn.ReLU(), nn.Linear(512, 64), nn.ReLU()).cuda()
    top = nn.Sequential(nn.Linear(64 + 351, 1024), nn.ReLU(), nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    optimizers = [torch.optim.SparseAdam(list(bags.parameters())), torch.optim.Adam([*bottom.parameters(), *top.parameters()])]
    dense, rows, y = numbers(batch, 13), integers(100000, 26, batch, 4), torch.rand(batch, 1, device="cuda")
    i, j = torch.tril_indices(27, 27, -1, device="cuda")
    for _ in range(iterations):
        all_of = torch.stack([bottom(dense), *(bag(r) for bag, r in zip(bags, rows))], 1)
        pairs = torch.bmm(all_of, all_of.transpose(1, 2))[:, i, j]
        loss = F.binary_cross_entropy_with_logits(top(torch.cat([all_of[:, 0], pairs], 1)), y)
        for one in optimizers:
            one.zero_grad()
        loss.backward()
        for one in optimizers:
            one.step()


class Pictures(torch.utils.data.Dataset):
    """Pictures that the CPU makes and turns: a loader that keeps the GPU waiting."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        picture = torch.randint(0, 256, (3, 256, 256), dtype=torch.uint8, generator=torch.Generator().manual_seed(i)).float()
        picture = F.interpolate(picture[None], size=(224, 224), mode="bilinear", antialias=True)[0]
        return (picture / 255 - 0.45) / 0.22, i % 1000


def loader(batch, iterations):
    """Workers, pinned memory, copies that do not wait, the loss read in each step."""
    data = iter(torch.utils.data.DataLoader(Pictures(), batch, num_workers=4, pin_memory=True))
    model = vision("resnet18").to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    said = 0.0
    for _ in range(iterations):
        x, y = next(data)
        x, y = x.cuda(non_blocking=True).to(memory_format=torch.channels_last), y.cuda(non_blocking=True)
        with amp():
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        said += loss.item()


# Trainers


def lightning(batch, iterations):
    """EfficientNet in Lightning's Trainer, whose optimiser's step is handed the passes; a loader of one process."""
    import lightning as L

    class Lit(L.LightningModule):
        def __init__(self):
            super().__init__()
            import torchvision

            self.model = torchvision.models.efficientnet_b0()

        def training_step(self, parts, _):
            loss = F.cross_entropy(self.model(parts[0]), parts[1])
            self.log("loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.RMSprop(self.parameters(), lr=1e-3, momentum=0.9)

    data = torch.utils.data.TensorDataset(torch.randn(4 * batch, 3, 224, 224), torch.randint(0, 1000, (4 * batch,)))
    trainer = L.Trainer(max_steps=iterations, precision="bf16-mixed", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    trainer.fit(Lit(), torch.utils.data.DataLoader(data, batch))


def trainer(batch, iterations):
    """Hugging Face's Trainer: accumulates two micro-batches, collates on the host."""
    import transformers

    config = transformers.RobertaConfig(vocab_size=50265, num_labels=2)
    model = transformers.RobertaForSequenceClassification(config)
    data = [{"input_ids": torch.randint(5, 50000, (256,)), "labels": i % 2} for i in range(4 * batch)]
    arguments = transformers.TrainingArguments(
        output_dir="/tmp/habitat-trainer",
        max_steps=iterations,
        per_device_train_batch_size=batch // 2,
        gradient_accumulation_steps=2,
        bf16=True,
        report_to=[],
        save_strategy="no",
        logging_steps=10,
        disable_tqdm=True,
    )
    transformers.Trainer(model=model, args=arguments, train_dataset=data).train()


# Compilers and graphs


def compiled_pictures(batch, iterations):
    """ResNet-50 compiled, channels last, a fused SGD."""
    model = torch.compile(vision("resnet50").to(memory_format=torch.channels_last))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    x, y = numbers(batch, 3, 224, 224).to(memory_format=torch.channels_last), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def compiled_words(batch, iterations):
    """A Llama in bf16, compiled in place."""
    model = words("Llama.ForCausalLM", **LLAMA).to(torch.bfloat16)
    model.compile()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = integers(32000, batch, 1024)
    train(optimizer, lambda: model(input_ids=x, labels=x).loss, iterations)


def compiled_graphs(batch, iterations):
    """ViT compiled, then kept in CUDA graphs."""
    model = torch.compile(vision("vit_b_16"), mode="reduce-overhead")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def graphed(batch, iterations):
    """The whole step in one CUDA graph."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = vision("resnet18")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        step()
    for _ in range(iterations):
        graph.replay()


# Use


def decode(batch, iterations):
    """One token at a time, with the keys and values of those before."""
    from transformers import DynamicCache

    model = words("Llama.ForCausalLM", **LLAMA).to(torch.float16).eval()
    with torch.inference_mode():
        for _ in range(iterations // 2):
            cache = DynamicCache()
            token = model(input_ids=integers(32000, batch, 512), past_key_values=cache).logits[:, -1:].argmax(-1)
            for _ in range(10):
                token = model(input_ids=token, past_key_values=cache).logits[:, -1:].argmax(-1)


def halves(batch, iterations):
    """A classifier with weights in fp16."""
    model, x = vision("resnet50").half().eval(), numbers(batch, 3, 224, 224).half()
    with torch.inference_mode():
        for _ in range(iterations):
            model(x).softmax(-1)


FORWARD = ("--boundary", "forward:1")
# name: (way, small batch, large batch, options of the recorder)
WAYS = {
    "accumulate": (accumulate, 32, 128, ()),
    "checkpoint": (checkpoint, 4, 16, ()),
    "channels_last": (channels_last, 32, 128, ()),
    "low_rank": (low_rank, 2, 8, ()),
    "detector": (detector, 2, 8, ()),
    "diffusion": (diffusion, 16, 64, ()),
    "windows": (windows, 32, 128, ()),
    "experts": (experts, 2, 8, ()),
    "speech": (speech, 4, 16, ()),
    "two_kinds": (two_kinds, 4, 16, ()),
    "adafactor": (adafactor, 4, 16, ()),
    "equation": (equation, 4096, 16384, ()),
    "tables": (tables, 1024, 4096, ()),
    "loader": (loader, 32, 128, ()),
    "lightning": (lightning, 32, 128, ()),
    "trainer": (trainer, 16, 64, ()),
    "graphed": (graphed, 32, 128, ()),
    "decode": (decode, 4, 32, ("--boundary", "forward:11")),
    "halves": (halves, 16, 128, FORWARD),
    "compiled_pictures": (compiled_pictures, 32, 128, ()),
    "compiled_words": (compiled_words, 2, 8, ()),
    "compiled_graphs": (compiled_graphs, 16, 64, ()),
}


def record(folder, tag, budget_s, without_gpu, only):
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import forked

    def lines():
        sizes = (1,) if without_gpu else (1, 2)
        steps = [(name, way, size) for size in sizes for name, way in WAYS.items() if name in (only or WAYS)]
        for name, way, size in sorted(steps, key=lambda step: step[0].startswith("compiled")):  # they take longest
            said = f"{name}_b{way[size]}{'' if without_gpu else '_' + tag}"
            yield said, ["--model", name, *way[3]], ["tools/training_ways.py", name, "--batch", str(way[size]), "--iterations", "80"]

    os.chdir(ROOT)  # so that no path of this machine is in the recorded command
    return forked.record("training_ways", folder, lines(), without_gpu, budget_s, limit_s=150)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("way", nargs="?", choices=WAYS)
    p.add_argument("--batch", type=int)
    p.add_argument("--iterations", type=int, default=80)
    p.add_argument("--record", metavar="FOLDER")
    p.add_argument("--only", nargs="+", choices=WAYS, help="these ways alone")
    p.add_argument("--no-gpu", action="store_true")
    p.add_argument("--tag", default="h200", help="GPU that records, for names of files")
    p.add_argument("--budget", type=float, default=560)
    asked = p.parse_args()
    if asked.record:
        return record(os.path.abspath(asked.record), asked.tag, asked.budget, asked.no_gpu, asked.only)
    if not asked.way:
        p.error("name a way, or a folder to record into")
    torch.manual_seed(0)
    WAYS[asked.way][0](asked.batch or WAYS[asked.way][1], asked.iterations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
