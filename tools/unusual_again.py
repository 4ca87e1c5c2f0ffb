"""Steps of other networks and sizes that take the same ways as those of unusual_steps.py: recorded after the rules that those led to
(docs/unusual-steps.md, "Clean test").

usage: unusual_again.py STEP [--batch N] [--precision fp32|amp-bf16|fp8] [--iterations N]    one step, to be recorded
       unusual_again.py --record FOLDER [--no-gpu] [--tag GPU] [--budget SECONDS]            all of them, into FOLDER
"""

import sys

import torch
import unusual_steps as first
from torch import nn
from torch.nn import functional as F

BOTH = first.BOTH


class Fading(nn.Module):
    """Running sums and products along time, of a gate that each value has."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.into, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        value, gate, forget = self.into(self.norm(x)).chunk(3, -1)
        fade = torch.cumsum(F.logsigmoid(forget), 1)
        return x + self.out(torch.cumsum(value * torch.exp(-fade).clamp(max=1e4), 1) * fade.exp() * torch.sigmoid(gate))


def fading(batch):
    """A linear recurrence as running sums, of 1,024 channels and 1,024 words."""
    return first.next_word(first.Words(lambda: Fading(1024), 1024, 4, 8000).cuda(), first.integers(8000, batch, 1024))


def narrow_fp8(batch):
    """Products in fp8 of another width and length."""
    model = first.Words(lambda: first.Block(1536, 12, first.causal, first.Linear8), 1536, 6).cuda().bfloat16()
    return first.next_word(model, first.integers(32000, batch, 640))


def one_layer(batch):
    """ALBERT: one layer that is read twelve times."""
    import transformers

    config = transformers.AlbertConfig(hidden_size=768, num_attention_heads=12, intermediate_size=3072, num_hidden_layers=12)
    model = transformers.AlbertForSequenceClassification(config).cuda().train()
    x, y = first.integers(30000, batch, 256), first.integers(2, batch)
    return model, lambda: model(input_ids=x, labels=y).loss


def checkpoints(batch):
    """GPT-2 whose layers are all computed again."""
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=8)).cuda().train()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.config.use_cache = False
    x = first.integers(50000, batch, 512)
    return model, lambda: model(input_ids=x, labels=x).loss


class Mixed(nn.Module):
    """A convolution of weights that are mixed for each picture out of four (CondConv)."""

    def __init__(self, a, b, stride):
        super().__init__()
        self.of, self.mix, self.norm, self.stride = nn.Parameter(torch.randn(4, b, a, 3, 3) * 0.05), nn.Linear(a, 4), nn.BatchNorm2d(b), stride

    def forward(self, x):
        n, a = x.shape[:2]
        weight = torch.einsum("nk,kbacd->nbacd", torch.sigmoid(self.mix(x.mean((2, 3)))), self.of)
        y = F.conv2d(x.reshape(1, n * a, *x.shape[2:]), weight.flatten(0, 1).to(x.dtype), stride=self.stride, padding=1, groups=n)
        return F.relu(self.norm(y.unflatten(1, (n, -1))[0]))


def mixed_weights(batch):
    """Convolutions of weights that are mixed for each picture."""
    widths = (32, 64, 128, 256)
    layers = [Mixed(a, b, 2) for a, b in zip(widths, widths[1:])]
    return first.classifier(nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)), (batch, 3, 96, 96), 100)


def whitened(batch):
    """Features are whitened by Cholesky factors of 96 x 96 matrices, one for each of the batch."""
    layers = first.mlp(64, 256, 96).cuda()
    x, near = first.numbers(batch, 200, 64), torch.eye(96, device="cuda")

    def loss():
        z = layers(x).float()
        factor = torch.linalg.cholesky(z.transpose(1, 2) @ z / 200 + 0.1 * near)
        return torch.linalg.solve_triangular(factor, z.transpose(1, 2), upper=False).pow(4).mean()

    return layers, loss


def long_waves(batch):
    """Products of complex numbers for 512 frequencies of a long row."""
    weights = nn.ParameterList(torch.randn(48, 48, 512, dtype=torch.cfloat) / 2000 for _ in range(3))
    beside = nn.ModuleList(nn.Conv1d(48, 48, 1) for _ in range(3))
    model = nn.ModuleList([nn.Conv1d(2, 48, 1), nn.ParameterList(weights), beside, nn.Conv1d(48, 1, 1)]).cuda()
    x, y = first.numbers(batch, 2, 4096), first.numbers(batch, 1, 4096)

    def loss():
        h = model[0](x)
        for weight, linear in zip(model[1], model[2]):
            waves = torch.fft.rfft(h.float())
            low = torch.einsum("bif,iof->bof", waves[..., :512], weight)
            h = F.gelu(torch.fft.irfft(F.pad(low, (0, waves.shape[-1] - 512)), n=4096) + linear(h))
        return F.mse_loss(model[3](h), y)

    return model, loss


def neighbours(batch):
    """Sets of 512 points: distances, the nearest 16, what they have in common."""
    layers = nn.ModuleList([first.mlp(6, 64, 64), first.mlp(128, 128, 128), first.mlp(128, 40)]).cuda()
    x, y = first.numbers(batch, 512, 3), first.integers(40, batch)

    def loss():
        h = x
        for layer in layers[:2]:
            near = torch.cdist(h.float(), h.float()).topk(16, largest=False).indices
            each = torch.gather(h.unsqueeze(1).expand(-1, 512, -1, -1), 2, near.unsqueeze(-1).expand(-1, -1, -1, h.shape[-1]))
            h = layer(torch.cat([each - h.unsqueeze(2), h.unsqueeze(2).expand_as(each)], -1)).amax(2)
        return F.cross_entropy(layers[2](h.amax(1)), y)

    return layers, loss


# name: (step by batch size, small batch, large batch, number formats)
STEPS = {
    "fading": (fading, 2, 8, BOTH),
    "narrow_fp8": (narrow_fp8, 4, 16, ("fp8",)),
    "one_layer": (one_layer, 8, 32, BOTH),
    "checkpoints": (checkpoints, 4, 16, BOTH),
    "mixed_weights": (mixed_weights, 16, 64, BOTH),
    "whitened": (whitened, 16, 64, ("fp32",)),
    "long_waves": (long_waves, 16, 64, BOTH),
    "neighbours": (neighbours, 16, 64, BOTH),
}

if __name__ == "__main__":
    sys.exit(first.main(STEPS, "tools/unusual_again.py"))
