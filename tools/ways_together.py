"""Ways to train a network on several GPUs at once: docs/ways-together.md.

usage: ways_together.py WAY [--batch N] [--iterations N]              one rank of one way, to be recorded (torchrun's environment)
       ways_together.py --record FOLDER [--gpus 1,2,4] [--only WAY..] [--tag GPU] [--budget SECONDS]     all of them, into FOLDER

Each is written as people write it: DistributedDataParallel with its options, Lightning, Trainer, sharded weights, tensors in
parts, experts' and tables' exchange, a pipeline. On one GPU the ways that share gradients alone train by themselves: what
`--gpus` predicts from. Needs torchvision, Transformers, Lightning and accelerate besides PyTorch. Weights and data are random.
"""

import argparse
import contextlib
import os
import socket
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from training_ways import SMALL_GPT2, amp, integers, numbers, sorted_pictures, train, vision, words  # noqa: E402

LARGE_LLAMA = {
    "vocab_size": 32000,
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "use_cache": False,
}


def gpus():
    return int(os.environ.get("WORLD_SIZE", 1))


def rank():
    return int(os.environ.get("RANK", 0))


def shared(model, **options):
    """The model's data-parallel form; on one GPU the model itself."""
    return DistributedDataParallel(model, **options) if gpus() > 1 else model


def mesh(*shape, names):
    from torch.distributed.device_mesh import init_device_mesh

    return init_device_mesh("cuda", shape, mesh_dim_names=names)


# Gradients alone are shared: these train on one GPU, too


def views(batch, iterations):
    """ResNet-50, channels last: gradients are views of their buckets, the graph is static."""
    model = vision("resnet50").to(memory_format=torch.channels_last)
    model = shared(model, gradient_as_bucket_view=True, static_graph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    x, y = numbers(batch, 3, 224, 224).to(memory_format=torch.channels_last), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def no_sync(batch, iterations):
    """GPT-2: four micro-batches a step, whose gradients are shared with the last; a fused optimiser."""
    model = shared(words("GPT2.LMHeadModel", **SMALL_GPT2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = integers(50257, batch, 1024)
    for _ in range(iterations):
        for k, part in enumerate(x.chunk(4)):
            quiet = model.no_sync() if k < 3 and gpus() > 1 else contextlib.nullcontext()
            with quiet:
                with amp():
                    loss = model(input_ids=part, labels=part).loss / 4
                loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def compressed(batch, iterations):
    """BERT in TF32 whose gradients are sent in bf16."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = shared(words("Bert.ForMaskedLM", hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096))
    if gpus() > 1:
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

        model.register_comm_hook(None, default_hooks.bf16_compress_hook)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = integers(30522, batch, 512)
    train(optimizer, lambda: model(input_ids=x, labels=x).loss, iterations)


def adapters(batch, iterations):
    """Small adapters beside frozen weights in bf16: little to share."""
    model = words("Llama.ForCausalLM", **LARGE_LLAMA).to(torch.bfloat16)
    for parameter in model.parameters():
        parameter.requires_grad_(False)

    class Adapter(nn.Module):
        def __init__(self, base, width=16):
            super().__init__()
            self.base = base
            self.down = nn.Linear(base.in_features, width, bias=False, device="cuda")
            self.up = nn.Linear(width, base.out_features, bias=False, device="cuda")

        def forward(self, x):
            return self.base(x) + self.up(self.down(x.float())).to(x.dtype)

    for layer in model.model.layers:
        layer.self_attn.q_proj, layer.self_attn.v_proj = Adapter(layer.self_attn.q_proj), Adapter(layer.self_attn.v_proj)
    model = shared(model)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    x = integers(32000, batch, 1024)
    train(optimizer, lambda: model(input_ids=x, labels=x).loss, iterations)


def states(batch, iterations):
    """ViT-L: each GPU keeps the optimiser's states of its part of the parameters (ZeroRedundancyOptimizer)."""
    from torch.distributed.optim import ZeroRedundancyOptimizer

    model = shared(vision("vit_l_16"))
    if gpus() > 1:
        optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-4)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def synchronised(batch, iterations):
    """ResNet-50 whose batch norms count the pictures of all GPUs: a message a layer."""
    model = vision("resnet50")
    if gpus() > 1:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model = shared(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = numbers(batch, 3, 224, 224), integers(1000, batch)
    train(optimizer, sorted_pictures(model, x, y), iterations)


def lightning(batch, iterations):
    """EfficientNet in Lightning's Trainer."""
    import lightning as pl
    from torch.utils.data import DataLoader, TensorDataset

    class Sorter(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = vision("efficientnet_v2_s")

        def training_step(self, batch, _):
            x, y = batch
            return F.cross_entropy(self.model(x), y)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-4)

    data = TensorDataset(torch.randn(batch * 2, 3, 224, 224), torch.randint(0, 1000, (batch * 2,)))
    trainer = pl.Trainer(
        max_steps=iterations, precision="bf16-mixed", accelerator="gpu", devices=gpus(),
        strategy="ddp" if gpus() > 1 else "auto", logger=False, enable_checkpointing=False, enable_progress_bar=False,
    )  # fmt: skip
    trainer.fit(Sorter(), DataLoader(data, batch_size=batch))


def trainer(batch, iterations):
    """Hugging Face's Trainer over GPT-2."""
    import tempfile

    from transformers import Trainer, TrainingArguments

    rows = [{"input_ids": torch.randint(0, 50257, (512,)), "labels": torch.randint(0, 50257, (512,))} for _ in range(batch * 8)]
    told = TrainingArguments(
        tempfile.mkdtemp(), per_device_train_batch_size=batch, max_steps=iterations, bf16=True, report_to=[], save_strategy="no",
        logging_strategy="no", disable_tqdm=True, dataloader_pin_memory=True,
    )  # fmt: skip
    Trainer(model=words("GPT2.LMHeadModel", **SMALL_GPT2), args=told, train_dataset=rows).train()


# Weights, tensors or layers are in parts


def sharded(batch, iterations):
    """Llama: weights, gradients and states in parts (FullyShardedDataParallel), layer by layer."""
    import functools

    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
    from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
    from transformers.models.llama.modeling_llama import LlamaDecoderLayer

    model = FullyShardedDataParallel(
        words("Llama.ForCausalLM", **LARGE_LLAMA), use_orig_params=True, device_id=torch.cuda.current_device(),
        mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.bfloat16),
        auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={LlamaDecoderLayer}),
    )  # fmt: skip
    train_words(model, batch, iterations)


def train_words(model, batch, iterations):
    from torch.distributed.tensor import DTensor

    kinds = [[p for p in model.parameters() if isinstance(p, DTensor) == parts] for parts in (True, False)]  # no optimiser mixes them
    optimizer = torch.optim.AdamW([{"params": kind} for kind in kinds if kind], lr=1e-4)
    x = integers(32000, batch, 1024)
    train(optimizer, lambda: model(input_ids=x, labels=x).loss, iterations)


def fully_shard_layers(model, **options):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    options["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.model.layers:
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def sharded_tensors(batch, iterations):
    """The same with fully_shard, which keeps each parameter a tensor of its own."""
    train_words(fully_shard_layers(words("Llama.ForCausalLM", **LARGE_LLAMA)), batch, iterations)


def sharded_kept(batch, iterations):
    """The same; weights once gathered are kept until the backward pass."""
    train_words(fully_shard_layers(words("Llama.ForCausalLM", **LARGE_LLAMA), reshard_after_forward=False), batch, iterations)


def sharded_pairs(batch, iterations):
    """Weights in parts within each pair of GPUs, gradients shared among the pairs."""
    pairs = mesh(gpus() // 2, 2, names=("between", "within"))
    train_words(fully_shard_layers(words("Llama.ForCausalLM", **LARGE_LLAMA), mesh=pairs), batch, iterations)


def columns(batch, iterations):
    """Llama whose products are in parts of columns, then of rows, on each GPU (tensor parallel)."""
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    model = words("Llama.ForCausalLM", **LARGE_LLAMA).to(torch.bfloat16)
    parts = {f"self_attn.{name}": ColwiseParallel() for name in ("q_proj", "k_proj", "v_proj")}
    parts |= {f"mlp.{name}": ColwiseParallel() for name in ("gate_proj", "up_proj")}
    parts |= {"self_attn.o_proj": RowwiseParallel(), "mlp.down_proj": RowwiseParallel()}
    all_gpus = mesh(gpus(), names=("columns",))
    for layer in model.model.layers:
        parallelize_module(layer, all_gpus, parts)
    torch.manual_seed(0)  # the same words on all
    train_words(model, batch, iterations)


class Exchange(torch.autograd.Function):
    """Row i of what each GPU has goes to GPU i, forth and back."""

    @staticmethod
    def forward(ctx, x):
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous())
        return out

    @staticmethod
    def backward(ctx, gradient):
        out = torch.empty_like(gradient)
        dist.all_to_all_single(out, gradient.contiguous())
        return out


def exchange(batch, iterations):
    """Tables of embeddings, some on each GPU, and rows exchanged; the dense part has its gradients shared."""
    count, width = 8, 128
    tables = nn.ModuleList(nn.EmbeddingBag(500000, width, mode="sum") for _ in range(count)).cuda()
    wide = count * gpus() * width
    dense = nn.Sequential(nn.Linear(wide, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1)).cuda()
    dense = shared(dense)
    optimizer = torch.optim.SGD([*tables.parameters(), *dense.parameters()], lr=0.01)
    words_of = [integers(500000, batch * gpus(), 20) for _ in range(count)]  # of the pictures of all GPUs
    y = torch.rand(batch, 1, device="cuda")

    def loss_of():
        rows = torch.stack([table(w) for table, w in zip(tables, words_of)], 1)  # all samples, tables of this GPU
        if gpus() > 1:
            rows = Exchange.apply(rows)  # samples of this GPU, all tables
        rows = rows.view(gpus(), batch, count * width).transpose(0, 1).reshape(batch, wide)
        return F.binary_cross_entropy_with_logits(dense(rows), y)

    train(optimizer, loss_of, iterations)


def pipeline(batch, iterations):
    """GPT-2's blocks in stages, one a GPU; four micro-batches pass through."""
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B
    from transformers.models.gpt2.modeling_gpt2 import GPT2Config

    config = GPT2Config(**SMALL_GPT2)
    block = lambda: nn.TransformerEncoderLayer(config.n_embd, 12, 3072, batch_first=True, dropout=0.0)  # noqa: E731
    stage = nn.Sequential(*[block() for _ in range(24 // gpus())]).cuda()
    staged = PipelineStage(stage, rank(), gpus(), torch.device("cuda", torch.cuda.current_device()))
    schedule = Schedule1F1B(staged, n_microbatches=4, loss_fn=lambda out, y: F.mse_loss(out, y))
    optimizer = torch.optim.AdamW(stage.parameters(), lr=1e-4)
    x, y = numbers(batch, 512, config.n_embd), numbers(batch, 512, config.n_embd)
    for _ in range(iterations):
        optimizer.zero_grad()
        if rank() == 0:
            schedule.step(x)
        elif rank() == gpus() - 1:
            schedule.step(target=y)
        else:
            schedule.step()
        optimizer.step()


# name: (way, batch of a GPU, numbers of GPUs)
WAYS = {
    "views": (views, 128, (1, 2, 4)),
    "no_sync": (no_sync, 16, (1, 2, 4)),
    "compressed": (compressed, 16, (1, 2, 4)),
    "adapters": (adapters, 4, (1, 2, 4)),
    "states": (states, 32, (1, 2, 4)),
    "synchronised": (synchronised, 64, (1, 2, 4)),
    "lightning": (lightning, 64, (1, 2, 4)),
    "trainer": (trainer, 16, (1, 2, 4)),
    "sharded": (sharded, 4, (2, 4)),
    "sharded_tensors": (sharded_tensors, 4, (2, 4)),
    "sharded_kept": (sharded_kept, 4, (2, 4)),
    "columns": (columns, 8, (2, 4)),
    "exchange": (exchange, 4096, (2, 4)),
    "sharded_pairs": (sharded_pairs, 4, (4,)),
    "pipeline": (pipeline, 32, (2,)),
}
OWN_GROUP = ("lightning", "trainer")  # these join the ranks by themselves


def run(name, batch, iterations):
    """One rank of one way."""
    torch.manual_seed(rank())
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    if gpus() > 1 and name not in OWN_GROUP:
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    WAYS[name][0](batch or WAYS[name][1], iterations)
    return 0


# Recording


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def record_ranks(runner, name, count, line):
    """Runs a line of the recorder once for each rank, all at once, each in a fork."""
    import forked

    port = free_port()

    def ranked(r):
        def job():
            if count == 1:
                os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # Trainer takes all it sees
            else:
                os.environ.update(RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE=str(count), LOCAL_WORLD_SIZE=str(count),
                                  MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GROUP_RANK="0", OMP_NUM_THREADS="4")  # fmt: skip
            return forked.python(line)

        return job

    runner.run_together({f"{name} rank {r} of {count}": ranked(r) for r in range(count)})


def record(folder, tag, counts, budget_s, only):
    import forked

    forked.import_early()
    for module in ("torch.distributed.fsdp", "torch.distributed.tensor.parallel", "torch.distributed.pipelining", "lightning",
                   "transformers.models.llama.modeling_llama", "transformers.models.gpt2.modeling_gpt2", "accelerate"):  # fmt: skip
        with contextlib.suppress(ImportError):
            __import__(module)
    os.chdir(ROOT)  # so that no path of this machine is in the recorded command
    os.makedirs(folder, exist_ok=True)
    runner = forked.Runner(budget_s, limit_s=50)
    for name in only or WAYS:
        for count in WAYS[name][2]:
            if count in counts:
                batch = WAYS[name][1]
                path = os.path.join(folder, f"{name}_b{batch}_{count}x{tag}.json.gz")
                record_ranks(runner, name, count, [
                    "-m", "habitat.recording", "--compact", "--iterations", "1", "--pause", "0.2", "--model", name, "-o", path,
                    "tools/ways_together.py", name, "--batch", str(batch), "--iterations", "80",
                ])  # fmt: skip
    for failure in runner.failed:
        print(f"ways_together: {failure}", file=sys.stderr)
    return 1 if runner.failed else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    p.add_argument("way", nargs="?", choices=WAYS)
    p.add_argument("--batch", type=int, help="samples of one GPU")
    p.add_argument("--iterations", type=int, default=80)
    p.add_argument("--record", metavar="FOLDER")
    p.add_argument("--gpus", default="1,2,4", help="how many train together (default: 1,2,4)")
    p.add_argument("--only", nargs="+", choices=WAYS, help="these ways alone")
    p.add_argument("--tag", default="h200", help="GPU that records, for names of files")
    p.add_argument("--budget", type=float, default=560)
    asked = p.parse_args()
    if asked.record:
        sys.path.insert(0, os.path.join(ROOT, "python"))
        counts = [int(count) for count in asked.gpus.split(",")]
        return record(os.path.abspath(asked.record), asked.tag, counts, asked.budget, asked.only)
    if not asked.way:
        p.error("name a way, or a folder to record into")
    return run(asked.way, asked.batch, asked.iterations)


if __name__ == "__main__":
    sys.exit(main())
