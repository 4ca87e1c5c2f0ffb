"""Training steps of models that nothing here was chosen on: recorded for docs/new-models.md (docs/decisions/0426).

usage: new_models.py MODEL [--batch N] [--precision fp32|tf32|amp-bf16] [--iterations N]    one model, to be recorded
       new_models.py --record FOLDER [--no-gpu] [--tag GPU] [--budget SECONDS]              all of them, into FOLDER

Needs torchvision, Transformers and PyTorch Geometric besides PyTorch. Weights and data are random.
"""

import functools
import sys

import recorded_steps
import torch
from torch import nn
from torch.nn import functional as F


def integers(end, *shape):
    return torch.randint(0, end, shape, device="cuda")


def numbers(*shape):
    return torch.randn(*shape, device="cuda")


def classifier(model, images, classes):
    """A step of a model that sorts images (or films) into classes."""
    model = model.cuda()
    x, y = numbers(*images), integers(classes, images[0])
    return model, lambda: F.cross_entropy(model(x), y)


def vision(name):
    def made(batch):
        import torchvision

        return classifier(getattr(torchvision.models, name)(), (batch, 3, 224, 224), 1000)

    return made


def film(batch):
    import torchvision

    return classifier(torchvision.models.video.r3d_18(num_classes=400), (batch, 3, 16, 112, 112), 400)


def segmentation(batch):
    import torchvision

    model = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, num_classes=21).cuda()
    x, y = numbers(batch, 3, 256, 256), integers(21, batch, 256, 256)
    return model, lambda: F.cross_entropy(model(x)["out"], y)


class Mixer(nn.Module):
    def __init__(self, width=512, patches=196, depth=8):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(width), self.layers(patches, 256), nn.LayerNorm(width), self.layers(width, 2048)])
            for _ in range(depth)
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    @staticmethod
    def layers(width, inner):
        return nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        for norm1, mix_patches, norm2, mix_channels in self.blocks:
            x = x + mix_patches(norm1(x).transpose(1, 2)).transpose(1, 2)
            x = x + mix_channels(norm2(x))
        return self.head(self.norm(x).mean(1))


class Translator(nn.Module):
    def __init__(self, words=20000, width=512):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.encoder = nn.GRU(width, width, 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(width, 2 * width, 2, batch_first=True)
        self.head = nn.Linear(2 * width, words)

    def forward(self, source, target):
        _, state = self.encoder(self.embedding(source))
        state = state.view(2, 2, source.shape[0], -1).transpose(1, 2).flatten(2)
        return self.head(self.decoder(self.embedding(target), state.contiguous())[0])


def translation(batch):
    model = Translator().cuda()
    source, target = integers(20000, batch, 50), integers(20000, batch, 51)
    return model, lambda: F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten())


class RadianceField(nn.Module):
    """64 points on each ray, in 10 frequencies; what each lets through dims those behind it."""

    def __init__(self, width=256):
        super().__init__()
        first = [part for i in range(4) for part in (nn.Linear(width if i else 63, width), nn.ReLU())]
        second = [part for i in range(3) for part in (nn.Linear(width if i else width + 63, width), nn.ReLU())]
        self.first, self.second, self.head = nn.Sequential(*first), nn.Sequential(*second), nn.Linear(width, 4)

    def forward(self, points):
        octaves = 2.0 ** torch.arange(10, device=points.device)
        x = torch.cat([points] + [wave(points[..., None] * octaves).flatten(-2) for wave in (torch.sin, torch.cos)], -1)
        x = self.head(self.second(torch.cat([self.first(x), x], -1)))
        alpha = 1 - torch.exp(-F.relu(x[..., 3]) * 0.03)
        through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], 1), 1)[:, :-1]
        return ((alpha * through)[..., None] * torch.sigmoid(x[..., :3])).sum(1)


def radiance(batch):
    model = RadianceField().cuda()
    points, colours = torch.rand(batch, 64, 3, device="cuda"), torch.rand(batch, 3, device="cuda")
    return model, lambda: F.mse_loss(model(points), colours)


class Autoencoder(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        widths = (3, width, 2 * width, 4 * width, 8 * width)
        down = [self.half(nn.Conv2d, a, b) for a, b in zip(widths, widths[1:])]
        up = [self.half(nn.ConvTranspose2d, b, a) for a, b in zip(widths[-2:0:-1], widths[:1:-1])]
        self.encoder = nn.Sequential(*down, nn.Flatten(), nn.Linear(widths[-1] * 64, 512))
        self.decoder = nn.Sequential(nn.Linear(256, widths[-1] * 64), nn.Unflatten(1, (widths[-1], 8, 8)), *up)
        self.last = nn.ConvTranspose2d(width, 3, 4, 2, 1)

    @staticmethod
    def half(kind, a, b):
        return nn.Sequential(kind(a, b, 4, 2, 1), nn.BatchNorm2d(b), nn.LeakyReLU(0.2))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.last(self.decoder(z)), mean, log_variance


def autoencoder(batch):
    model, x = Autoencoder().cuda(), torch.rand(batch, 3, 128, 128, device="cuda")

    def loss():
        y, mean, log_variance = model(x)
        nearness = 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(1).mean()
        return F.mse_loss(y, x, reduction="sum") / batch - nearness

    return model, loss


class Ranker(nn.Module):
    """A factorisation machine beside a deep network over 40 tables of one buffer."""

    def __init__(self, fields=40, rows=50000, width=32):
        super().__init__()
        self.table, self.weights = nn.Embedding(fields * rows, width), nn.Embedding(fields * rows, 1)
        self.register_buffer("first", torch.arange(fields) * rows)
        layers = [nn.Linear(fields * width, 1024), nn.BatchNorm1d(1024), nn.ReLU(), nn.Dropout(0.2)]
        self.deep = nn.Sequential(*layers, nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 1))

    def forward(self, x):
        x = x + self.first
        rows = self.table(x)
        pairs = 0.5 * (rows.sum(1) ** 2 - (rows**2).sum(1)).sum(1)
        return self.weights(x).sum((1, 2)) + pairs + self.deep(rows.flatten(1)).squeeze(1)


def ranking(batch):
    model, x, y = Ranker().cuda(), integers(50000, batch, 40), torch.rand(batch, device="cuda")
    return model, lambda: F.binary_cross_entropy_with_logits(model(x), y)


class Sequence(nn.Module):
    """Dilated convolutions along time."""

    def __init__(self, width=256, depth=8):
        super().__init__()
        self.first = nn.Conv1d(40, width, 1)
        self.blocks = nn.ModuleList(self.block(width, 2**i) for i in range(depth))
        self.last = nn.Conv1d(width, 48, 1)

    @staticmethod
    def block(width, far):
        layers = [nn.Conv1d(width, width, 3, padding=far, dilation=far), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.1)]
        return nn.Sequential(*layers, nn.Conv1d(width, width, 1))

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


def sequence(batch):
    model, x, y = Sequence().cuda(), numbers(batch, 40, 1500), integers(48, batch, 1500)
    return model, lambda: F.cross_entropy(model(x), y)


def graphs(batch):
    """30 nodes and 120 edges each."""
    from torch_geometric.nn import GINConv, global_add_pool

    def layers(a, b):
        return nn.Sequential(nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU(), nn.Linear(b, b), nn.ReLU())

    class Graphs(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(GINConv(layers(128 if i else 64, 128)) for i in range(4))
            self.head = nn.Linear(128, 10)

        def forward(self, x, edges, graph):
            for layer in self.layers:
                x = layer(x, edges)
            return self.head(global_add_pool(x, graph, batch))

    model, x, y = Graphs().cuda(), numbers(30 * batch, 64), integers(10, batch)
    each = torch.arange(batch, device="cuda")
    edges = integers(30, 2, 120 * batch) + 30 * each.repeat_interleave(120)
    graph = each.repeat_interleave(30)
    return model, lambda: F.cross_entropy(model(x, edges, graph), y)


def pictures_and_words(batch):
    import transformers

    model = transformers.CLIPModel(transformers.CLIPConfig()).cuda().train()
    words, x = integers(49000, batch, 77), numbers(batch, 3, 224, 224)
    return model, lambda: model(input_ids=words, pixel_values=x, return_loss=True).loss


def words(kind, task, length, **sizes):
    """A step of a model of Transformers: the next word, or one of two classes."""

    def made(batch):
        import transformers

        config = getattr(transformers, kind + "Config")(**sizes)
        model = getattr(transformers, kind + task)(config).cuda().train()
        x = integers(config.vocab_size, batch, length)
        y = x if task == "ForCausalLM" else integers(2, batch)
        return model, lambda: model(input_ids=x, labels=y).loss

    return made


ENCODER = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
GROUPED = {"hidden_size": 1024, "num_hidden_layers": 10, "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 3584}

# name: (step by batch size, small batch, large batch)
MODELS = {
    "resnext50": (vision("resnext50_32x4d"), 16, 64),
    "mobilenet_v3": (vision("mobilenet_v3_large"), 32, 128),
    "r3d": (film, 4, 16),
    "deeplab": (segmentation, 4, 16),
    "mixer": (lambda batch: classifier(Mixer(), (batch, 3, 224, 224), 1000), 16, 64),
    "gru_seq2seq": (translation, 16, 64),
    "nerf": (radiance, 1024, 4096),
    "vae": (autoencoder, 16, 64),
    "wide_deep": (ranking, 1024, 4096),
    "tcn": (sequence, 4, 16),
    "gin": (graphs, 128, 512),
    "clip": (pictures_and_words, 8, 32),
    "bloom": (words("Bloom", "ForCausalLM", 512, vocab_size=50304, hidden_size=768, n_layer=12, n_head=12), 2, 8),
    "mistral": (words("Mistral", "ForCausalLM", 1024, vocab_size=32000, **GROUPED), 1, 4),
    "electra": (words("Electra", "ForSequenceClassification", 256, embedding_size=768, **ENCODER), 8, 32),
    "xlnet": (words("XLNet", "ForSequenceClassification", 256, d_model=768, n_layer=8, n_head=12, d_inner=3072), 4, 16),
}


def recorded(asked):
    """(model, batch, precision): without a GPU the small batch in fp32 alone, for its kernels are known from shapes."""
    for precision, size in (("fp32", 1), ("amp-bf16", 1), ("fp32", 2), ("tf32", 1), ("amp-bf16", 2)):
        for name, model in MODELS.items():
            if not asked.no_gpu or (precision, size) in (("fp32", 1), ("amp-bf16", 1)):
                yield name, model[size], precision


def trained(name, batch, precision, iterations):
    optimizer = functools.partial(torch.optim.AdamW, lr=1e-4)
    recorded_steps.train(MODELS[name][0], batch, precision, iterations, optimizer, with_tf32=("tf32", "amp-bf16"))


def main():
    formats = ("fp32", "tf32", "amp-bf16")
    return recorded_steps.main(__doc__, "tools/new_models.py", MODELS, formats, "h200", trained, recorded)


if __name__ == "__main__":
    sys.exit(main())
