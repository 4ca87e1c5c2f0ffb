"""The example scripts: known parameter counts, and each records unchanged on a CPU with small sizes."""

import importlib
import os
import subprocess
import sys

import pytest
import torch
from recording_helpers import ROOT, SHORT, read_trace, recorder_process

EXAMPLES = os.path.join(ROOT, "examples")

SMALL = {
    "resnet50": ("--size", "32"),
    "inception_v3": (),  # its auxiliary classifier needs all of the 299x299
    "transformer": ("--length", "8", "--vocabulary", "100", "--layers", "1", "--width", "64"),
    "gnmt": ("--length", "6", "--vocabulary", "100", "--width", "32"),
    "dcgan": ("--width", "4"),
    "gpt2": ("--length", "16", "--vocabulary", "100", "--layers", "1", "--width", "64"),
    "llama": ("--length", "16", "--vocabulary", "100", "--layers", "1", "--width", "128", "--inner", "64"),
    "vit": ("--size", "32", "--layers", "1", "--width", "64"),
    "bert": ("--length", "16", "--vocabulary", "100", "--layers", "1", "--width", "64"),
}

# Published counts: torchvision's resnet50, inception_v3 and vit_b_16, pytorch/examples' dcgan, Hugging Face's gpt2, TinyLlama.
# BERT-Large with its own biases: embeddings, 24 layers, the head; 335.2 M as Hugging Face's BertForMaskedLM (335,174,458).
# Transformer base with 32,000 tokens and one embedding: 32000*512 + 6*(4*(512^2+512) + ffn + 2*1024)
# + 6*(8*(512^2+512) + ffn + 3*1024), ffn = 512*2048+2048 + 2048*512+512.
FFN = 2 * 512 * 2048 + 2048 + 512
COUNTS = {
    ("resnet50", "ResNet50"): 25_557_032,
    ("inception_v3", "InceptionV3"): 27_161_264,
    ("dcgan", "Generator"): 3_576_704,
    ("dcgan", "Discriminator"): 2_765_568,
    ("gpt2", "GPT2"): 124_439_808,
    ("llama", "Llama"): 1_100_048_384,
    ("vit", "ViT"): 86_567_656,
    ("bert", "Bert"): 335_174_458,
    ("transformer", "Transformer"): 32000 * 512 + 6 * (12 * (512**2 + 512) + 2 * FFN + 5 * 1024),
    ("gnmt", "GNMT"): 3 * 32000 * 1024 + 32000  # two embeddings, classifier
    + 2 * (4 * 1024 * 2048 + 8 * 1024) + (4 * 1024 * 3072 + 8 * 1024) + 2 * (4 * 1024 * 2048 + 8 * 1024)  # encoder
    + (4 * 1024 * 2048 + 8 * 1024) + 3 * (4 * 1024 * 3072 + 8 * 1024)  # decoder
    + 2 * 1024**2 + 2 * 1024 + 1,  # attention
}  # fmt: skip


@pytest.fixture
def examples(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)


@pytest.mark.parametrize("script, model", COUNTS)
def test_parameter_count(examples, script, model):
    with torch.device("meta"):
        built = getattr(importlib.import_module(script), model)() if model != "Transformer" else None
    if built is None:  # its position codes are computed, so it is built for real
        built = importlib.import_module(script).Transformer()
    assert sum(p.numel() for p in built.parameters()) == COUNTS[script, model]


@pytest.mark.parametrize("script", SMALL)
def test_script_records_unchanged(tmp_path, script):
    example = os.path.join(EXAMPLES, f"{script}.py")
    done = recorder_process(tmp_path, *SHORT, "--compact", example, "--device", "cpu", "--batch", "2", *SMALL[script])
    assert done.returncode == 0, done.stderr
    about = read_trace(tmp_path / "step.json.gz")["habitat"]
    assert about["batch_size"] == 2
    assert about["autocast"] == ("bfloat16" if script == "gpt2" else None)
    assert about["parameter_dtype"] == ("bfloat16" if script == "llama" else "float32")


@pytest.mark.parametrize("precision, autocast", [("amp-bf16", "bfloat16"), ("amp-fp16", "float16"), ("tf32", None)])
def test_number_format_of_an_example(tmp_path, precision, autocast):
    example = os.path.join(EXAMPLES, "dcgan.py")
    small = ("--device", "cpu", "--batch", "2", *SMALL["dcgan"])
    done = recorder_process(tmp_path, *SHORT, "--compact", example, *small, "--precision", precision)
    assert done.returncode == 0, done.stderr
    about = read_trace(tmp_path / "step.json.gz")["habitat"]
    assert about["autocast"] == autocast
    names = {e["name"] for e in read_trace(tmp_path / "step.json.gz")["traceEvents"]}
    assert ("aten::_amp_foreach_non_finite_check_and_unscale_" in names) == (precision == "amp-fp16")


def test_scripts_train_by_themselves(tmp_path):
    command = [sys.executable, os.path.join(EXAMPLES, "dcgan.py"), "--device", "cpu", "--batch", "2", "--width", "4"]
    done = subprocess.run([*command, "--iterations", "3"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("iteration 3: loss ") and "samples/s" in done.stdout


@pytest.mark.parametrize("name, mode, last", [
    ("bert_large", "inf", 2), ("bert_large", "train", 30522), ("gpt2_large", "inf", 50257), ("opt_13", "inf", 50272),
])  # fmt: skip
def test_published_models_have_the_measured_heads(monkeypatch, name, mode, last):
    """The last product of the published operator lists: a 2-way classifier, or a vocabulary."""
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    eval_models = importlib.import_module("eval_models")
    with torch.device("meta"):
        model = eval_models.build(name, mode, layers=1)
    assert model.config._attn_implementation == "eager"
    widths = [m.out_features for m in model.modules() if isinstance(m, torch.nn.Linear)]
    assert last in widths[-2:]
    whole = {"bert_large": 24, "gpt2_large": 36, "opt_13": 24}
    with torch.device("meta"):
        assert eval_models.build(name, mode).config.num_hidden_layers == whole[name]


def test_published_training_step_accumulates_every_gradient(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    eval_models = importlib.import_module("eval_models")
    import transformers

    config = transformers.BertConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, vocab_size=50)
    model = transformers.BertForPreTraining(config)
    step = eval_models.make_step(model, "train", 2, 8, "cpu")
    step()
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("mode, form", [("inf", "fp16"), ("train", "fp32")])
def test_convolutional_steps_are_those_measured(monkeypatch, mode, form):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    eval_cnns = importlib.import_module("eval_cnns")
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 1000))
    step = eval_cnns.make_step(model, mode, form, "cpu", batch=2, size=8)
    step()
    weight = model[0].weight
    assert weight.dtype == (torch.float16 if form == "fp16" else torch.float32)
    assert (weight.grad is not None) == (mode == "train")
    if mode == "train":
        first = weight.grad.clone()
        step()
        assert torch.equal(first, weight.grad)  # cleared, not added up
