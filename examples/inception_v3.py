"""Inception v3 (Szegedy et al. 2016) with its auxiliary classifier, 299x299 images, SGD with momentum."""

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, shared, train


class Conv(nn.Sequential):
    """Convolution, batch normalisation, ReLU."""

    def __init__(self, c_in, c_out, kernel, stride=1, padding=0):
        super().__init__(
            nn.Conv2d(c_in, c_out, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(c_out, eps=0.001),
            nn.ReLU(inplace=True),
        )


class Pooled(nn.Module):
    """Average pooling of the same size, then a 1x1 convolution."""

    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = Conv(c_in, c_out, 1)

    def forward(self, x):
        return self.conv(F.avg_pool2d(x, 3, 1, 1))


class Split(nn.Module):
    """A stem followed by a 1x3 and a 3x1 convolution side by side."""

    def __init__(self, *stem):
        super().__init__()
        self.stem = nn.Sequential(*stem)
        self.wide = Conv(384, 384, (1, 3), 1, (0, 1))
        self.tall = Conv(384, 384, (3, 1), 1, (1, 0))

    def forward(self, x):
        x = self.stem(x)
        return torch.cat((self.wide(x), self.tall(x)), 1)


class Branches(nn.Module):
    """Runs branches on the same input and joins their channels."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def grid35(c_in, pooled):
    return Branches(
        Conv(c_in, 64, 1),
        nn.Sequential(Conv(c_in, 48, 1), Conv(48, 64, 5, 1, 2)),
        nn.Sequential(Conv(c_in, 64, 1), Conv(64, 96, 3, 1, 1), Conv(96, 96, 3, 1, 1)),
        Pooled(c_in, pooled),
    )


def to_grid17():
    return Branches(
        Conv(288, 384, 3, 2),
        nn.Sequential(Conv(288, 64, 1), Conv(64, 96, 3, 1, 1), Conv(96, 96, 3, 2)),
        nn.MaxPool2d(3, 2),
    )


def grid17(c):
    row, column = dict(kernel=(1, 7), padding=(0, 3)), dict(kernel=(7, 1), padding=(3, 0))
    return Branches(
        Conv(768, 192, 1),
        nn.Sequential(Conv(768, c, 1), Conv(c, c, **row), Conv(c, 192, **column)),
        nn.Sequential(
            Conv(768, c, 1), Conv(c, c, **column), Conv(c, c, **row), Conv(c, c, **column), Conv(c, 192, **row)
        ),
        Pooled(768, 192),
    )


def to_grid8():
    return Branches(
        nn.Sequential(Conv(768, 192, 1), Conv(192, 320, 3, 2)),
        nn.Sequential(
            Conv(768, 192, 1), Conv(192, 192, (1, 7), 1, (0, 3)), Conv(192, 192, (7, 1), 1, (3, 0)), Conv(192, 192, 3, 2)
        ),
        nn.MaxPool2d(3, 2),
    )


def grid8(c_in):
    return Branches(
        Conv(c_in, 320, 1),
        Split(Conv(c_in, 384, 1)),
        Split(Conv(c_in, 448, 1), Conv(448, 384, 3, 1, 1)),
        Pooled(c_in, 192),
    )


class Auxiliary(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv0 = Conv(768, 128, 1)
        self.conv1 = Conv(128, 768, 5)
        self.classifier = nn.Linear(768, classes)

    def forward(self, x):
        x = self.conv1(self.conv0(F.avg_pool2d(x, 5, 3)))
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))


class InceptionV3(nn.Module):
    """Returns the class scores, and those of the auxiliary classifier while training."""

    def __init__(self, classes=1000):
        super().__init__()
        self.stem = nn.Sequential(
            Conv(3, 32, 3, 2), Conv(32, 32, 3), Conv(32, 64, 3, 1, 1), nn.MaxPool2d(3, 2),
            Conv(64, 80, 1), Conv(80, 192, 3), nn.MaxPool2d(3, 2),
        )  # fmt: skip
        self.middle = nn.Sequential(
            grid35(192, 32), grid35(256, 64), grid35(288, 64), to_grid17(),
            grid17(128), grid17(160), grid17(160), grid17(192),
        )  # fmt: skip
        self.auxiliary = Auxiliary(classes)
        self.top = nn.Sequential(to_grid8(), grid8(1280), grid8(2048), nn.AdaptiveAvgPool2d(1), nn.Dropout(0.5))
        self.classifier = nn.Linear(2048, classes)

    def forward(self, images):
        x = self.middle(self.stem(images))
        auxiliary = self.auxiliary(x) if self.training else None
        return self.classifier(self.top(x).flatten(1)), auxiliary


def main():
    args = options(__doc__, batch=32, size=299)
    model = InceptionV3().to(args.device)
    model = shared(model, args)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.045, momentum=0.9)
    images = torch.randn(args.batch, 3, args.size, args.size, device=args.device)
    labels = torch.randint(0, 1000, (args.batch,), device=args.device)
    scaler = grad_scaler(args)

    def step():
        optimizer.zero_grad()
        with autocast(args):
            scores, auxiliary = model(images)
            loss = F.cross_entropy(scores, labels) + 0.4 * F.cross_entropy(auxiliary, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    train(step, args)


if __name__ == "__main__":
    main()
