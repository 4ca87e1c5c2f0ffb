"""The steps of eval_models.py and eval_cnns.py, and all other convolutional networks of the same measurements, to be recorded without a GPU.

Usage: python3 -m habitat.recording --no-gpu --boundary mark --batch-size N -o FILE tools/published_steps.py CASE
       python3 tools/published_steps.py --list          cases that data/recordings/published holds, a line each: name, batch size
       python3 tools/published_steps.py --all FOLDER    records those that FOLDER lacks (seconds each; needs torchvision, transformers)
"""

import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "data/measurements/e2e_models.csv"
MODES = {"inference": "inf", "training_fwd_bwd": "train"}
LANGUAGE = {"BERT-Large": "bert_large", "GPT2-Large": "gpt2_large", "OPT-1.3B": "opt_13"}
ITERATIONS = 6


def measured():
    """Measured iterations: (case, batch size, GPU, machine, ms); cases as eval_models.py and eval_cnns.py name them."""
    with open(MEASURED, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            mode = MODES[row["mode"]]
            if row["source"] == "ryujaehun":
                case = f"{row['model']}-{mode}-{row['dtype']}"
            elif row["model"] in LANGUAGE and not row["options"]:
                case = f"{LANGUAGE[row['model']]}-{mode}-{row['seq_len']}-{row['global_batch']}"
            else:
                continue
            yield case, int(row["global_batch"]), row["gpu"], row["suite"], float(row["e2e_ms"])


def step_of(case):
    """A function that runs one iteration."""
    import eval_cnns
    import eval_models
    import torch

    if case.count("-") == 2:
        import torchvision

        model, mode, form = case.split("-")
        torch.backends.cudnn.benchmark = True
        eval_models.without_tf32()
        return eval_cnns.make_step(getattr(torchvision.models, model)(weights=None), mode, form, "cuda")
    name, mode, length, batch = case.rsplit("-", 3)
    eval_models.without_tf32()
    with torch.device("cuda"):
        model = eval_models.build(name, mode)
    return eval_models.make_step(model, mode, int(batch), int(length), "cuda")


def run(case):
    from habitat.recording import mark_iteration

    step = step_of(case)
    for _ in range(ITERATIONS):
        mark_iteration()
        step()


def record_all(folder):
    for case, batch in dict.fromkeys((case, batch) for case, batch, *_ in measured()):
        path = os.path.join(folder, f"{case}.json.gz")
        if os.path.exists(path):
            continue
        command = [sys.executable, "-m", "habitat.recording", "--no-gpu", "--quiet", "--boundary", "mark", "--batch-size", str(batch)]
        command += ["--model", case, "-o", path, "tools/published_steps.py", case]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        print(case, flush=True)
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(f"{case} {batch}" for case, batch in dict.fromkeys((case, batch) for case, batch, *_ in measured())))
    elif len(arguments) == 2 and arguments[0] == "--all":
        record_all(os.path.abspath(arguments[1]))
    elif len(arguments) == 1 and not arguments[0].startswith("-"):
        run(arguments[0])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tools"))
    sys.exit(main(sys.argv[1:]))
