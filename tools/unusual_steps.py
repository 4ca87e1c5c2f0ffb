"""Training steps of operations that no other recording here holds: for docs/unusual-steps.md (docs/decisions/0466).

usage: unusual_steps.py STEP [--batch N] [--precision fp32|tf32|amp-bf16] [--iterations N]    one step, to be recorded
       unusual_steps.py --record FOLDER [--no-gpu] [--tag GPU] [--small] [--budget SECONDS]   all of them, into FOLDER

Fourier transforms, factorisations of matrices, products in fp8, sparse matrices, sorted neighbours, volumes, sampled
pictures, equations that are solved within a step. Needs torchvision, torchaudio, Transformers, timm, torchdiffeq and e3nn besides PyTorch.
Weights and data are random.
"""

import functools
import math
import sys

import recorded_steps
import torch
from new_models import classifier, integers, numbers
from torch import nn
from torch.nn import functional as F


def mlp(*widths):
    layers = [part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), nn.GELU())]
    return nn.Sequential(*layers[:-1])


# --- language, in ways of its own


def scaled_to_8_bit(x, kind):
    scale = torch.finfo(kind).max / x.abs().amax().float().clamp(min=1e-12)
    return (x * scale).to(kind), scale.reciprocal()


def product_in_8_bit(a, b):
    """a @ b.T, of (values, scale) each, rows of both one after another in memory."""
    return torch._scaled_mm(a[0], b[0].t(), scale_a=a[1], scale_b=b[1], out_dtype=torch.bfloat16, use_fast_accum=True)


class Product8(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        x8, weight8 = scaled_to_8_bit(x, torch.float8_e4m3fn), scaled_to_8_bit(weight, torch.float8_e4m3fn)
        ctx.save_for_backward(*x8, *weight8)
        return product_in_8_bit(x8, weight8)

    @staticmethod
    def backward(ctx, gradient):
        x, x_scale, weight, weight_scale = ctx.saved_tensors
        g, g_scale = scaled_to_8_bit(gradient.contiguous(), torch.float8_e5m2)
        for_x = product_in_8_bit((g, g_scale), (weight.t().contiguous(), weight_scale))
        return for_x, product_in_8_bit((g.t().contiguous(), g_scale), (x.t().contiguous(), x_scale))


class Linear8(nn.Linear):
    def forward(self, x):
        return Product8.apply(x.flatten(0, -2), self.weight).unflatten(0, x.shape[:-1])


class Block(nn.Module):
    """A layer of a language model; `attend` takes heads of queries, keys and values."""

    def __init__(self, width, heads, attend, linear=nn.Linear):
        super().__init__()
        self.heads, self.attend = heads, attend
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.to_heads, self.out = linear(width, 3 * width, bias=False), linear(width, width, bias=False)
        self.up, self.down = linear(width, 8 * width, bias=False), linear(4 * width, width, bias=False)

    def forward(self, x):
        heads = self.to_heads(self.norm1(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = (part.transpose(-3, -2) for part in heads.unbind(-3))
        x = x + self.out(self.attend(q, k, v).transpose(-3, -2).flatten(-2))
        gate, up = self.up(self.norm2(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Words(nn.Module):
    def __init__(self, block, width, depth, vocabulary=32000):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(block() for _ in range(depth))
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, x):
        x = self.embedding(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def next_word(model, x):
    return model, lambda: F.cross_entropy(model(x)[:, :-1].flatten(0, 1), x[:, 1:].flatten())


def words_in_fp8(batch):
    """A Llama whose linear layers multiply in fp8, forward and back, each tensor by a scale of its own."""
    model = Words(lambda: Block(2048, 16, causal, Linear8), 2048, 8).cuda().bfloat16()
    return next_word(model, integers(32000, batch, 2048))


def compiled_attention(batch):
    """A window of 256 words and each document by itself."""
    from torch.nn.attention import flex_attention as flex

    document = torch.arange(2048, device="cuda") // 512

    def seen(b, h, q, k):
        return (q >= k) & (q - k < 256) & (document[q] == document[k])

    mask = flex.create_block_mask(seen, None, None, 2048, 2048, device="cuda")
    attend = torch.compile(flex.flex_attention)
    model = Words(lambda: Block(1024, 16, lambda q, k, v: attend(q, k, v, block_mask=mask)), 1024, 8).cuda().bfloat16()
    return next_word(model, integers(32000, batch, 2048))


class Scan(nn.Module):
    """A state-space layer: a convolution along time, then states that fade, by sums of logarithms."""

    def __init__(self, width, states=16):
        super().__init__()
        self.norm, self.inner, self.states = nn.LayerNorm(width), 2 * width, states
        self.into, self.out = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)
        self.conv = nn.Conv1d(2 * width, 2 * width, 4, padding=3, groups=2 * width)
        self.of_x, self.step = nn.Linear(2 * width, 2 * states + 48, bias=False), nn.Linear(48, 2 * width)
        self.fade = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(2 * width, 1))

    def forward(self, x):
        h, gate = self.into(self.norm(x)).chunk(2, -1)
        h = F.silu(self.conv(h.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        step, b, c = self.of_x(h).split([48, self.states, self.states], -1)
        step = F.softplus(self.step(step))
        fade = torch.cumsum(-self.fade.exp() * step[..., None], 1)
        state = torch.cumsum((step * h)[..., None] * b[:, :, None] * torch.exp(-fade).clamp(max=1e6), 1) * fade.exp()
        return x + self.out((state * c[:, :, None]).sum(-1) * F.silu(gate))


def state_space(batch):
    """Layers whose states fade along time: sums of logarithms (Mamba's)."""
    return next_word(Words(lambda: Scan(512), 512, 6).cuda(), integers(32000, batch, 512))


def large_vocabulary(batch):
    """The loss in parts of 512 words, each computed again in the backward pass, so that no matrix of all words times 128,000 is held."""
    from torch.utils.checkpoint import checkpoint

    model = Words(lambda: Block(1024, 16, causal), 1024, 4, 128256).cuda()
    x = integers(128256, batch, 1024)

    def part(h, y):
        return F.cross_entropy(model.head(h).float(), y, reduction="sum")

    def loss():
        h = model.embedding(x)
        for block in model.blocks:
            h = block(h)
        h, y = model.norm(h)[:, :-1].flatten(0, 1), x[:, 1:].flatten()
        return sum(checkpoint(part, a, b, use_reentrant=False) for a, b in zip(h.split(512), y.split(512))) / len(y)

    return model, loss


# --- sound


def speech(batch):
    """Wav2Vec2: convolutions over sound, an encoder, a loss over alignments (CTC)."""
    import transformers

    config = transformers.Wav2Vec2Config(vocab_size=32, mask_time_prob=0.0, layerdrop=0.0, ctc_loss_reduction="mean")
    model = transformers.Wav2Vec2ForCTC(config).cuda().train()
    x, y = numbers(batch, 80000), integers(31, batch, 40) + 1
    return model, lambda: model(input_values=x, labels=y).loss


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        import torchaudio

        self.spectrum = torchaudio.transforms.MelSpectrogram(16000, n_fft=512, hop_length=160, n_mels=80)
        self.conv = nn.Sequential(nn.Conv2d(1, 32, (11, 41), 2, (5, 20)), nn.BatchNorm2d(32), nn.Hardtanh(0, 20))
        self.lstm = nn.LSTM(32 * 40, 640, 3, batch_first=True, bidirectional=True)
        self.head = nn.Linear(1280, 32)

    def forward(self, sound):
        x = self.conv(torch.log(self.spectrum(sound) + 1e-6)[:, None])
        return self.head(self.lstm(x.flatten(1, 2).transpose(1, 2))[0]).log_softmax(-1).transpose(0, 1)


def spectrum(batch):
    """Mel spectra, a recurrent network both ways, a loss over alignments."""
    model, x, y = Listener().cuda(), numbers(batch, 80000), integers(31, batch, 40) + 1
    short = torch.full((batch,), 40)

    def loss():
        said = model(x)
        return F.ctc_loss(said.float(), y, torch.full((batch,), said.shape[0]), short)

    return model, loss


# --- pictures, volumes, films


class Volumes(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.down = nn.ModuleList(self.two(a, b) for a, b in zip((1, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose3d(b, a, 2, 2) for a, b in zip(widths[-2::-1], widths[:0:-1]))
        self.joined = nn.ModuleList(self.two(2 * a, a) for a in widths[-2::-1])
        self.last = nn.Conv3d(widths[0], 3, 1)

    @staticmethod
    def two(a, b):
        layers = [part for c in (a, b) for part in (nn.Conv3d(c, b, 3, padding=1), nn.InstanceNorm3d(b, affine=True), nn.LeakyReLU())]
        return nn.Sequential(*layers)

    def forward(self, x):
        kept = []
        for i, layer in enumerate(self.down):
            x = layer(F.max_pool3d(x, 2) if i else x)
            kept.append(x)
        for up, layer, beside in zip(self.up, self.joined, kept[-2::-1]):
            x = layer(torch.cat([up(x), beside], 1))
        return self.last(x)


def volumes(batch):
    """A U-net in three dimensions, with instance norm and the overlap in its loss."""
    model, x, y = Volumes().cuda(), numbers(batch, 1, 64, 64, 64), integers(3, batch, 64, 64, 64)

    def loss():
        said = model(x)
        share, truth = said.softmax(1), F.one_hot(y, 3).permute(0, 4, 1, 2, 3)
        overlap = 2 * (share * truth).sum((2, 3, 4)) / (share + truth).sum((2, 3, 4))
        return F.cross_entropy(said, y) + 1 - overlap.mean()

    return model, loss


class Styled(nn.Module):
    """A convolution whose weights hang on the picture: all pictures of a batch in one, a group each."""

    def __init__(self, a, b, grow):
        super().__init__()
        self.weight, self.style = nn.Parameter(torch.randn(b, a, 3, 3)), nn.Linear(256, a)
        self.grow, self.noise, self.bias = grow, nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(b))
        self.register_buffer("blur", torch.tensor([1.0, 3, 3, 1]).outer(torch.tensor([1.0, 3, 3, 1])) / 64)

    def forward(self, x, w):
        n, channels = x.shape[0], self.weight.shape[0]
        weight = self.weight * (self.style(w) + 1)[:, None, :, None, None]
        weight = weight * (weight.square().sum((2, 3, 4), keepdim=True) + 1e-8).rsqrt()
        if self.grow:
            x = F.interpolate(x, scale_factor=2)
        x = F.conv2d(x.reshape(1, -1, *x.shape[2:]), weight.flatten(0, 1).to(x.dtype), padding=1, groups=n).unflatten(1, (n, channels))[0]
        x = F.conv2d(x, self.blur.to(x.dtype).expand(channels, 1, 4, 4), padding=2, groups=channels)[..., :-1, :-1]
        x = x + self.noise * torch.randn(n, 1, *x.shape[2:], device=x.device) + self.bias[:, None, None]
        return F.leaky_relu(x, 0.2) * math.sqrt(2)


def styles(batch):
    """A generator, and a critic whose gradient for the pictures is part of its loss."""
    widths = (256, 256, 256, 128, 64)
    generator = nn.ModuleDict(
        {
            "to_w": mlp(256, 256, 256, 256),
            "first": nn.Embedding(1, 256 * 16),
            "layers": nn.ModuleList(Styled(a, b, i > 0) for i, (a, b) in enumerate(zip((256, *widths), widths))),
            "last": nn.Conv2d(64, 3, 1),
        }
    ).cuda()
    layers = [part for a, b in zip((3, 64, 128, 256, 256), (64, 128, 256, 256, 256)) for part in (nn.Conv2d(a, b, 3, 2, 1), nn.LeakyReLU(0.2))]
    critic = nn.Sequential(*layers, nn.Flatten(), nn.Linear(256 * 4, 1)).cuda()
    real = numbers(batch, 3, 64, 64)

    def made():
        w = generator["to_w"](numbers(batch, 256))
        x = generator["first"].weight.view(1, 256, 4, 4).expand(batch, -1, -1, -1)
        for layer in generator["layers"]:
            x = layer(x, w)
        return generator["last"](x)

    def loss():
        x = real.detach().requires_grad_()
        said = critic(x)
        (slope,) = torch.autograd.grad(said.sum(), x, create_graph=True)
        false = made()
        critic_loss = F.softplus(critic(false.detach())).mean() + F.softplus(-said).mean() + 5 * slope.square().sum((1, 2, 3)).mean()
        return critic_loss + F.softplus(-critic(false)).mean()

    return nn.ModuleList([generator, critic]), loss


def wide_kernels(batch):
    """ConvNeXt: convolutions of 7 x 7, a channel each."""
    import torchvision

    return classifier(torchvision.models.convnext_tiny(), (batch, 3, 224, 224), 1000)


def films(batch):
    """Swin for films: attention in windows of time and space."""
    import torchvision

    return classifier(torchvision.models.video.swin3d_t(), (batch, 3, 16, 224, 224), 400)


def mobile_attention(batch):
    """MobileViT: inverted bottlenecks and attention."""
    import timm

    return classifier(timm.create_model("mobilevit_s"), (batch, 3, 256, 256), 1000)


def taught(batch):
    """A student learns from a teacher that is not trained."""
    import timm
    import torchvision

    student, teacher = timm.create_model("tf_efficientnetv2_b0").cuda(), torchvision.models.resnet50().cuda().eval()
    x = numbers(batch, 3, 192, 192)

    def loss():
        with torch.no_grad():
            goal = teacher(x).float().softmax(-1)
        return F.kl_div(student(x).float().log_softmax(-1), goal, reduction="batchmean")

    return student, loss


class Codebook(nn.Module):
    def __init__(self, codes=1024, width=128):
        super().__init__()
        self.codes = nn.Embedding(codes, width)
        self.encoder = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 4, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1))
        self.decoder = nn.Sequential(nn.ConvTranspose2d(width, width, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(width, 3, 4, 2, 1))

    def forward(self, x):
        z = self.encoder(x).permute(0, 2, 3, 1)
        nearest = torch.cdist(z.flatten(0, 2).float(), self.codes.weight).argmin(-1)
        code = self.codes(nearest).view_as(z)
        used = torch.bincount(nearest, minlength=1024)
        y = self.decoder((z + (code - z).detach()).permute(0, 3, 1, 2))
        return F.mse_loss(y, x) + F.mse_loss(code, z.detach()) + 0.25 * F.mse_loss(z, code.detach()) + 0 * used.float().std()


def codebook(batch):
    """An autoencoder whose code is the nearest of 1,024 vectors."""
    model, x = Codebook().cuda(), torch.rand(batch, 3, 128, 128, device="cuda")
    return model, lambda: model(x)


def flow_fields(batch):
    """Optical flow: what a point looks like is sampled at where it may have moved to, twelve times."""
    import torchvision

    model = torchvision.models.optical_flow.raft_small().cuda()
    first, second, truth = (torch.rand(batch, c, 184, 248, device="cuda") for c in (3, 3, 2))
    return model, lambda: sum(0.8 ** (11 - i) * (flow - truth).abs().mean() for i, flow in enumerate(model(first, second)))


class Deformable(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight, self.norm = nn.Parameter(torch.randn(b, a, 3, 3) * 0.02), nn.BatchNorm2d(b)
        self.places = nn.Conv2d(a, 27, 3, padding=1)

    def forward(self, x):
        import torchvision

        places = self.places(x)
        x = torchvision.ops.deform_conv2d(x, places[:, :18], self.weight, padding=1, mask=places[:, 18:].sigmoid())
        return F.relu(self.norm(x))


def deformed(batch):
    """Convolutions whose places are learned (torchvision's deform_conv2d)."""
    widths = (64, 128, 256)
    layers = [part for a, b in zip((64, *widths), widths) for part in (Deformable(a, b), Deformable(b, b), nn.MaxPool2d(2))]
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 4, 3), *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000))
    return classifier(model, (batch, 3, 224, 224), 1000)


def crops(batch):
    """Two large views and six small ones of each picture; the teacher is the student's average."""
    import copy

    import timm

    student = timm.create_model("vit_small_patch16_224", num_classes=4096, dynamic_img_size=True).cuda()
    teacher = copy.deepcopy(student).requires_grad_(False)
    large, small = numbers(2 * batch, 3, 224, 224), numbers(6 * batch, 3, 96, 96)

    def loss():
        with torch.no_grad():
            torch._foreach_lerp_(list(teacher.parameters()), list(student.parameters()), 0.004)
            goal = (teacher(large).float() / 0.04).softmax(-1).chunk(2)
        said = [part.float().log_softmax(-1) for part in (*student(large).chunk(2), *student(small).chunk(6))]
        return -sum((g * s).sum(-1).mean() for i, g in enumerate(goal) for j, s in enumerate(said) if i != j) / 14

    return student, loss


# --- physics, chemistry, graphs, points


class Spectral(nn.Module):
    """Products of the lowest frequencies."""

    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.weights = nn.ParameterList(torch.randn(width, width, modes, modes, dtype=torch.cfloat) / width**2 for _ in range(2))
        self.beside = nn.Conv2d(width, width, 1)

    def forward(self, x):
        m, waves = self.modes, torch.fft.rfft2(x.float())
        out = torch.zeros_like(waves)
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", waves[:, :, :m, :m], self.weights[0])
        out[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", waves[:, :, -m:, :m], self.weights[1])
        return F.gelu(torch.fft.irfft2(out, s=x.shape[-2:]) + self.beside(x))


def waves(batch):
    """A Fourier neural operator: products of the lowest frequencies, in complex numbers."""
    layers = [Spectral(64, 24) for _ in range(4)]
    model = nn.Sequential(nn.Conv2d(3, 64, 1), *layers, nn.Conv2d(64, 128, 1), nn.GELU(), nn.Conv2d(128, 1, 1)).cuda()
    x, y = numbers(batch, 3, 128, 128), numbers(batch, 1, 128, 128)
    return model, lambda: ((model(x) - y).flatten(1).norm(dim=1) / y.flatten(1).norm(dim=1)).mean()


class Coupling(nn.Module):
    def __init__(self, channels, hidden=256):
        super().__init__()
        self.turn = nn.Parameter(torch.linalg.qr(torch.randn(channels, channels))[0])
        layers = [nn.Conv2d(channels // 2, hidden, 3, padding=1), nn.ReLU(), nn.Conv2d(hidden, hidden, 1), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv2d(hidden, channels, 3, padding=1))

    def forward(self, x):
        volume = torch.linalg.slogdet(self.turn.float())[1] * x[0, 0].numel()
        a, b = F.conv2d(x, self.turn[:, :, None, None]).chunk(2, 1)
        shift, scale = self.layers(a).chunk(2, 1)
        scale = torch.sigmoid(scale + 2)
        return torch.cat([a, (b + shift) * scale], 1), volume + scale.float().log().flatten(1).sum(1)


def invertible(batch):
    """A flow whose inverse is known: determinants of its matrices."""
    layers = nn.ModuleList(Coupling(12 * 4**i) for i in range(2) for _ in range(8)).cuda()
    x = torch.rand(batch, 3, 32, 32, device="cuda")

    def loss():
        y, volume = F.pixel_unshuffle(x, 2), 0
        for i, layer in enumerate(layers):
            y, more = layer(F.pixel_unshuffle(y, 2) if i == 8 else y)
            volume = volume + more
        return (0.5 * y.float().square().flatten(1).sum(1) - volume).mean()

    return layers, loss


def process(batch):
    """Gaussian processes, a task each: factors of 256 x 256 matrices."""
    features = mlp(8, 128, 128, 16).cuda()
    noise = nn.Parameter(torch.zeros((), device="cuda"))
    features.register_parameter("noise", noise)
    x, y = numbers(batch, 256, 8), numbers(batch, 256, 1)

    def loss():
        z = features(x).float()
        near = torch.exp(-0.5 * torch.cdist(z, z).square()) + (F.softplus(noise) + 1e-2) * torch.eye(256, device="cuda")
        factor = torch.linalg.cholesky(near)
        fit = torch.linalg.solve_triangular(factor, y, upper=False).square().sum((1, 2))
        return (0.5 * fit + factor.diagonal(dim1=1, dim2=2).log().sum(1)).mean()

    return features, loss


class Solved(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1), nn.GroupNorm(8, 64), nn.ReLU())
        self.slope = nn.Sequential(nn.GroupNorm(8, 64), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.GroupNorm(8, 64), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1))
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        from torchdiffeq import odeint

        times = torch.linspace(0, 1, 9, device=x.device)
        return self.head(odeint(lambda t, y: self.slope(y), self.first(x).float(), times, method="rk4")[-1].mean((2, 3)))


def solved(batch):
    """An equation is solved within the step, by 32 evaluations of a network."""
    return classifier(Solved(), (batch, 3, 64, 64), 10)


class EdgeLayer(nn.Module):
    def __init__(self, a, b, near=20):
        super().__init__()
        self.near, self.layers = near, nn.Sequential(nn.Conv2d(2 * a, b, 1, bias=False), nn.BatchNorm2d(b), nn.LeakyReLU(0.2))

    def forward(self, x):
        far = torch.cdist(x.transpose(1, 2).float(), x.transpose(1, 2).float())
        index = far.topk(self.near, largest=False).indices
        each = torch.gather(x.unsqueeze(3).expand(-1, -1, -1, self.near), 2, index.unsqueeze(1).expand(-1, x.shape[1], -1, -1))
        here = x.unsqueeze(3).expand_as(each)
        return self.layers(torch.cat([each - here, here], 1)).amax(3)


class Points(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(EdgeLayer(a, b) for a, b in zip((3, 64, 64, 128), (64, 64, 128, 256)))
        self.joined, self.head = nn.Conv1d(512, 1024, 1), mlp(2048, 512, 256, 40)

    def forward(self, x):
        kept = []
        for layer in self.layers:
            kept.append(layer(kept[-1] if kept else x))
        x = self.joined(torch.cat(kept, 1))
        return self.head(torch.cat([x.amax(2), x.mean(2)], 1))


def points(batch):
    """Points in space, each with its 20 nearest in the layer's own distances (DGCNN)."""
    return classifier(Points(), (batch, 3, 1024), 40)


class Pairs(nn.Module):
    """Of every two of a protein's parts: products along triangles, attention along rows with a bias for each pair."""

    def __init__(self, width=128, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(4))
        self.sides, self.gates, self.out = nn.Linear(width, 2 * width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.to_heads, self.bias, self.join = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, heads, bias=False), nn.Linear(width, width)
        self.between = mlp(width, 4 * width, width)

    def forward(self, x):
        h = self.norms[0](x)
        gate_a, gate_b, gate = self.gates(h).sigmoid().chunk(3, -1)
        a, b = self.sides(h).chunk(2, -1)
        x = x + gate * self.out(self.norms[1](torch.einsum("bikc,bjkc->bijc", a * gate_a, b * gate_b)))
        h = self.norms[2](x)
        q, k, v = self.to_heads(h).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        score = torch.einsum("bijhc,bikhc->bihjk", q, k) / math.sqrt(q.shape[-1]) + self.bias(h).permute(0, 3, 1, 2)[:, None]
        x = x + self.join(torch.einsum("bihjk,bikhc->bijhc", score.softmax(-1), v).flatten(-2))
        return x + self.between(self.norms[3](x))


def pairs(batch):
    """Triangles over all pairs of a protein's parts, attention along rows with a bias (Evoformer)."""
    model = nn.Sequential(*(Pairs() for _ in range(4)), nn.Linear(128, 64)).cuda()
    x, y = numbers(batch, 128, 128, 128), integers(64, batch, 128, 128)
    return model, lambda: F.cross_entropy(model(x).flatten(0, 2), y.flatten())


def equivariant(batch):
    """A network whose answer turns with its molecule: products of harmonics, sums over edges."""
    from e3nn import o3

    hidden, sphere = o3.Irreps("32x0e+32x1o+16x2e"), o3.Irreps.spherical_harmonics(2)

    class Layer(nn.Module):
        def __init__(self, inside):
            super().__init__()
            self.product = o3.FullyConnectedTensorProduct(inside, sphere, hidden, shared_weights=False)
            self.weights, self.alone = mlp(8, 32, self.product.weight_numel), o3.Linear(inside, hidden)

        def forward(self, x, source, target, harmonics, lengths):
            each = self.product(x[source], harmonics, self.weights(lengths))
            return self.alone(x) + torch.zeros(len(x), each.shape[1], device=x.device).index_add(0, target, each.float())

    layers = nn.ModuleList(Layer(i) for i in (o3.Irreps("16x0e"), hidden)).cuda()
    head, atoms = nn.Linear(32, 1).cuda(), 16 * batch
    source, target = integers(atoms, 8 * atoms), integers(atoms, 8 * atoms)
    x, y, places = numbers(atoms, 16), numbers(atoms, 1), numbers(8 * atoms, 3)

    def loss():
        harmonics = o3.spherical_harmonics(sphere, places, normalize=True)
        lengths = torch.exp(-((places.norm(dim=1, keepdim=True) - torch.linspace(0, 3, 8, device="cuda")) ** 2))
        h = x
        for layer in layers:
            h = layer(h, source, target, harmonics, lengths)
        return F.mse_loss(head(h[:, :32]), y)

    return nn.ModuleList([*layers, head]), loss


def sparse_graph(batch):
    """A graph as a sparse matrix: `batch` is its nodes, with 16 edges each."""
    each = torch.arange(0, 16 * batch + 1, 16, device="cuda")
    graph = torch.sparse_csr_tensor(each, integers(batch, 16 * batch), torch.rand(16 * batch, device="cuda"), (batch, batch))
    layers = nn.ModuleList([nn.Linear(256, 256), nn.Linear(256, 256), nn.Linear(256, 47)]).cuda()
    x, y = numbers(batch, 256), integers(47, batch)

    def loss():
        h = x
        for i, layer in enumerate(layers):
            h = torch.sparse.mm(graph, layer(h))
            h = F.dropout(F.relu(h)) if i < 2 else h
        return F.cross_entropy(h, y)

    return layers, loss


# --- loops of Python, of the host


class Cell(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.into, self.back, self.norm = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width), nn.LayerNorm(width)

    def forward(self, x: torch.Tensor):
        x = self.into(x)
        h = torch.zeros(x.shape[0], x.shape[2] // 4, device=x.device, dtype=x.dtype)
        c, out = h, []
        for t in range(x.shape[1]):
            i, f, g, o = (x[:, t] + self.back(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(self.norm(c))
            out.append(h)
        return torch.stack(out, 1)


def scripted(batch):
    """A recurrent network by hand, of TorchScript."""
    model = nn.ModuleList([torch.jit.script(Cell()), nn.Linear(256, 100)]).cuda()
    x, y = numbers(batch, 64, 256), integers(100, batch, 64)
    return model, lambda: F.cross_entropy(model[1](model[0](x)).flatten(0, 1), y.flatten())


def games(batch):
    """Reinforcement: the policy is asked 16 times what to do, on the host the game goes on, then it learns."""
    import numpy

    policy = mlp(64, 256, 256, 9).cuda()
    draws = numpy.random.default_rng(0)
    state = draws.standard_normal((batch, 64)).astype("f")

    def loss():
        nonlocal state
        seen, done, gained = [], [], []
        for _ in range(16):
            x = torch.from_numpy(state).cuda()
            with torch.no_grad():
                action = torch.distributions.Categorical(logits=policy(x)[:, :8].float()).sample()
            moves = action.cpu().numpy()
            state = (0.9 * state + 0.1 * draws.standard_normal(state.shape)).astype("f")
            gained.append(torch.from_numpy((state[:, 0] * moves).astype("f")))
            seen.append(x)
            done.append(action)
        out = policy(torch.cat(seen)).float()
        chosen = out[:, :8].log_softmax(-1).gather(1, torch.cat(done)[:, None])[:, 0]
        gain = torch.cat(gained).cuda()
        return F.mse_loss(out[:, 8], gain) - (chosen * (gain - out[:, 8].detach())).mean()

    return policy, loss


class Preconditioned(torch.optim.Optimizer):
    """Gradients between roots of what their rows and columns have in common (Shampoo), by eigenvalues in each step."""

    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 1e-3})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() < 2:
                    p.add_(p.grad, alpha=-group["lr"])
                    continue
                sums = self.state[p].setdefault("sums", [torch.eye(n, device=p.device) for n in p.shape])
                g = p.grad.float()
                for total, square in zip(sums, (g @ g.T, g.T @ g)):
                    total.lerp_(square, 0.05)
                left, right = (self.root(total) for total in sums)
                p.add_((left @ g @ right).to(p.dtype), alpha=-group["lr"])

    @staticmethod
    def root(total):
        values, vectors = torch.linalg.eigh(total)
        return (vectors * values.clamp(min=1e-6).pow(-0.25)) @ vectors.T


def preconditioned(batch):
    """An optimiser that takes roots of matrices, by eigenvalues (Shampoo)."""
    return classifier(mlp(512, 512, 512, 256), (batch, 512), 256)


def matched(batch):
    """Things in pictures, each with the answer that fits it best, found on the host."""
    import transformers

    config = transformers.DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone_config=transformers.ResNetConfig(out_features=["stage4"]),
        backbone=None,
        num_labels=20,
    )
    model = transformers.DetrForObjectDetection(config).cuda().train()
    x = numbers(batch, 3, 320, 320)
    things = [{"class_labels": integers(20, 5), "boxes": 0.3 + 0.1 * torch.rand(5, 4, device="cuda")} for _ in range(batch)]
    return model, lambda: model(pixel_values=x, labels=things).loss


BOTH = ("fp32", "amp-bf16")
# name: (step by batch size, small batch, large batch, number formats)
STEPS = {
    "words_in_fp8": (words_in_fp8, 2, 8, ("fp8",)),
    "compiled_attention": (compiled_attention, 2, 8, ("bf16",)),
    "state_space": (state_space, 2, 8, BOTH),
    "large_vocabulary": (large_vocabulary, 2, 8, BOTH),
    "speech": (speech, 4, 16, BOTH),
    "spectrum": (spectrum, 8, 32, BOTH),
    "volumes": (volumes, 2, 8, BOTH),
    "styles": (styles, 8, 32, BOTH),
    "wide_kernels": (wide_kernels, 16, 64, BOTH),
    "films": (films, 2, 8, BOTH),
    "mobile_attention": (mobile_attention, 32, 128, BOTH),
    "taught": (taught, 32, 128, BOTH),
    "codebook": (codebook, 16, 64, BOTH),
    "flow_fields": (flow_fields, 2, 8, BOTH),
    "deformed": (deformed, 16, 64, ("fp32",)),
    "crops": (crops, 8, 32, BOTH),
    "waves": (waves, 8, 32, BOTH),
    "invertible": (invertible, 64, 256, ("fp32",)),
    "process": (process, 16, 64, ("fp32",)),
    "solved": (solved, 64, 256, BOTH),
    "points": (points, 8, 32, BOTH),
    "pairs": (pairs, 1, 4, BOTH),
    "equivariant": (equivariant, 32, 128, ("fp32",)),
    "sparse_graph": (sparse_graph, 10000, 40000, ("fp32",)),
    "scripted": (scripted, 32, 128, ("fp32",)),
    "games": (games, 64, 256, ("fp32",)),
    "preconditioned": (preconditioned, 256, 1024, ("fp32",)),
    "matched": (matched, 4, 16, BOTH),
}


def recorded(steps, asked):
    """(name, batch, format): without a GPU small batches alone, for kernels are known from shapes."""
    for turn, size in ((0, 1), (0, 2), (1, 1), (1, 2)):
        for name, step in steps.items():
            if turn < len(step[3]) and not ((asked.small or asked.no_gpu) and size == 2):
                yield name, step[size], step[3][turn]


def main(steps=STEPS, tool="tools/unusual_steps.py"):
    def trained(name, batch, precision, iterations):
        kind = Preconditioned if name == "preconditioned" else torch.optim.AdamW
        recorded_steps.train(steps[name][0], batch, precision, iterations, kind)

    formats = ("fp32", "tf32", "amp-bf16", "bf16", "fp8")
    more = [("--small", {"action": "store_true", "help": "small batches alone"})]
    return recorded_steps.main(__doc__, tool, steps, formats, "h200", trained, functools.partial(recorded, steps), more)


if __name__ == "__main__":
    sys.exit(main())
