"""Transformer base (Vaswani et al. 2017): 6+6 layers of width 512, 8 heads, 2048 inner; sentences of 50 tokens, Adam."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Attention(nn.Module):
    """Multi-head attention spelled out: products, softmax, dropout."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, mask=None):
        def split(t):
            return t.unflatten(2, (self.heads, -1)).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(memory)), split(self.value(memory))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        mixed = self.dropout(scores.softmax(-1)) @ v
        return self.out(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """One encoder layer, or with `cross` one decoder layer; normalisation after each residual sum."""

    def __init__(self, width, heads, inner, dropout, cross):
        super().__init__()
        self.attention = Attention(width, heads, dropout)
        self.norm1 = nn.LayerNorm(width)
        self.cross = Attention(width, heads, dropout) if cross else None
        self.norm2 = nn.LayerNorm(width) if cross else None
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Dropout(dropout), nn.Linear(inner, width))
        self.norm3 = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory=None, mask=None):
        x = self.norm1(x + self.dropout(self.attention(x, x, mask)))
        if self.cross is not None:
            x = self.norm2(x + self.dropout(self.cross(x, memory)))
        return self.norm3(x + self.dropout(self.inner(x)))


class Transformer(nn.Module):
    """Both vocabularies and the output projection share one embedding, as in the paper."""

    def __init__(self, vocabulary=32000, width=512, heads=8, inner=2048, layers=6, dropout=0.1, longest=512):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.encoder = nn.ModuleList(Layer(width, heads, inner, dropout, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(width, heads, inner, dropout, True) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", sinusoids(longest, width), persistent=False)

    def embed(self, tokens):
        width = self.embedding.embedding_dim
        return self.dropout(self.embedding(tokens) * math.sqrt(width) + self.positions[: tokens.shape[1]])

    def forward(self, source, target):
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory)
        x = self.embed(target)
        length = target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        for layer in self.decoder:
            x = layer(x, memory, future)
        return F.linear(x, self.embedding.weight)


def sinusoids(length, width):
    """The paper's position codes, shape (length, width)."""
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    angle = torch.arange(length).unsqueeze(1) * rate
    return torch.stack((angle.sin(), angle.cos()), 2).flatten(1)


def main():
    args = options(__doc__, batch=64, length=50, vocabulary=32000, layers=6, width=512)
    model = Transformer(args.vocabulary, args.width, 8, 4 * args.width, args.layers).to(args.device)
    model = shared(model, args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    source = torch.randint(0, args.vocabulary, (args.batch, args.length), device=args.device)
    target = torch.randint(0, args.vocabulary, (args.batch, args.length + 1), device=args.device)
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores = model(source, target[:, :-1])
            loss = F.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten(), label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
