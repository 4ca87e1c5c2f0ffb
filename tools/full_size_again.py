"""Other training steps of full size than those of tools/full_size_steps.py: a clean test of what these led to, for docs/full-size-steps.md
(docs/decisions/0500). Usage as there.
"""

import sys

import full_size_steps as first
from full_size_steps import BOTH


def words_3b(batch):
    """Llama 3.2 of 3.2 billion parameters, all in bf16, with checkpoints, 2048 places."""
    import torch

    model = first.llama(hidden_size=3072, num_hidden_layers=28, num_attention_heads=24).to(torch.bfloat16)
    model.gradient_checkpointing_enable()
    return first.language(model, 128256, batch, 2048)


def vit_huge(batch):
    """ViT-H/14."""
    import torchvision

    return first.classifier(torchvision.models.vit_h_14(), (batch, 3, 224, 224), 1000)


def windows_and_grids(batch):
    """MaxViT-B: convolutions by channel, attention in windows and in grids."""
    import timm

    return first.classifier(timm.create_model("maxvit_base_tf_224", drop_path_rate=0.2), (batch, 3, 224, 224), 1000)


def speech_large(batch):
    """HuBERT-Large: 10 s of sound."""
    import transformers

    config = transformers.HubertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096, feat_extract_norm="layer", conv_bias=True,
        do_stable_layer_norm=True, apply_spec_augment=False, num_labels=64, layerdrop=0.0,
    )  # fmt: skip
    model = transformers.HubertForSequenceClassification(config).cuda().train()
    x, y = first.numbers(batch, 160000), first.integers(64, batch)
    return model, lambda: model(input_values=x, labels=y).loss


def pixels(batch):
    """SegFormer-B5, a class for each pixel of 512 x 512."""
    import transformers

    config = transformers.SegformerConfig(
        depths=[3, 6, 40, 3], hidden_sizes=[64, 128, 320, 512], decoder_hidden_size=768, num_labels=150
    )
    model = transformers.SegformerForSemanticSegmentation(config).cuda().train()
    x, y = first.numbers(batch, 3, 512, 512), first.integers(150, batch, 512, 512)
    return model, lambda: model(pixel_values=x, labels=y).loss


def regnet(batch):
    """RegNetY-16GF: groups of convolutions, squeezes."""
    import torchvision

    return first.classifier(torchvision.models.regnet_y_16gf(), (batch, 3, 224, 224), 1000)


def summary(batch):
    """BART-Large: 1024 places read, 256 written."""
    import transformers

    config = transformers.BartConfig()
    model = transformers.BartForConditionalGeneration(config).cuda().train()
    x, y = first.integers(50000, batch, 1024), first.integers(50000, batch, 256)
    return model, lambda: model(input_ids=x, labels=y).loss


# name: (step by batch size, small batch, large batch, number formats)
STEPS = {
    "words_3b": (words_3b, 1, 6, ("bf16",)),
    "vit_huge": (vit_huge, 16, 96, BOTH),
    "windows_and_grids": (windows_and_grids, 12, 64, BOTH),
    "speech_large": (speech_large, 4, 20, BOTH),
    "pixels": (pixels, 2, 12, BOTH),
    "regnet": (regnet, 32, 160, BOTH),
    "summary": (summary, 2, 12, BOTH),
}

if __name__ == "__main__":
    sys.exit(first.main(STEPS, "tools/full_size_again.py"))
