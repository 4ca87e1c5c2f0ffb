"""A Llama-style decoder (Touvron et al. 2023) of 1.1 B parameters, 2048 tokens; AdamW, weights in bfloat16 unless told otherwise.

RMSNorm, rotary positions, grouped-query attention (fused) and SwiGLU; sizes of TinyLlama (Zhang et al. 2024).
"""

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Attention(nn.Module):
    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.head_dim = width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.value = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, turn):
        def split(t):
            return t.unflatten(2, (-1, self.head_dim)).transpose(1, 2)

        q, k, v = rotate(split(self.query(x)), turn), rotate(split(self.key(x)), turn), split(self.value(x))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.norm1 = nn.RMSNorm(width, eps=1e-5)
        self.attention = Attention(width, heads, kv_heads)
        self.norm2 = nn.RMSNorm(width, eps=1e-5)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x, turn):
        x = x + self.attention(self.norm1(x), turn)
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, vocabulary=32000, longest=2048, width=2048, heads=32, kv_heads=4, inner=5632, layers=22):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads, kv_heads, inner) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.head = nn.Linear(width, vocabulary, bias=False)
        angle = rotary_angles(longest, width // heads)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, tokens):
        length = tokens.shape[1]
        turn = self.cos[:length], self.sin[:length]
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x, turn)
        return self.head(self.norm(x))


def rotary_angles(length, head_dim):
    """Angles of position times frequency, both halves of a head alike: shape (length, head_dim)."""
    rate = 10000.0 ** (-torch.arange(0, head_dim, 2) / head_dim)
    return torch.outer(torch.arange(length), rate).repeat(1, 2)


def rotate(x, turn):
    cos, sin = turn
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((-high, low), -1) * sin


def main():
    args = options(
        __doc__, batch=4, precision="bf16", length=2048, vocabulary=32000, width=2048, inner=5632, layers=22,
        head_dim=64, queries_per_key=8,
    )  # fmt: skip
    heads = max(1, args.width // args.head_dim)
    kv_heads = max(1, heads // args.queries_per_key)
    model = Llama(args.vocabulary, args.length, args.width, heads, kv_heads, args.inner, args.layers)
    model = model.to(args.device, torch.bfloat16 if args.precision == "bf16" else torch.float32)
    model = shared(model, args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)
    text = torch.randint(0, args.vocabulary, (args.batch, args.length + 1), device=args.device)
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores = model(text[:, :-1])
            loss = F.cross_entropy(scores.flatten(0, 1).float(), text[:, 1:].flatten())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
