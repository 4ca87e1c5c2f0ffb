"""Records BERT-Large, GPT2-Large and OPT-1.3B as others measured them, for comparison with published times.

Usage: python3 tools/eval_models.py CASE OUTPUT      e.g. bert_large-inf-512-8 bert.json.gz
       python3 tools/eval_models.py --list

The cases are the `source=neusight` rows of the public measurement bundle that fit: fp32 with TF32 off, eager attention,
token ids all ones, forward under no_grad (`inf`) or forward + backward without optimiser and with dropout
(`train`). Task heads as in their operator lists: BERT classifies sequences in inference and has both
pre-training heads in training, the others are language models. Needs the package `transformers`; nothing is
downloaded, weights are random.
"""

import sys

import torch

CASES = (
    "bert_large-inf-512-8",
    "bert_large-inf-512-16",
    "bert_large-train-512-2",
    "bert_large-train-512-8",
    "gpt2_large-inf-1024-4",
    "gpt2_large-inf-1024-8",
    "gpt2_large-train-1024-1",
    "opt_13-inf-2048-2",
    "opt_13-inf-2048-8",
)


def build(name, mode, layers=None):
    """A randomly initialised model on the CPU or default device; `layers` makes it shorter, for tests."""
    import transformers as hf

    eager = {"attn_implementation": "eager"}
    if name == "bert_large":
        config = hf.BertConfig(
            hidden_size=1024, num_hidden_layers=layers or 24, num_attention_heads=16, intermediate_size=4096, **eager
        )
        return hf.BertForPreTraining(config) if mode == "train" else hf.BertForSequenceClassification(config)
    if name == "gpt2_large":
        return hf.GPT2LMHeadModel(hf.GPT2Config(n_embd=1280, n_layer=layers or 36, n_head=20, **eager))
    if name == "opt_13":
        config = hf.OPTConfig(
            hidden_size=2048, num_hidden_layers=layers or 24, num_attention_heads=32, ffn_dim=8192,
            word_embed_proj_dim=2048, **eager,
        )  # fmt: skip
        return hf.OPTForCausalLM(config)
    raise ValueError(f"unknown model {name}")


def make_step(model, mode, batch, length, device):
    """A function that runs one iteration: forward, or forward and backward of the summed outputs."""
    tokens = torch.ones(batch, length, dtype=torch.long, device=device)
    model = model.to(device).train(mode == "train")

    def infer():
        with torch.no_grad():
            model(input_ids=tokens)

    ones = []  # gradients of the outputs, made once: the loss was not timed

    def train():  # gradients add up and are never cleared, as in the published measurement
        outputs = model(input_ids=tokens).to_tuple()
        scores = [t for t in outputs if isinstance(t, torch.Tensor)]
        if not ones:
            ones.extend(torch.ones_like(t) for t in scores)
        torch.autograd.backward(scores, ones)

    return train if mode == "train" else infer


def command(arguments, doc, cases, record):
    """The command line of this tool and of eval_cnns.py: `--list`, or a case and the file to record it to."""
    if arguments == ["--list"]:
        print("\n".join(cases))
        return 0
    if len(arguments) != 2 or arguments[0] not in cases:
        print(doc, file=sys.stderr)
        return 2
    torch.manual_seed(0)
    case, output = arguments
    info = record(case, output)
    print(f"{case}: {info['iteration_ms']:.3f} ms")
    return 0


def without_tf32():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def record_case(case, output):
    import habitat

    name, mode, length, batch = case.rsplit("-", 3)
    without_tf32()
    with torch.device("cuda"):
        model = build(name, mode)
    step = make_step(model, mode, int(batch), int(length), "cuda")
    return habitat.record_iterations(
        step, path=output, iterations=1, warmup=3, timed=10, batch_size=int(batch), model=case, compact=True,
        pause=1.0, command=f"tools/eval_models.py {case}",
    )


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:], __doc__, CASES, record_case))
