"""BERT-Large (Devlin et al. 2019), masked language model, 512 tokens; attention spelled out with dropout, AdamW."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Layer(nn.Module):
    """Attention and the inner network, each normalised after its residual sum."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.dropout((q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + mask).softmax(-1))
        x = self.norm1(x + self.dropout(self.out((weights @ v).transpose(1, 2).flatten(2))))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    """The output projection shares the embedding of the tokens."""

    def __init__(self, vocabulary=30522, longest=512, width=1024, heads=16, layers=24, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.segments = nn.Embedding(2, width)
        for embedding in (self.tokens, self.positions, self.segments):
            nn.init.normal_(embedding.weight, std=0.02)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, eps=1e-12))
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, tokens, segments, mask):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]] + self.segments(segments)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.head(x), self.tokens.weight, self.bias)


def main():
    args = options(__doc__, batch=8, length=512, vocabulary=30522, width=1024, layers=24)
    model = Bert(args.vocabulary, args.length, args.width, max(1, args.width // 64), args.layers).to(args.device)
    model = shared(model, args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    tokens = torch.randint(0, args.vocabulary, (args.batch, args.length), device=args.device)
    labels = torch.where(torch.rand(tokens.shape, device=args.device) < 0.15, tokens, -100)
    segments = torch.zeros_like(tokens)
    mask = torch.zeros(args.batch, 1, 1, args.length, device=args.device)  # added to the scores: 0 where a token may be seen
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores = model(tokens, segments, mask)
            loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
