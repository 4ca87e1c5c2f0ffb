"""GPT-2 (Radford et al. 2019), 124 M parameters, 1024 tokens; bfloat16 autocast unless told otherwise, fused attention, fused AdamW."""

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, 2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, vocabulary=50257, longest=1024, width=768, heads=12, layers=12):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


def main():
    args = options(__doc__, batch=8, precision="amp-bf16", length=1024, vocabulary=50257, width=768, layers=12)
    model = GPT2(args.vocabulary, args.length, args.width, max(1, args.width // 64), args.layers).to(args.device)
    model = shared(model, args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    text = torch.randint(0, args.vocabulary, (args.batch, args.length + 1), device=args.device)
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores = model(text[:, :-1])
            loss = F.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
