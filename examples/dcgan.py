"""DCGAN (Radford et al. 2016) at 64x64: a generator and a discriminator, each with an Adam of its own."""

import torch
from torch import nn
from torch.nn import functional as F

from common import autocast, grad_scaler, options, train


class Generator(nn.Sequential):
    def __init__(self, latent=100, width=64):
        layers, c_in = [], latent
        for c_out, stride, padding in ((8 * width, 1, 0), (4 * width, 2, 1), (2 * width, 2, 1), (width, 2, 1)):
            layers += [
                nn.ConvTranspose2d(c_in, c_out, 4, stride, padding, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(True)
            ]  # fmt: skip
            c_in = c_out
        super().__init__(*layers, nn.ConvTranspose2d(c_in, 3, 4, 2, 1, bias=False), nn.Tanh())
        self.apply(small_weights)


class Discriminator(nn.Sequential):
    def __init__(self, width=64):
        layers, c_in = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True)], width
        for c_out in (2 * width, 4 * width, 8 * width):
            layers += [nn.Conv2d(c_in, c_out, 4, 2, 1, bias=False), nn.BatchNorm2d(c_out), nn.LeakyReLU(0.2, True)]
            c_in = c_out
        super().__init__(*layers, nn.Conv2d(c_in, 1, 4, 1, 0, bias=False), nn.Flatten(0))
        self.apply(small_weights)


def small_weights(module):
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0.0, 0.02)


def main():
    args = options(__doc__, batch=64, latent=100, width=64)
    generator = Generator(args.latent, args.width).to(args.device)
    discriminator = Discriminator(args.width).to(args.device)
    adam_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    adam_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    images = torch.rand(args.batch, 3, 64, 64, device=args.device) * 2 - 1
    ones = torch.ones(args.batch, device=args.device)
    zeros = torch.zeros(args.batch, device=args.device)
    scaler = grad_scaler(args)

    def step():
        adam_d.zero_grad()
        with autocast(args):
            real = F.binary_cross_entropy_with_logits(discriminator(images), ones)
        scaler.scale(real).backward()
        with autocast(args):
            made = generator(torch.randn(args.batch, args.latent, 1, 1, device=args.device))
            fake = F.binary_cross_entropy_with_logits(discriminator(made.detach()), zeros)
        scaler.scale(fake).backward()
        scaler.step(adam_d)

        adam_g.zero_grad()
        with autocast(args):
            fooled = F.binary_cross_entropy_with_logits(discriminator(made), ones)
        scaler.scale(fooled).backward()
        scaler.step(adam_g)
        scaler.update()
        return real + fake

    train(step, args)


if __name__ == "__main__":
    main()
