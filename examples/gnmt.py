"""GNMT (Wu et al. 2016) with 4+4 LSTM layers of 1024 and additive attention, sentences of 50 tokens, Adam.

The first encoder layer is bidirectional; residual connections start at the third layer of each side. The decoder's
first layer makes the query of the attention, whose context goes into every later layer and the classifier.
"""

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Encoder(nn.Module):
    def __init__(self, vocabulary, width, layers, dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.first = nn.LSTM(width, width, bidirectional=True, batch_first=True)
        self.second = nn.LSTM(2 * width, width, batch_first=True)
        self.rest = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(layers - 2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens):
        x, _ = self.first(self.dropout(self.embedding(tokens)))
        x, _ = self.second(self.dropout(x))
        for layer in self.rest:
            y, _ = layer(self.dropout(x))
            x = x + y
        return x


class Attention(nn.Module):
    """Additive (Bahdanau) attention with a normalised score vector, for all decoder steps at once."""

    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.score = nn.Parameter(torch.randn(width) / width**0.5)
        self.gain = nn.Parameter(torch.tensor(width**-0.5))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, queries, memory):
        joint = self.query(queries).unsqueeze(2) + self.key(memory).unsqueeze(1) + self.bias
        direction = self.gain * self.score / self.score.norm()
        weights = (torch.tanh(joint) @ direction).softmax(-1)
        return weights @ memory


class Decoder(nn.Module):
    def __init__(self, vocabulary, width, layers, dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.first = nn.LSTM(width, width, batch_first=True)
        self.attention = Attention(width)
        self.rest = nn.ModuleList(nn.LSTM(2 * width, width, batch_first=True) for _ in range(layers - 1))
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(width, vocabulary)

    def forward(self, tokens, memory):
        x, _ = self.first(self.dropout(self.embedding(tokens)))
        context = self.attention(x, memory)
        for depth, layer in enumerate(self.rest):
            y, _ = layer(self.dropout(torch.cat((x, context), 2)))
            x = x + y if depth else y
        return self.classifier(x)


class GNMT(nn.Module):
    def __init__(self, vocabulary=32000, width=1024, layers=4, dropout=0.2):
        super().__init__()
        self.encoder = Encoder(vocabulary, width, layers, dropout)
        self.decoder = Decoder(vocabulary, width, layers, dropout)

    def forward(self, source, target):
        return self.decoder(target, self.encoder(source))


def main():
    args = options(__doc__, batch=32, length=50, vocabulary=32000, width=1024)
    model = GNMT(args.vocabulary, args.width).to(args.device)
    model = shared(model, args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    source = torch.randint(0, args.vocabulary, (args.batch, args.length), device=args.device)
    target = torch.randint(0, args.vocabulary, (args.batch, args.length + 1), device=args.device)
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores = model(source, target[:, :-1])
            loss = F.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten(), label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
