"""Scripts of frameworks record without special code: Hugging Face's Trainer, torch.compile."""

import pytest
from recording_helpers import SHORT, names, read_trace, record_script, recorder_process

TRAINER = """
import torch, sys
from torch import nn
from transformers import Trainer, TrainingArguments

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x, labels):
        scores = self.layer(x)
        return {"loss": nn.functional.cross_entropy(scores, labels), "logits": scores}

data = [{"x": torch.randn(4), "labels": i % 2} for i in range(400)]
arguments = TrainingArguments(
    output_dir=sys.argv[1], per_device_train_batch_size=4, gradient_accumulation_steps=2, use_cpu=True, report_to=[],
    save_strategy="no", disable_tqdm=True,
)
Trainer(Model(), arguments, train_dataset=data).train()
"""

COMPILED = """
import torch
from torch import nn
from torch._dynamo.utils import counters
model = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(12):
    optimizer.zero_grad()
    model(torch.ones(6, 4)).sum().backward()
    optimizer.step()
print("compiled", counters["frames"]["total"], "times")
"""


def test_hugging_face_trainer_with_accumulation(tmp_path):
    code, output = record_script(tmp_path, TRAINER, args=(str(tmp_path / "out"),))
    assert code == 0
    trace = read_trace(output)
    assert trace["habitat"]["batch_size"] == 8 and trace["habitat"]["model"] == "Model"
    assert names(trace, "cpu_op").count("aten::addmm") == 2 * 2  # two micro-batches, two iterations


ACCELERATE = """
import torch
from torch import nn
from accelerate import Accelerator
accelerator = Accelerator(mixed_precision="bf16", cpu=True)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer = accelerator.prepare(model, optimizer)
for i in range(12):
    optimizer.zero_grad()
    accelerator.backward(MODEL(torch.ones(6, 4)).sum())
    optimizer.step()
"""


def test_autocast_that_accelerate_puts_into_forward(tmp_path):
    """A module without others in it: nothing runs between its own hooks and its forward."""
    (tmp_path / "train.py").write_text(ACCELERATE.replace("MODEL", "model"))  # its state is one a process
    done = recorder_process(tmp_path, *SHORT, "train.py")
    assert done.returncode == 0, done.stderr
    about = read_trace(tmp_path / "step.json.gz")["habitat"]
    assert about["autocast"] == "bfloat16" and about["parameter_dtype"] == "float32"


def test_autocast_of_the_trainer(tmp_path):
    script = TRAINER.replace("use_cpu=True", "use_cpu=True, bf16=True")
    code, output = record_script(tmp_path, script, args=(str(tmp_path / "out"),))
    assert code == 0 and read_trace(output)["habitat"]["autocast"] == "bfloat16"


def test_autocast_of_a_compiled_model(tmp_path):
    source = ACCELERATE.replace("for i", 'compiled = torch.compile(model, backend="eager")\nfor i').replace("MODEL", "compiled")
    (tmp_path / "train.py").write_text(source)
    done = recorder_process(tmp_path, *SHORT, "train.py")
    assert done.returncode == 0, done.stderr
    assert read_trace(tmp_path / "step.json.gz")["habitat"]["autocast"] == "bfloat16"


IN_PLACE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 8), nn.Linear(8, 2)
    def forward(self, x):
        return self.last(torch.relu(self.first(x)))
class Sequential(nn.Module):
    def __init__(self):
        super().__init__()
        self.inside = Net()
    def forward(self, x):
        return self.inside(x)
model = Sequential()
"""


@pytest.mark.parametrize("compiled", ["", "model.compile(backend='eager')\n"])
def test_compiled_model_is_not_compiled_anew(tmp_path, compiled):
    """In a process of its own: compiled code changes how later recordings in the process watch modules."""
    before, after = COMPILED.split("model = ", 1)
    source = before + IN_PLACE + compiled + after.split("\n", 1)[1] if compiled else COMPILED
    (tmp_path / "train.py").write_text(source)
    done = recorder_process(tmp_path, *SHORT, "--continue", "train.py")
    assert done.returncode == 0, done.stderr
    assert "compiled 1 times" in done.stdout
    trace = read_trace(tmp_path / "step.json.gz")
    assert not [n for n in names(trace) if n.startswith("nn.Module: ")]
    about = trace["habitat"]
    assert about["batch_size"] == 6 and about["model"] == "Sequential"
    assert about["memory"]["parameters_bytes"] == 4 * 58


def test_a_compiled_part_tells_nothing_of_the_whole(tmp_path):
    source = COMPILED.replace("model = torch.compile(", IN_PLACE + "model.inside.compile(backend='eager')\n#")
    source = source.replace("self.inside = Net()", "self.inside, self.other = Net(), nn.Linear(2, 2)")
    (tmp_path / "train.py").write_text(source)
    done = recorder_process(tmp_path, *SHORT, "--continue", "train.py")
    assert done.returncode == 0, done.stderr
    assert "compiled 1 times" in done.stdout
    about = read_trace(tmp_path / "step.json.gz")["habitat"]
    assert about["batch_size"] is None and about["model"] is None and about["memory"] is None
