"""Training loops whose CPU waits for its GPU, as most loops that people write do: batches that are copied from the host's memory, losses
that are printed, gradients that are measured, a scaler. Recorded for docs/recording.md (docs/decisions/0622).

usage: waiting_steps.py LOOP [--batch N] [--iterations N]                               one of them, to be recorded
       waiting_steps.py --record FOLDER [--no-gpu] [--tag GPU] [--budget SECONDS]       all of them, into FOLDER

Needs torchvision and Transformers besides PyTorch. Weights and data are random; batches are made once, in the host's memory, so that the
step does not make them.
"""

import contextlib
import functools
import os
import sys

import recorded_steps
import torch
from torch import nn
from torch.nn import functional as F

AMP = functools.partial(torch.autocast, "cuda", torch.bfloat16)


def vision(name, **options):
    import torchvision

    owner = torchvision.models.video if name.startswith("r3d") else torchvision.models
    return getattr(owner, name)(**options).cuda().train()


def pictures(batch, classes=1000, shape=(3, 224, 224)):
    return torch.randn(batch, *shape), torch.randint(0, classes, (batch,))


def photos(batch, iterations):
    """ResNet-50 in autocast; pictures from pageable memory, the loss is printed each step."""
    model, (x, y), sums = vision("resnet50"), pictures(batch), 0.0
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(iterations):
        images, labels = x.to("cuda"), y.to("cuda")
        with AMP():
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += loss.item()


def pinned(batch, iterations):
    """The same from pinned memory, without waiting for the copy; no loss is printed."""
    model, (x, y) = vision("resnet50"), pictures(batch)
    x, y = x.pin_memory(), y.pin_memory()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(iterations):
        images, labels = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
        with AMP():
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def scaled(batch, iterations):
    """ResNet-50 in fp16 with a scaler; pictures from pageable memory."""
    model, (x, y) = vision("resnet50"), pictures(batch)
    optimizer, scaler = torch.optim.AdamW(model.parameters()), torch.amp.GradScaler("cuda")
    for _ in range(iterations):
        images, labels = x.cuda(), y.cuda()
        with torch.autocast("cuda", torch.float16):
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def patches(batch, iterations):
    """ViT-B/16 in autocast; gradients are clipped, their norm and the loss are printed."""
    model, (x, y), seen = vision("vit_b_16"), pictures(batch), []
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for _ in range(iterations):
        images, labels = x.cuda(), y.cuda()
        with AMP():
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen.append((loss.item(), norm.item()))


def tokens(batch, iterations):
    """GPT-2 in autocast; the loss is printed each step, before the optimiser's."""
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False)).cuda().train()
    ids, last = torch.randint(0, 50257, (batch, 1024)), 0.0
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for _ in range(iterations):
        words = ids.to("cuda")
        with AMP():
            loss = model(words, labels=words).loss
        loss.backward()
        last = loss.item()
        optimizer.step()
        optimizer.zero_grad()
    return last


def micro(batch, iterations):
    """BERT in TF32, four micro-batches a step, each from the host, each loss added up in Python."""
    import transformers

    torch.backends.cuda.matmul.allow_tf32 = True
    model = transformers.BertForSequenceClassification(transformers.BertConfig(num_labels=2)).cuda().train()
    ids, labels = torch.randint(0, 30000, (4, batch, 128)), torch.randint(0, 2, (4, batch))
    optimizer, total = torch.optim.AdamW(model.parameters(), 2e-5), 0.0
    for _ in range(iterations):
        optimizer.zero_grad()
        for words, truth in zip(ids, labels):
            loss = model(words.to("cuda"), labels=truth.to("cuda")).loss / 4
            loss.backward()
            total += loss.item()
        optimizer.step()


class Unet(nn.Module):
    def __init__(self, width=48):
        super().__init__()

        def block(inner, outer):
            return nn.Sequential(nn.Conv2d(inner, outer, 3, padding=1, bias=False), nn.BatchNorm2d(outer), nn.ReLU(inplace=True),
                                 nn.Conv2d(outer, outer, 3, padding=1, bias=False), nn.BatchNorm2d(outer), nn.ReLU(inplace=True))  # fmt: skip

        w = [width, 2 * width, 4 * width, 8 * width]
        self.down = nn.ModuleList(block(a, b) for a, b in zip([3, *w[:-1]], w))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(w[-2::-1], w[:0:-1]))
        self.after = nn.ModuleList(block(2 * a, a) for a in w[-2::-1])
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        kept = []
        for i, down in enumerate(self.down):
            x = down(x if i == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        for up, after, skip in zip(self.up, self.after, kept[-2::-1]):
            x = after(torch.cat([up(x), skip], 1))
        return self.head(x)


def masks(batch, iterations):
    """A U-net in autocast; the overlap with the truth is counted and printed beside the loss."""
    model = Unet().cuda().train()
    x, y = torch.randn(batch, 3, 256, 256), (torch.rand(batch, 1, 256, 256) > 0.5).float()
    optimizer, shown = torch.optim.Adam(model.parameters(), 1e-3), []
    for _ in range(iterations):
        images, truth = x.to("cuda"), y.to("cuda")
        with AMP():
            guess = model(images)
            loss = F.binary_cross_entropy_with_logits(guess, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            found = (guess > 0).float()
            both, any_of = (found * truth).sum(), ((found + truth) > 0).float().sum()
            shown.append((loss.item(), both.item() / max(1.0, any_of.item())))


def adversary(batch, iterations):
    """DCGAN as PyTorch's example has it: five numbers are read in each step, two optimisers."""
    z = 100
    make = nn.Sequential(*(layer for a, b, k, s, p in ((z, 512, 4, 1, 0), (512, 256, 4, 2, 1), (256, 128, 4, 2, 1), (128, 64, 4, 2, 1))
                           for layer in (nn.ConvTranspose2d(a, b, k, s, p, bias=False), nn.BatchNorm2d(b), nn.ReLU(True))),
                         nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh()).cuda()  # fmt: skip
    judge = nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True),
                          *(layer for a, b in ((64, 128), (128, 256), (256, 512))
                            for layer in (nn.Conv2d(a, b, 4, 2, 1, bias=False), nn.BatchNorm2d(b), nn.LeakyReLU(0.2, True))),
                          nn.Conv2d(512, 1, 4, 1, 0, bias=False), nn.Sigmoid()).cuda()  # fmt: skip
    real_pictures = torch.randn(batch, 3, 64, 64)
    by_judge, by_maker = (torch.optim.Adam(m.parameters(), 2e-4, betas=(0.5, 0.999)) for m in (judge, make))
    criterion, read = nn.BCELoss(), []
    for _ in range(iterations):
        judge.zero_grad()
        real = real_pictures.to("cuda")
        label = torch.full((batch,), 1.0, device="cuda")
        answer = judge(real).view(-1)
        of_real = criterion(answer, label)
        of_real.backward()
        read.append(answer.mean().item())
        fake = make(torch.randn(batch, z, 1, 1, device="cuda"))
        label.fill_(0.0)
        answer = judge(fake.detach()).view(-1)
        of_fake = criterion(answer, label)
        of_fake.backward()
        read.append(answer.mean().item())
        by_judge.step()
        make.zero_grad()
        label.fill_(1.0)
        answer = judge(fake).view(-1)
        of_make = criterion(answer, label)
        of_make.backward()
        read.append(answer.mean().item())
        by_maker.step()
        read += [(of_real + of_fake).item(), of_make.item()]


def selected(batch, iterations):
    """BERT in autocast marks words; those that have no label are left out by a mask from the host."""
    import transformers

    model = transformers.BertForTokenClassification(transformers.BertConfig(num_labels=9)).cuda().train()
    ids, labels = torch.randint(0, 30000, (batch, 128)), torch.randint(0, 9, (batch, 128))
    mask = torch.zeros(batch, 128, dtype=torch.bool)
    mask[:, :96] = True
    optimizer, last = torch.optim.AdamW(model.parameters(), 2e-5), 0.0
    for _ in range(iterations):
        words, truth, chosen = ids.cuda(), labels.cuda(), mask.cuda()
        with AMP():
            guess = model(words).logits
            loss = F.cross_entropy(guess[chosen], truth[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = loss.item()
    return last


def film(batch, iterations):
    """R3D-18 in autocast; films of 16 pictures from pageable memory."""
    model, (x, y) = vision("r3d_18", num_classes=400), pictures(batch, 400, (3, 16, 112, 112))
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    for _ in range(iterations):
        films, labels = x.to("cuda"), y.to("cuda")
        with AMP():
            loss = F.cross_entropy(model(films), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if not torch.isfinite(loss):
            raise SystemExit("the loss is not finite")


def timed(batch, iterations):
    """A Llama in bf16 whose every step is timed between two synchronisations."""
    import time

    import transformers

    sizes = {"vocab_size": 32000, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 12, "num_attention_heads": 16, "num_key_value_heads": 4}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, use_cache=False)).cuda().bfloat16().train()
    ids, seconds = torch.randint(0, 32000, (batch, 1024), device="cuda"), []
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)
    for _ in range(iterations):
        torch.cuda.synchronize()
        start = time.perf_counter()
        loss = model(ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)


# ---- written after the loops above had been judged; nothing was chosen on these ----


def counted(batch, iterations):
    """EfficientNet-B0 in autocast; how many answers are right is counted on the host each step."""
    model, (x, y), right = vision("efficientnet_b0"), pictures(batch), 0
    optimizer = torch.optim.RMSprop(model.parameters(), 1e-3, momentum=0.9)
    for _ in range(iterations):
        images, labels = x.to("cuda"), y.to("cuda")
        with AMP():
            answers = model(images)
            loss = F.cross_entropy(answers, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += (answers.argmax(1) == labels).sum().item()


def clipped(batch, iterations):
    """Swin-T in fp16 with a scaler that is undone for clipping; pinned pictures."""
    model, (x, y) = vision("swin_t"), pictures(batch)
    x, y = x.pin_memory(), y.pin_memory()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), 1e-4), torch.amp.GradScaler("cuda")
    for _ in range(iterations):
        images, labels = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
        with torch.autocast("cuda", torch.float16):
            loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def translation(batch, iterations):
    """T5-small in TF32; words of both languages from the host, the loss is printed."""
    import transformers

    torch.backends.cuda.matmul.allow_tf32 = True
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(use_cache=False, decoder_start_token_id=0)).cuda().train()
    read, written, sums = torch.randint(0, 32000, (batch, 128)), torch.randint(0, 32000, (batch, 128)), 0.0
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for _ in range(iterations):
        loss = model(input_ids=read.cuda(), labels=written.cuda()).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += float(loss)


def next_words(batch, iterations):
    """An LSTM in TF32 over words, its state handed on; gradients are clipped, the loss is printed."""

    class Words(nn.Module):
        def __init__(self, words=20000, width=1024):
            super().__init__()
            self.table, self.lstm, self.head = nn.Embedding(words, width), nn.LSTM(width, width, 2, batch_first=True), nn.Linear(width, words)

        def forward(self, ids, state):
            found, state = self.lstm(self.table(ids), state)
            return self.head(found), state

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    model = Words().cuda().train()
    ids, sums = torch.randint(0, 20000, (batch, 65)), 0.0
    state = tuple(torch.zeros(2, batch, 1024, device="cuda") for _ in range(2))
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    for _ in range(iterations):
        words = ids.to("cuda")
        state = tuple(s.detach() for s in state)
        answers, state = model(words[:, :-1], state)
        loss = F.cross_entropy(answers.flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        sums += loss.item()


def views(batch, iterations):
    """ResNet-18 in autocast, two views of each picture against all others of the batch."""
    model, (x, _), (z, _) = vision("resnet18", num_classes=128), pictures(batch), pictures(batch)
    optimizer, last = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9), 0.0
    for _ in range(iterations):
        both = torch.cat([x, z]).cuda()
        with AMP():
            seen = F.normalize(model(both), dim=1)
            alike = seen @ seen.T / 0.1
            alike.fill_diagonal_(-1e4)
            loss = F.cross_entropy(alike, torch.arange(2 * batch, device="cuda").roll(batch))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = loss.item()
    return last


def accumulated(batch, iterations):
    """OPT of 0.1 billion parameters in bf16: four micro-batches a step, the mean loss is printed once."""
    import transformers

    model = transformers.OPTForCausalLM(transformers.OPTConfig(use_cache=False, dropout=0.0)).cuda().bfloat16().train()
    ids, shown = torch.randint(0, 50000, (4, batch, 512)), 0.0
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    for _ in range(iterations):
        total = torch.zeros((), device="cuda")
        for words in ids:
            words = words.to("cuda", non_blocking=True)
            loss = model(words, labels=words).loss / 4
            loss.backward()
            total += loss.detach()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        shown = total.item()
    return shown


def clicks(batch, iterations):
    """A ranking model: 26 tables and a few layers; answers go back to the host for a measure there."""
    tables = nn.ModuleList(nn.Embedding(10000, 64) for _ in range(26)).cuda()
    layers = nn.Sequential(nn.Linear(26 * 64 + 13, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    kinds, numbers, clicked = torch.randint(0, 10000, (batch, 26)), torch.randn(batch, 13), torch.randint(0, 2, (batch,)).float()
    optimizer, kept = torch.optim.Adam([*tables.parameters(), *layers.parameters()], 1e-3), None
    for _ in range(iterations):
        which, dense, truth = kinds.cuda(), numbers.cuda(), clicked.cuda()
        found = [table(which[:, i]) for i, table in enumerate(tables)]
        answers = layers(torch.cat([*found, dense], 1)).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(answers, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept = answers.detach().cpu()
    return kept


def volume(batch, iterations):
    """A U-net in fp16 with a scaler over large pictures, whose loss is checked each step."""
    model, (x, _) = Unet(64).cuda().train(), pictures(batch, shape=(3, 384, 384))
    y = (torch.rand(batch, 1, 384, 384) > 0.5).float()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), 1e-3), torch.amp.GradScaler("cuda")
    for _ in range(iterations):
        images, truth = x.cuda(), y.cuda()
        with torch.autocast("cuda", torch.float16):
            loss = F.binary_cross_entropy_with_logits(model(images), truth)
        if torch.isnan(loss):
            raise SystemExit("the loss is no number")
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


STEPS = {  # what, batch
    "photos": (photos, 128),
    "pinned": (pinned, 128),
    "scaled": (scaled, 64),
    "patches": (patches, 64),
    "tokens": (tokens, 8),
    "micro": (micro, 16),
    "masks": (masks, 16),
    "adversary": (adversary, 128),
    "selected": (selected, 16),
    "film": (film, 8),
    "timed": (timed, 4),
    "counted": (counted, 64),
    "clipped": (clipped, 64),
    "translation": (translation, 16),
    "next_words": (next_words, 64),
    "views": (views, 128),
    "accumulated": (accumulated, 4),
    "clicks": (clicks, 4096),
    "volume": (volume, 8),
}
AFTER = ("counted", "clipped", "translation", "next_words", "views", "accumulated", "clicks", "volume")
AS_WRITTEN = "as-written"  # its format is the loop's own


def trained(name, batch, precision, iterations):
    del precision
    torch.manual_seed(0)
    with contextlib.suppress(SystemExit):
        STEPS[name][0](batch, iterations)


def recorded(asked):
    del asked
    return [(name, step[1], AS_WRITTEN) for name, step in STEPS.items()]


def main():
    return recorded_steps.main(__doc__, os.path.join("tools", "waiting_steps.py"), STEPS, (AS_WRITTEN,), "h200", trained, recorded)


if __name__ == "__main__":
    sys.exit(main())
