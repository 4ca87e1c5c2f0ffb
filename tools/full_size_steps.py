"""Training steps of the sizes that people train: for docs/full-size-steps.md (docs/decisions/0500).

usage: full_size_steps.py STEP [--batch N] [--precision tf32|amp-bf16|bf16] [--iterations N]    one step, to be recorded
       full_size_steps.py --record FOLDER [--no-gpu] [--tag GPU] [--part I/N] [--budget SECONDS]   all of them, into FOLDER

Models of 0.02 to 7.6 billion parameters; the large batches take much of 80 GB and half a second. The other recordings here are of smaller ones,
most of them under 0.1 s. Needs torchvision, Transformers, timm and PEFT besides PyTorch. Weights and data are random.
"""

import functools
import sys

import recorded_steps
import torch
from new_models import classifier, integers, numbers
from torch import nn
from torch.nn import functional as F


def language(model, words, *shape):
    """A step of a model that is asked for the next word of each place."""
    x = integers(words, *shape)
    return model.train(), lambda: model(input_ids=x, labels=x).loss


def llama(**more):
    import transformers

    sizes = {"hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192}
    config = transformers.LlamaConfig(**{**sizes, "vocab_size": 128256, **more})
    with torch.device("cuda"):
        return transformers.LlamaForCausalLM(config)


def words_1b(batch):
    """Llama 3.2 of 1.2 billion parameters, 2048 places."""
    return language(llama(), 128256, batch, 2048)


def long_words(batch):
    """The same of 16384 places, with checkpoints."""
    model = llama(max_position_embeddings=16384)
    model.gradient_checkpointing_enable()
    return language(model, 128256, batch, 16384)


def adapters_7b(batch):
    """Qwen2.5 of 7.6 billion frozen parameters in bf16, low-rank adapters beside all of its layers (PEFT), with checkpoints, 1024 places."""
    import peft
    import transformers

    config = transformers.Qwen2Config(
        hidden_size=3584, num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4, intermediate_size=18944, vocab_size=152064
    )
    with torch.device("cuda"):
        model = transformers.Qwen2ForCausalLM(config).to(torch.bfloat16)
    model.gradient_checkpointing_enable()
    model.enable_input_require_grads()
    model = peft.get_peft_model(model, peft.LoraConfig(r=16, target_modules="all-linear", task_type="CAUSAL_LM"))
    return language(model, 152064, batch, 1024)


def gpt2_xl(batch):
    """GPT-2 of 1.5 billion parameters with checkpoints, 1024 places."""
    import transformers

    with torch.device("cuda"):
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=1600, n_layer=48, n_head=25))
    model.gradient_checkpointing_enable()
    return language(model, 50257, batch, 1024)


def bert_large(batch):
    """BERT-Large, hidden words of 512 places."""
    import transformers

    config = transformers.BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
    return language(transformers.BertForMaskedLM(config).cuda(), 30522, batch, 512)


def t5_large(batch):
    """T5-Large of 0.7 billion parameters: 512 places read, 128 written."""
    import transformers

    config = transformers.T5Config(d_model=1024, d_kv=64, d_ff=4096, num_layers=24, num_heads=16, decoder_start_token_id=0)
    model = transformers.T5ForConditionalGeneration(config).cuda().train()
    x, y = integers(32128, batch, 512), integers(32128, batch, 128)
    return model, lambda: model(input_ids=x, labels=y).loss


def whisper_medium(batch):
    """Whisper of 0.8 billion parameters: 30 s of speech, 128 words."""
    import transformers

    config = transformers.WhisperConfig(
        d_model=1024, encoder_layers=24, decoder_layers=24, encoder_attention_heads=16, decoder_attention_heads=16,
        encoder_ffn_dim=4096, decoder_ffn_dim=4096,
    )  # fmt: skip
    model = transformers.WhisperForConditionalGeneration(config).cuda().train()
    x, y = numbers(batch, 80, 3000), integers(50000, batch, 128)
    return model, lambda: model(input_features=x, labels=y).loss


def vit_large(batch):
    """ViT-L/16."""
    import torchvision

    return classifier(torchvision.models.vit_l_16(), (batch, 3, 224, 224), 1000)


def video(batch):
    """VideoMAE-Large: 16 pictures as 1568 places."""
    import transformers

    config = transformers.VideoMAEConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096, num_labels=400)
    model = transformers.VideoMAEForVideoClassification(config).cuda().train()
    x, y = numbers(batch, 16, 3, 224, 224), integers(400, batch)
    return model, lambda: model(pixel_values=x, labels=y).loss


def segment(batch):
    """The image encoder of SAM (ViT-L), pictures of 1024 x 1024 in windows, and a loss of its features."""
    import timm

    model = timm.create_model("samvit_large_patch16", num_classes=0, global_pool="").cuda()
    x = numbers(batch, 3, 1024, 1024)
    return model, lambda: model(x).float().square().mean()


def resnet50(batch):
    """ResNet-50 with channels last."""
    import torchvision

    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    x, y = numbers(batch, 3, 224, 224).contiguous(memory_format=torch.channels_last), integers(1000, batch)
    return model, lambda: F.cross_entropy(model(x), y)


def convnext_large(batch):
    """ConvNeXt-Large."""
    import torchvision

    return classifier(torchvision.models.convnext_large(), (batch, 3, 224, 224), 1000)


def swin_base(batch):
    """Swin-B."""
    import torchvision

    return classifier(torchvision.models.swin_b(), (batch, 3, 224, 224), 1000)


def efficientnet_b4(batch):
    """EfficientNet-B4, pictures of 380 x 380."""
    import torchvision

    return classifier(torchvision.models.efficientnet_b4(), (batch, 3, 380, 380), 1000)


# --- a network that takes noise from pictures


class Residual(nn.Module):
    def __init__(self, a, b, times=1280):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(32, a), nn.SiLU(), nn.Conv2d(a, b, 3, padding=1))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(times, b))
        self.second = nn.Sequential(nn.GroupNorm(32, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1))
        self.beside = nn.Conv2d(a, b, 1) if a != b else nn.Identity()

    def forward(self, x, time, _):
        return self.beside(x) + self.second(self.first(x) + self.time(time)[:, :, None, None])


class Attention(nn.Module):
    def __init__(self, width, context=None):
        super().__init__()
        self.q = nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(context or width, width, bias=False) for _ in range(2))
        self.out = nn.Linear(width, width)

    def forward(self, x, context):
        q, k, v = (part.unflatten(-1, (8, -1)).transpose(1, 2) for part in (self.q(x), self.k(context), self.v(context)))
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x, gate = self.up(x).chunk(2, -1)
        return self.down(x * F.gelu(gate))


class Reader(nn.Module):
    """What places of a picture have in common, and what they have with 77 words."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.into, self.out = nn.GroupNorm(32, width), nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.itself, self.words, self.inner = Attention(width), Attention(width, 768), Gated(width)

    def forward(self, x, _, context):
        h = self.into(self.norm(x)).flatten(2).transpose(1, 2)
        near = self.norms[0](h)
        h = h + self.itself(near, near)
        h = h + self.words(self.norms[1](h), context)
        h = h + self.inner(self.norms[2](h))
        return x + self.out(h.transpose(1, 2).unflatten(2, x.shape[2:]))


class Down(nn.Conv2d):
    def forward(self, x, *_):
        return super().forward(x)


class Up(nn.Conv2d):
    def forward(self, x, *_):
        return super().forward(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class Denoiser(nn.Module):
    """The network of Stable Diffusion 1: 0.86 billion parameters."""

    def __init__(self, widths=(320, 640, 1280, 1280)):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(320, 1280), nn.SiLU(), nn.Linear(1280, 1280))
        self.first = nn.Conv2d(4, 320, 3, padding=1)
        self.down, kept, now = nn.ModuleList(), [320], 320
        for level, width in enumerate(widths):
            for _ in range(2):
                self.down.append(nn.ModuleList([Residual(now, width), *([Reader(width)] if level < 3 else [])]))
                now = width
                kept.append(now)
            if level < 3:
                self.down.append(nn.ModuleList([Down(now, now, 3, stride=2, padding=1)]))
                kept.append(now)
        self.middle = nn.ModuleList([Residual(now, now), Reader(now), Residual(now, now)])
        self.up = nn.ModuleList()
        for level, width in reversed(list(enumerate(widths))):
            for i in range(3):
                parts = [Residual(now + kept.pop(), width), *([Reader(width)] if level < 3 else [])]
                self.up.append(nn.ModuleList(parts + ([Up(width, width, 3, padding=1)] if i == 2 and level else [])))
                now = width
        self.last = nn.Sequential(nn.GroupNorm(32, now), nn.SiLU(), nn.Conv2d(now, 4, 3, padding=1))

    def forward(self, x, time, context):
        octaves = torch.exp(torch.arange(160, device=x.device) * (-9.21 / 160)) * time[:, None]
        time = self.time(torch.cat([octaves.cos(), octaves.sin()], 1))
        x = self.first(x)
        kept = [x]
        for parts in self.down:
            for part in parts:
                x = part(x, time, context)
            kept.append(x)
        for part in self.middle:
            x = part(x, time, context)
        for parts in self.up:
            x = torch.cat([x, kept.pop()], 1)
            for part in parts:
                x = part(x, time, context)
        return self.last(x)


def denoiser(batch):
    """The network of Stable Diffusion 1.5: places of 64 x 64, 77 words."""
    model = Denoiser().cuda()
    x, noise, words = numbers(batch, 4, 64, 64), numbers(batch, 4, 64, 64), numbers(batch, 77, 768)
    time = integers(1000, batch)
    return model, lambda: F.mse_loss(model(x, time.float(), words), noise)


BOTH = ("amp-bf16", "tf32")
# name: (step by batch size, small batch, large batch, number formats)
STEPS = {
    "words_1b": (words_1b, 1, 4, BOTH),
    "vit_large": (vit_large, 32, 192, BOTH),
    "resnet50": (resnet50, 64, 512, BOTH),
    "adapters_7b": (adapters_7b, 1, 8, ("bf16",)),
    "denoiser": (denoiser, 4, 24, BOTH),
    "bert_large": (bert_large, 8, 48, BOTH),
    "whisper_medium": (whisper_medium, 4, 16, BOTH),
    "convnext_large": (convnext_large, 16, 96, BOTH),
    "gpt2_xl": (gpt2_xl, 2, 12, BOTH),
    "segment": (segment, 1, 4, BOTH),
    "t5_large": (t5_large, 4, 24, BOTH),
    "swin_base": (swin_base, 32, 128, BOTH),
    "video": (video, 2, 12, BOTH),
    "efficientnet_b4": (efficientnet_b4, 16, 64, BOTH),
    "long_words": (long_words, 1, 2, ("amp-bf16",)),
}


def recorded(steps, asked):
    """(name, batch, format): small and large in the format that people train in, then small ones in the other."""
    first, parts = map(int, asked.part.split("/"))
    mine = {name: steps[name] for name in list(steps)[first::parts]}
    for name, (_, small, large, formats) in mine.items():
        yield name, small, formats[0]
        yield name, large, formats[0]
    for name, (_, small, _, formats) in mine.items():
        for precision in formats[1:]:
            yield name, small, precision


def main(steps=STEPS, tool="tools/full_size_steps.py"):
    def trained(name, batch, precision, iterations):
        recorded_steps.train(steps[name][0], batch, precision, iterations, functools.partial(torch.optim.AdamW, fused=True))

    formats = ("amp-bf16", "tf32", "bf16")
    more = [("--part", {"default": "0/1", "help": "every Nth step from the Ith on, for N GPUs side by side"})]
    return recorded_steps.main(__doc__, tool, steps, formats, "h100", trained, functools.partial(recorded, steps), more, ("--timed", "5"))


if __name__ == "__main__":
    sys.exit(main())
