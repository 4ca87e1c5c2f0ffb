"""tools/accuracy_summary.py: the section in docs/accuracy.md is what its tables give, small tables worked by hand, and a table that
is missing is an error."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools/accuracy_summary.py"

METHODS = "| method | cases | mean % | median % | worst % | within low..high |\n|---|--:|--:|--:|--:|--:|\n"
PER_GPU = "| GPU | rows | seen | left out, two rates | interval, two rates |\n|---|---|---|---|---|\n"
KINDS = "| GPU | format | rows | seen | left out | interval, left out |\n|---|---|---|---|---|---|\n"

OPERATIONS = (
    "## Per operation\n\n### gemm\n\n" + PER_GPU
    # the mean row says 12.1: it is taken, the mean of rounded cells would be 12.0
    + "| T4 | 10 | 8.0 | 10.0 | 90.0 |\n| P4 | 30 | 12.0 | 14.0 | 70.0 |\n| **mean** |  | 10.0 | 12.1 | 80.0 |\n| worst |  | 12.0 | 14.0 | - |\n\n"
    "### copy\n\n" + PER_GPU + "| T4 | 5 | 3.0 | - | - |\n| **mean** |  | 3.0 | - | - |\n\n"
    "## Convolutions and recurrent layers\n\n### rnn\n\n" + KINDS
    # two formats of one GPU: two lines of the mean, one GPU
    + "| T4 | fp32 | 4 | 10.0 | 20.0 | 50.0 |\n| T4 | fp16 | 6 | 20.0 | 40.0 | 70.0 |\n\n"
)
LANGUAGE = (
    "## End to end\n\n2 recordings of the T4 (`data`) onto 3 iterations.\n\n1 of the cases are on a P4 and counted apart: said so.\n\n"
    + METHODS
    + "| auto | 2 | 4.0 | 4.0 | 5.0 | 50 % |\n| auto, estimated rates | 2 | 6.0 | 6.0 | 7.0 | 100 % |\n\nBy GPU:\n\n"
    "| GPU | cases | auto |\n|---|--:|--:|\n| P4 | 1 | 20.0 |\n| V100-PCIE-32GB | 2 | 4.0 |\n\nEvery case:\n\n"
    "| mode | GPU | measured ms | low..high ms | error % |\n|---|---|--:|--:|--:|\n"
    "| inference | V100-PCIE-32GB | 100.0 | 90.0..101.0 | -3.0 |\n| inference | V100-PCIE-32GB | 100.0 | 101.0..110.0 | +5.0 |\n"
    "| inference | P4 | 100.0 | 75.0..85.0 | -20.0 |\n\nApart:\n\n| model |\n|---|\n| x |\n\n"
)
AMD = (
    "## End to end: GPUs of AMD\n\n" + METHODS + "| auto | 2 | 3.0 | 3.0 | 4.0 | 100 % |\n\nBy GPU:\n\n| GPU | cases | auto |\n|---|--:|--:|\n| MI100 | 2 | 3.0 |\n\n"
    "Every case:\n\n| mode | GPU |\n|---|---|\n| inference | MI100 |\n\n"
)
NETWORKS = (
    "## End to end: convolutional networks\n\n1 recordings of the T4 onto 1.\n\nRecorded in fp16, LeNet:\n\n" + METHODS
    + "| auto | 1 | 9.0 | 9.0 | 9.0 | 0 % |\n\nEvery case:\n\n| mode | recorded in | GPU |\n|---|---|---|\n| training_fwd_bwd | fp16 | T4 |\n"
)
HOSTS = (
    "\n### What their hosts take\n\n| cases | number | sum | signed | inside | replay | longer |\n|---|--:|--:|--:|--:|--:|--:|\n"
    "| fp16, the measured host may be most of it | 2 | 40.0 (50) | -40.0 | 50 % | 30.0 (35) | 12.0 (20) |\n"
    "| fp16, others | 1 | 9.0 (9) | +9.0 | 100 % | 9.0 (9) | 9.0 (9) |\n\nThose:\n\n| model |\n|---|\n| x |\n"
)
ORIGINS = (
    "\n## From other GPUs\n\n| from, onto | cases | mean % | worst % | signed % | inside | high over low |\n|---|--:|--:|--:|--:|--:|--:|\n"
    "| all | 5 | 5.9 | -15.1 | +0.1 | 63 % | 1.13 |\n| from A100 | 2 | 5.1 | +11.1 | +1.7 | 75 % | 1.13 |\n| from T4 | 3 | 4.9 | -15.1 | -4.7 | 64 % | 1.13 |\n"
    "| onto T4 | 2 | 5.6 | -6.7 | -3.1 | 75 % | 1.13 |\n| apart: from or onto the P4 | 24 | 22.3 | -46.3 | -14.9 | 17 % | 1.13 |\n"
)
SHAPES = (
    "\n## From shapes alone\n\n| language models, fp32 | cases | mean error % | worst | inside the interval |\n|---|--:|--:|--:|--:|\n"
    "| T4 | 2 | 4.8 | +12.5 | 80 % |\n| **all but P4** | 3 | 3.4 | -7.5 | 88 % |\n\n"
    "| convolutional networks | cases | mean error % | worst | inside the interval |\n|---|--:|--:|--:|--:|\n"
    "| fp32, T4 | 4 | 20.0 | +34.1 | 78 % |\n| fp32, **all** | 5 | 23.3 | +91.8 | 73 % |\n| fp16, **all** | 6 | 22.5 | -76.4 | 70 % |\n\n| net |\n|---|\n| x |\n"
)
PAIRS = (
    "\n## Pairs: the same steps recorded on two GPUs\n\nFrom T4 to L4:\n\n"
    "| method | steps | mean | median | worst | inside the interval |\n|---|--:|--:|--:|--:|--:|\n| auto | 3 | 6.4 | 5.1 | 18.2 | 74 % |\n\n"
    "Every step:\n\n| step | from | to |\n|---|---|---|\n| bert_b2_amp_bf16 | T4 | L4 |\n| bert_b2_fp32 | T4 | L4 |\n"
    "\n## Pairs: other models\n\nFrom L4 to T4:\n\n"
    "| method | steps | mean | median | worst | inside the interval |\n|---|--:|--:|--:|--:|--:|\n| auto | 2 | 1.4 | 1.1 | 2.2 | 50 % |\n"
)
WANTED = (
    "| language models, fp32, onto V100-PCIE-32GB | 2 | 4.0 | 5.0 | 50 % |",
    "| the same, with rates estimated instead of measured | 2 | 6.0 | 7.0 | 100 % |",
    "| the same models onto P4, counted apart | 1 | 20.0 | 20.0 | 0 % |",
    "| LeNet, fp16 | 1 | 9.0 | 9.0 | 0 % |",
    "| these networks, fp16, the measured host may be most of it (the longer of sum and that host: 12.0) | 2 | 40.0 | 50 | 50 % |",
    "| these networks, fp16, others | 1 | 9.0 | 9 | 100 % |",
    "| operations of language models, fp32, timed by others on A100, T4, onto each other | 5 | 5.9 | 15.1 | 63 % |",
    "| language models, fp32, no recording at all (shapes alone), P4 left out | 3 | 3.4 | 7.5 | 88 % |",
    "| convolutional networks, fp32, not bound by the host, shapes alone | 5 | 23.3 | 91.8 | 73 % |",
    "| convolutional networks, fp16, not bound by the host, shapes alone | 6 | 22.5 | 76.4 | 70 % |",
    "| training steps with optimiser, from T4 to L4 | 3 | 6.4 | 18.2 | 74 % |",
    "| the same of other models, from L4 to T4 | 2 | 1.4 | 2.2 | 50 % |",
    "| gemm | 2 | 40 | 10.0 (12.0) | 12.1 (14.0) | 80.0 |",
    "| rnn | 1 | 10 | 15.0 (20.0) | 30.0 (40.0) | 60.0 |",
    "| language models, fp32, onto AMD's MI100 | 2 | 3.0 | 4.0 | 100 % |",
    "* **Origins.** All recordings that were judged are of: T4. Of other GPUs, operations that were timed one by one stand",
)

failures = []


def check(holds, what):
    print(("ok - " if holds else "not ok - ") + what)
    if not holds:
        failures.append(what)


def run(text):
    with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
        file.write(text)
        file.flush()
        return subprocess.run([sys.executable, TOOL, file.name], capture_output=True, text=True, check=False)


made = run(OPERATIONS + LANGUAGE + NETWORKS + HOSTS + AMD + ORIGINS + SHAPES + PAIRS)
for line in WANTED:
    check(line in made.stdout.splitlines(), line)
check("**Vendors.**" not in made.stdout, "every vendor was measured")
check("(T4): copy." in made.stdout and "3.0 to 3.0 % off" in made.stdout, "a class of one GPU is named, not averaged")
check("In autocast to bf16 only the training steps of the pairs were judged. No whole step was in tf32 or bf16 or fp8." in " ".join(made.stdout.split()), "formats that no step was in")

for text, message in (
    (OPERATIONS + NETWORKS, "no table under End to end"),
    (LANGUAGE + NETWORKS, "no table of operations"),
    (OPERATIONS + LANGUAGE, "no table of convolutional networks"),
    (OPERATIONS + LANGUAGE + NETWORKS, "no table under End to end: convolutional networks / What their hosts take"),
    (OPERATIONS + LANGUAGE + NETWORKS + HOSTS, "no table under From other GPUs"),
    (OPERATIONS + LANGUAGE + NETWORKS + HOSTS + ORIGINS + SHAPES, "no table under End to end: GPUs of AMD"),
    (OPERATIONS + LANGUAGE + NETWORKS + HOSTS + ORIGINS, "no table under From shapes alone"),
    (OPERATIONS.replace("**mean**", "middle") + LANGUAGE + NETWORKS + HOSTS, "no row with GPU = mean"),
    (OPERATIONS + LANGUAGE.replace("| auto |", "| other |", 1) + NETWORKS + HOSTS + AMD + ORIGINS + SHAPES, "no row with method = auto"),
):
    bad = run(text + PAIRS)
    check(bad.returncode == 1 and bad.stdout == "" and message in bad.stderr, "refused: " + message)

bad = run(OPERATIONS + LANGUAGE + NETWORKS + HOSTS + AMD + ORIGINS + SHAPES)
check(bad.returncode == 1 and "Pairs" in bad.stderr or "no table of pairs" in bad.stderr, "refused: no table of pairs")

page = (ROOT / "docs/accuracy.md").read_text()
section = "## In one screen" + page.partition("## In one screen")[2].partition("\n## ")[0]
check(section.strip() == run(page).stdout.strip(), "docs/accuracy.md: the summary is what the tables below it give")
sys.exit(1 if failures else 0)
