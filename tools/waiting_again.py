"""More training loops as people write them, of other kinds than waiting_steps.py's: pictures are mixed by a permutation of the host, rows are
chosen by numpy's indices, averages of weights are kept in Python, a queue is written in place. Recorded for docs/recording.md
(docs/decisions/0626).

usage: waiting_again.py LOOP [--batch N] [--iterations N]                               one of them, to be recorded
       waiting_again.py --record FOLDER [--no-gpu] [--tag GPU] [--budget SECONDS]       all of them, into FOLDER

Needs torchvision and Transformers besides PyTorch. Weights and data are random; what a loop would load is made once, in the host's memory.
"""

import copy
import os
import random
import sys

import numpy
import recorded_steps
import torch
import waiting_steps
from torch import nn
from torch.nn import functional as F
from waiting_steps import AMP, Unet, pictures, vision


def accuracy(output, target, topk=(1, 5)):
    """Shares of right answers among the first, as PyTorch's ImageNet example has it."""
    with torch.no_grad():
        _, found = output.topk(max(topk), 1, True, True)
        correct = found.t().eq(target.view(1, -1).expand(max(topk), -1))
        return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in topk]


def mixed(batch, iterations):
    """ResNet-34 in TF32; pictures and labels are mixed by a permutation that the host draws."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    model, (x, y) = vision("resnet34"), pictures(batch)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    right, total = 0.0, 0
    for _ in range(iterations):
        images, labels = x.cuda(), y.cuda()
        share, order = numpy.random.beta(1.0, 1.0), torch.randperm(batch)
        images, others = share * images + (1 - share) * images[order], labels[order]
        output = model(images)
        loss = share * F.cross_entropy(output, labels) + (1 - share) * F.cross_entropy(output, others)
        _, said = output.max(1)
        total += batch
        right += share * said.eq(labels).sum().item() + (1 - share) * said.eq(others).sum().item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def cut(batch, iterations):
    """DenseNet-121 in autocast; a box of each picture is another's, weights are averaged over time."""
    model, (x, y) = vision("densenet121"), pictures(batch)
    average = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer, seen = torch.optim.AdamW(model.parameters(), 1e-3), []
    for _ in range(iterations):
        images, labels = x.cuda(), y.cuda()
        order = torch.randperm(batch).cuda()
        images[:, :, 40:140, 60:190] = images[order, :, 40:140, 60:190]
        with AMP():
            output = model(images)
            loss = F.cross_entropy(output, labels) * 0.7 + F.cross_entropy(output, labels[order]) * 0.3
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for kept, now in zip(average.state_dict().values(), model.state_dict().values()):
                if kept.dtype.is_floating_point:
                    kept.mul_(0.999).add_(now, alpha=0.001)
        seen.append(loss.item())


class Contrast(nn.Module):
    """Queries against a queue of keys of before."""

    def __init__(self, wide=128, long=65536):
        super().__init__()
        self.query, self.key = vision("resnet50", num_classes=wide), vision("resnet50", num_classes=wide)
        self.key.load_state_dict(self.query.state_dict())
        self.key.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(wide, long), dim=0))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def follow(self):
        for kept, now in zip(self.key.parameters(), self.query.parameters()):
            kept.data = kept.data * 0.999 + now.data * 0.001

    @torch.no_grad()
    def put(self, keys):
        place, many = int(self.place), keys.shape[0]
        self.queue[:, place : place + many] = keys.T
        self.place[0] = (place + many) % self.queue.shape[1]

    def forward(self, first, second):
        q = F.normalize(self.query(first), dim=1)
        with torch.no_grad():
            self.follow()
            order = torch.randperm(second.shape[0]).cuda()
            k = F.normalize(self.key(second[order]), dim=1)[torch.argsort(order)]
        alike = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        others = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        scores = torch.cat([alike, others], dim=1) / 0.07
        self.put(k)
        return scores, torch.zeros(scores.shape[0], dtype=torch.long).cuda()


def contrast(batch, iterations):
    """Two ResNet-50 in autocast, one of which follows the other; keys go into a queue of 65,536."""
    model, (x, _) = Contrast().cuda().train(), pictures(batch)
    optimizer = torch.optim.SGD(model.query.parameters(), 0.03, momentum=0.9, weight_decay=1e-4)
    seen = []
    for _ in range(iterations):
        first, second = x.cuda(non_blocking=True), x.cuda(non_blocking=True)
        with AMP():
            scores, labels = model(first, second)
            loss = F.cross_entropy(scores, labels)
        one, five = accuracy(scores, labels)
        seen.append((loss.item(), one[0].item(), five[0].item()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Actor(nn.Module):
    def __init__(self, actions=6):
        super().__init__()
        self.network = nn.Sequential(nn.Conv2d(4, 32, 8, stride=4), nn.ReLU(), nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
                                     nn.Conv2d(64, 64, 3, stride=1), nn.ReLU(), nn.Flatten(), nn.Linear(64 * 7 * 7, 512), nn.ReLU())  # fmt: skip
        self.actor, self.critic = nn.Linear(512, actions), nn.Linear(512, 1)

    def forward(self, x, action):
        hidden = self.network(x / 255.0)
        told = torch.distributions.Categorical(logits=self.actor(hidden), validate_args=False)
        return told.log_prob(action), told.entropy(), self.critic(hidden)


def policy(batch, iterations):
    """A policy of games in TF32; rows of what was played are chosen by numpy's indices, what is clipped is counted."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = True
    agent, many = Actor().cuda(), 4 * batch
    optimizer = torch.optim.Adam(agent.parameters(), 2.5e-4, eps=1e-5)
    screens = torch.randint(0, 255, (many, 4, 84, 84)).float().cuda()
    actions, before = torch.randint(0, 6, (many,)).cuda(), torch.randn(many).cuda()
    gains, returns, values = torch.randn(many).cuda(), torch.randn(many).cuda(), torch.randn(many).cuda()
    rows, clipped = numpy.arange(many), []
    for i in range(iterations):
        if i % 4 == 0:
            numpy.random.shuffle(rows)
        some = rows[(i % 4) * batch : (i % 4 + 1) * batch]
        told, entropy, value = agent(screens[some], actions[some])
        ratio = (told - before[some]).exp()
        with torch.no_grad():
            clipped.append(((ratio - 1.0).abs() > 0.1).float().mean().item())
        gain = gains[some]
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        lost = torch.max(-gain * ratio, -gain * torch.clamp(ratio, 0.9, 1.1)).mean()
        value = value.view(-1)
        near = values[some] + torch.clamp(value - values[some], -0.1, 0.1)
        off = 0.5 * torch.max((value - returns[some]) ** 2, (near - returns[some]) ** 2).mean()
        loss = lost - 0.01 * entropy.mean() + off * 0.5
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()


def values(batch, iterations):
    """Values of actions, small layers in fp32; what was seen comes from numpy's arrays, a second network follows the first."""
    def network():
        return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 18)).cuda()

    online, target = network(), network()
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), 1e-4)
    states, nexts = (numpy.random.randn(batch, 128).astype(numpy.float32) for _ in range(2))
    actions, rewards, ended = numpy.random.randint(0, 18, batch), numpy.random.randn(batch).astype(numpy.float32), numpy.zeros(batch, numpy.float32)
    for _ in range(iterations):
        s, n = torch.from_numpy(states).cuda(), torch.from_numpy(nexts).cuda()
        a, r, e = (torch.as_tensor(given, device="cuda") for given in (actions, rewards, ended))
        with torch.no_grad():
            best = target(n).gather(1, online(n).argmax(1, keepdim=True)).squeeze(1)
            wanted = r + 0.99 * best * (1 - e)
        found = online(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(found, wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(online.parameters(), 1.0)
        optimizer.step()
        for kept, now in zip(target.parameters(), online.parameters()):
            kept.data.copy_(0.005 * now.data + 0.995 * kept.data)


class Neighbours(nn.Module):
    def __init__(self, wide=256, classes=47):
        super().__init__()
        self.own = nn.ModuleList([nn.Linear(100, wide), nn.Linear(wide, wide), nn.Linear(wide, classes)])
        self.others = nn.ModuleList([nn.Linear(100, wide), nn.Linear(wide, wide), nn.Linear(wide, classes)])

    def forward(self, x, source, into, share):
        for i, (own, others) in enumerate(zip(self.own, self.others)):
            found = torch.zeros(x.shape[0], x.shape[1], device=x.device).index_add_(0, into, x[source]) * share
            x = own(x) + others(found)
            x = F.dropout(F.relu(x), 0.5, self.training) if i < 2 else x
        return x


def neighbours(batch, iterations):
    """Sums over neighbours in a graph of 60,000 nodes, fp32; the nodes that count are drawn on the host, correct ones are counted."""
    nodes, edges = 60000, 900000
    x, y = torch.randn(nodes, 100).cuda(), torch.randint(0, 47, (nodes,)).cuda()
    source, into = torch.randint(0, nodes, (edges,)).cuda(), torch.randint(0, nodes, (edges,)).cuda()
    share = (1.0 / torch.bincount(into, minlength=nodes).clamp(min=1)).unsqueeze(1)
    model, right = Neighbours().cuda().train(), 0
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(iterations):
        some = torch.randperm(nodes)[:batch]
        output = model(x, source, into, share)[some]
        loss = F.cross_entropy(output, y[some])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += int((output.argmax(1) == y[some]).sum())


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Unet(96)
        self.inner.head = nn.Conv2d(96, 3, 1)
        self.time = nn.Sequential(nn.Linear(128, 512), nn.SiLU(), nn.Linear(512, 3))

    def forward(self, x, t):
        parts = torch.exp(-9.2 * torch.arange(64, device=t.device) / 64)[None] * t[:, None].float()
        return self.inner(x + self.time(torch.cat([parts.sin(), parts.cos()], -1))[:, :, None, None])


def noise(batch, iterations):
    """A network that takes noise from pictures, in autocast; its schedule lies on the host, weights are averaged in lists."""
    model = Denoiser().cuda().train()
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    x, kept = torch.randn(batch, 3, 64, 64), torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0)
    seen = 0.0
    for _ in range(iterations):
        images, t = x.cuda(), torch.randint(0, 1000, (batch,))
        share = kept[t].view(-1, 1, 1, 1).cuda()
        added = torch.randn_like(images)
        with AMP():
            loss = F.mse_loss(model(share.sqrt() * images + (1 - share).sqrt() * added, t.cuda()), added)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        torch._foreach_lerp_(average, list(model.parameters()), 0.0001)
        seen = 0.9 * seen + 0.1 * loss.item()


def taught(batch, iterations):
    """ResNet-18 learns from a ResNet-101 in autocast; loss and two accuracies are printed."""
    student, teacher, (x, y) = vision("resnet18"), vision("resnet101").eval(), pictures(batch)
    optimizer, seen = torch.optim.SGD(student.parameters(), 0.1, momentum=0.9), []
    for _ in range(iterations):
        images, labels = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with AMP():
            with torch.no_grad():
                told = teacher(images)
            said = student(images)
            near = F.kl_div(F.log_softmax(said / 4, 1), F.softmax(told / 4, 1), reduction="batchmean") * 16
            loss = 0.9 * near + 0.1 * F.cross_entropy(said, labels)
        one, five = accuracy(said, labels)
        seen.append((loss.item(), one[0].item(), five[0].item()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def sounds(batch, iterations):
    """Wav2Vec2 tells kinds of sounds, in fp16 with a scaler; spans of each sound are left out, as the host draws them."""
    import transformers

    config = transformers.Wav2Vec2Config(num_labels=35, mask_time_prob=0.065, mask_feature_prob=0.05, layerdrop=0.0)
    model = transformers.Wav2Vec2ForSequenceClassification(config).cuda().train()
    model.freeze_feature_encoder()
    x, y = torch.randn(batch, 32000), torch.randint(0, 35, (batch,))
    optimizer, scaler, total = torch.optim.AdamW(model.parameters(), 3e-5), torch.amp.GradScaler("cuda"), 0.0
    for _ in range(iterations):
        with torch.autocast("cuda", torch.float16):
            loss = model(x.cuda(), labels=y.cuda()).loss
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        total += loss.item()


def unrolled(batch, iterations):
    """A recurrent cell in fp32, step by step, which sometimes hears its own answer."""
    cell, head = nn.LSTMCell(64, 512).cuda(), nn.Linear(512, 64).cuda()
    optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], 1e-3)
    series, random_numbers = torch.randn(batch, 48, 64), random.Random(0)
    for _ in range(iterations):
        given = series.cuda()
        h = c = torch.zeros(batch, 512, device="cuda")
        heard, loss = given[:, 0], 0.0
        for t in range(1, given.shape[1]):
            h, c = cell(heard, (h, c))
            said = head(h)
            loss = loss + F.mse_loss(said, given[:, t])
            heard = said if t % 2 else given[:, t]
        random_numbers.random()
        optimizer.zero_grad()
        (loss / 47).backward()
        nn.utils.clip_grad_norm_(cell.parameters(), 1.0)
        optimizer.step()


def critic(batch, iterations):
    """A critic whose gradient by its input is held at length one, in fp32: gradients of gradients; two losses are printed."""
    def block(a, b):
        return nn.Sequential(nn.Conv2d(a, b, 4, 2, 1), nn.GroupNorm(8, b), nn.LeakyReLU(0.2))

    model = nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2), block(64, 128), block(128, 256), block(256, 512), nn.Conv2d(512, 1, 4)).cuda()
    optimizer, seen = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.0, 0.9)), []
    real, made = torch.randn(batch, 3, 64, 64), torch.randn(batch, 3, 64, 64)
    for _ in range(iterations):
        x, z = real.cuda(), made.cuda()
        between = torch.rand(batch, 1, 1, 1, device="cuda")
        mix = (between * x + (1 - between) * z).requires_grad_(True)
        scores = model(mix)
        slope = torch.autograd.grad(scores, mix, torch.ones_like(scores), create_graph=True)[0]
        penalty = ((slope.view(batch, -1).norm(2, dim=1) - 1) ** 2).mean() * 10
        gap = model(z).mean() - model(x).mean()
        optimizer.zero_grad()
        (gap + penalty).backward()
        optimizer.step()
        seen.append((gap.item(), penalty.item()))


class Margins(nn.Module):
    """Angles to each person's direction, the right one made harder."""

    def __init__(self, wide, people, scale=64.0, margin=0.5):
        super().__init__()
        self.weight, self.scale, self.margin = nn.Parameter(torch.randn(people, wide) * 0.01), scale, margin

    def forward(self, x, label):
        cosine = F.linear(F.normalize(x), F.normalize(self.weight))
        sine = torch.sqrt((1.0 - cosine.pow(2)).clamp(0, 1))
        moved = cosine * numpy.cos(self.margin) - sine * numpy.sin(self.margin)
        moved = torch.where(cosine > numpy.cos(numpy.pi - self.margin), moved, cosine - self.margin * numpy.sin(numpy.pi - self.margin))
        right = torch.zeros(cosine.size(), device=cosine.device)
        right.scatter_(1, label.view(-1, 1).long(), 1)
        return (right * moved + (1.0 - right) * cosine) * self.scale


def faces(batch, iterations):
    """ResNet-50 in autocast tells 20,000 people apart by angles with a margin; the loss is printed."""
    model, head, (x, y) = vision("resnet50", num_classes=512), Margins(512, 20000).cuda(), pictures(batch, 20000, (3, 112, 112))
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], 0.1, momentum=0.9, weight_decay=5e-4)
    seen = 0.0
    for _ in range(iterations):
        images, labels = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with AMP():
            features = model(images)
        loss = F.cross_entropy(head(features.float(), labels), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen = loss.item()
    return seen


def masked(batch, iterations):
    """torch.nn's Transformer in TF32 translates; masks of places and of padding are made in each step."""
    torch.backends.cuda.matmul.allow_tf32 = True
    embed, model = nn.Embedding(8000, 512, padding_idx=1).cuda(), nn.Transformer(512, 8, 4, 4, 2048, batch_first=True).cuda().train()
    head = nn.Linear(512, 8000).cuda()
    optimizer = torch.optim.Adam([*embed.parameters(), *model.parameters(), *head.parameters()], 1e-4, betas=(0.9, 0.98))
    source, target, total = torch.randint(2, 8000, (batch, 64)), torch.randint(2, 8000, (batch, 65)), 0.0
    for _ in range(iterations):
        s, t = source.cuda(), target.cuda()
        given, wanted = t[:, :-1], t[:, 1:]
        places = nn.Transformer.generate_square_subsequent_mask(given.shape[1]).cuda()
        out = model(embed(s), embed(given), tgt_mask=places, src_key_padding_mask=s == 1, tgt_key_padding_mask=given == 1)
        loss = F.cross_entropy(head(out).reshape(-1, 8000), wanted.reshape(-1), ignore_index=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def checkpointed(batch, iterations):
    """A GPT-NeoX of Transformers in bf16, layers computed again; four micro-batches, gradients are clipped, a rate that falls."""
    import transformers

    config = transformers.GPTNeoXConfig(hidden_size=1024, num_hidden_layers=12, num_attention_heads=16, intermediate_size=4096, vocab_size=50304, use_cache=False)
    model = transformers.GPTNeoXForCausalLM(config).to(torch.bfloat16).cuda().train()
    model.gradient_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.1)
    rate, ids, shown = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1000), torch.randint(0, 50000, (4, batch, 512)), 0.0
    for _ in range(iterations):
        for some in ids:
            words = some.to("cuda", non_blocking=True)
            loss = model(words, labels=words).loss / 4
            loss.backward()
            shown += loss.detach().float().item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        optimizer.zero_grad(set_to_none=True)
    return shown


class Depths(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = vision("resnet34")
        self.up = nn.ModuleList(nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ELU()) for a, b in ((512, 256), (512, 128), (256, 64), (128, 64)))
        self.head = nn.Conv2d(64, 1, 3, padding=1)

    def forward(self, x):
        b = self.body
        x = b.maxpool(b.relu(b.bn1(b.conv1(x))))
        parts = []
        for layer in (b.layer1, b.layer2, b.layer3, b.layer4):
            x = layer(x)
            parts.append(x)
        x = self.up[0](parts[3])
        for up, part in zip(self.up[1:], parts[2::-1]):
            x = up(torch.cat([F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), part], 1))
        return F.interpolate(self.head(x).exp(), scale_factor=4, mode="bilinear", align_corners=True)


def depths(batch, iterations):
    """How far each pixel is, in fp16 with a scaler: logarithms that are compared where something was measured; clipped."""
    model = Depths().cuda().train()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), 1e-4), torch.amp.GradScaler("cuda")
    x, far, seen = torch.randn(batch, 3, 352, 704), torch.rand(batch, 1, 352, 704) * 80, []
    for _ in range(iterations):
        images, truth = x.cuda(), far.cuda()
        with torch.autocast("cuda", torch.float16):
            said = model(images)
        known = (truth > 0.1).float()
        off = (torch.log(said.float() + 1e-6) - torch.log(truth + 1e-6)) * known
        loss = torch.sqrt(off.pow(2).sum() / known.sum() - 0.85 * (off.sum() / known.sum()).pow(2)) * 10
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        seen.append(loss.item())
    return seen


class Habits(nn.Module):
    def __init__(self, items=60000, wide=128, long=100):
        super().__init__()
        self.item, self.place = nn.Embedding(items, wide, padding_idx=0), nn.Embedding(long, wide)
        self.norms, self.attend, self.inner = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for _ in range(2):
            self.norms.append(nn.LayerNorm(wide))
            self.attend.append(nn.MultiheadAttention(wide, 2, 0.2))
            self.inner.append(nn.Sequential(nn.LayerNorm(wide), nn.Linear(wide, wide), nn.ReLU(), nn.Dropout(0.2), nn.Linear(wide, wide)))

    def forward(self, bought):
        x = self.item(bought) * 128**0.5
        x = x + self.place(torch.from_numpy(numpy.tile(numpy.arange(bought.shape[1]), [bought.shape[0], 1])).to(x.device))
        x = x * ~(bought == 0).unsqueeze(-1)
        later = ~torch.tril(torch.ones((x.shape[1], x.shape[1]), dtype=torch.bool, device=x.device))
        for norm, attend, inner in zip(self.norms, self.attend, self.inner):
            x = x.transpose(0, 1)
            q = norm(x)
            x = (q + attend(q, x, x, attn_mask=later)[0]).transpose(0, 1)
            x = x + inner(x)
        return x


def habits(batch, iterations):
    """What is bought next, two layers of attention in fp32: numpy's rows become tensors, a wrong one beside each right one."""
    model = Habits().cuda().train()
    optimizer, told = torch.optim.Adam(model.parameters(), 1e-3, betas=(0.9, 0.98)), nn.BCEWithLogitsLoss()
    rows, seen = numpy.random.randint(1, 60000, (3, batch, 100)), 0.0
    for _ in range(iterations):
        bought, right, wrong = (torch.LongTensor(part).cuda() for part in rows)
        x = model(bought)
        yes, no = (x * model.item(right)).sum(-1), (x * model.item(wrong)).sum(-1)
        loss = told(yes, torch.ones(yes.shape, device="cuda")) + told(no, torch.zeros(no.shape, device="cuda"))
        for weight in model.item.parameters():
            loss = loss + 1e-4 * torch.norm(weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen = loss.item()
    return seen


def views_of_one(batch, iterations):
    """ViT-B/16 learns from an average of itself in autocast, two large views and four small; each gradient is clipped by its own length."""
    student, teacher = vision("vit_b_16", num_classes=4096), vision("vit_b_16", num_classes=4096).requires_grad_(False)
    optimizer, center = torch.optim.AdamW(student.parameters(), 1e-4), torch.zeros(1, 4096, device="cuda")
    large, seen = [torch.randn(batch, 3, 224, 224) for _ in range(2)], 0.0
    for _ in range(iterations):
        images = [view.cuda(non_blocking=True) for view in large]
        with AMP():
            with torch.no_grad():
                wanted = teacher(torch.cat(images))
            said = student(torch.cat(images)) / 0.1
            firm = F.softmax((wanted - center) / 0.04, dim=-1).detach().chunk(2)
            pairs = [(firm[i], part) for i in range(2) for j, part in enumerate(said.chunk(2)) if i != j]
            loss = sum(torch.sum(-q * F.log_softmax(part, dim=-1), dim=-1).mean() for q, part in pairs) / len(pairs)
        optimizer.zero_grad()
        loss.backward()
        for weight in student.parameters():
            if weight.grad is not None:
                share = 3.0 / (weight.grad.norm(2) + 1e-6)
                if share < 1:
                    weight.grad.mul_(share)
        optimizer.step()
        with torch.no_grad():
            center = center * 0.9 + wanted.mean(0, keepdim=True) * 0.1
            for now, kept in zip(student.parameters(), teacher.parameters()):
                kept.mul_(0.996).add_((1 - 0.996) * now.detach())
        seen = loss.item()
    return seen


STEPS = {
    "mixed": (mixed, 128), "cut": (cut, 64), "contrast": (contrast, 128), "policy": (policy, 256), "values": (values, 256),
    "neighbours": (neighbours, 4096), "noise": (noise, 64), "taught": (taught, 128), "sounds": (sounds, 16), "unrolled": (unrolled, 128),
    "critic": (critic, 64), "faces": (faces, 256), "masked": (masked, 64), "checkpointed": (checkpointed, 4), "depths": (depths, 8),
    "habits": (habits, 128), "views_of_one": (views_of_one, 32),
}  # fmt: skip
AFTER = ("faces", "masked", "checkpointed", "depths", "habits", "views_of_one")  # written and measured after decisions 625 to 628


def trained(name, batch, precision, iterations):
    del precision
    torch.manual_seed(0)
    STEPS[name][0](batch, iterations)


def recorded(asked):
    del asked
    return [(name, step[1], waiting_steps.AS_WRITTEN) for name, step in STEPS.items()]


def main():
    return recorded_steps.main(__doc__, os.path.join("tools", "waiting_again.py"), STEPS, (waiting_steps.AS_WRITTEN,), "h100", trained, recorded)


if __name__ == "__main__":
    sys.exit(main())
