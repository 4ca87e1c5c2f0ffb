"""`habitat record --no-gpu`: scripts whose loops go on, or end, by values that nobody knows."""

import pytest
from recording_helpers import HEAD, LOOP, QUICK, names, record_script, recorded

torch = pytest.importorskip("torch")

LINEAR = """
model = nn.Linear(4, 3).cuda()
optimizer = torch.optim.{optimizer}
x = torch.randn(6, 4, device="cuda")
"""


def test_the_curvature_of_lbfgs_is_more_than_nothing(tmp_path):
    """Without it the search goes along the gradient alone; with it each step looks back at all before."""
    body = LINEAR.format(optimizer="LBFGS(model.parameters(), max_iter=6)") + """
def closure():
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    return loss
for _ in range(12):
    optimizer.step(closure)
"""
    assert names(recorded(tmp_path, body), "cpu_op").count("aten::dot") > 60


def test_a_loop_that_waits_for_a_value_is_refused(tmp_path, capfd, monkeypatch):
    from habitat.recording.without_gpu import values

    monkeypatch.setattr(values, "IN_A_ROW", 50)
    code, _ = record_script(tmp_path, HEAD + "\ne = torch.randn(300, device='cuda')\nwhile e.max().item() > 1e-3:\n    e = e / 2\n", *QUICK)
    error = capfd.readouterr().err
    assert code == 1 and "asked for 50 times and at no other place" in error and "does not end" in error


def test_a_script_that_ends_by_values_is_told_so(tmp_path, capfd):
    body = LINEAR.format(optimizer="SGD(model.parameters(), lr=0.1)") + """
best, waited = float("inf"), 0
for _ in range(50):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    waited = 0 if loss.item() < best - 1e-3 else waited + 1
    best = min(best, loss.item())
    if waited == 1:
        break
"""
    code, _ = record_script(tmp_path, HEAD + body, *QUICK)
    error = capfd.readouterr().err
    assert code == 1 and "let it run longer" in error and "it had asked for values of tensors at train.py:" in error


def test_an_encoder_in_eval_is_its_layers(tmp_path):
    trace = recorded(tmp_path, """
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(2, 5, 8, device="cuda")
def step():
    model.eval()
    with torch.no_grad():
        taught = model(x)
    model.train()
    return (model(x) - taught).square().mean()
""" + LOOP)  # fmt: skip
    seen = names(trace, "cpu_op")
    assert not any("transformer_encoder" in name for name in seen) and seen.count("aten::addmm") == 2 * 3
    assert torch.backends.mha.get_fastpath_enabled()  # as before


def test_an_optimiser_on_the_host_is_told(tmp_path, capfd):
    body = LINEAR.format(optimizer="AdamW([p.detach().cpu().requires_grad_() for p in model.parameters()])") + """
for _ in range(12):
    model(x).square().mean().backward()
    for mine, theirs in zip(optimizer.param_groups[0]["params"], model.parameters()):
        mine.grad = theirs.grad.cpu()
    optimizer.step()
"""
    recorded(tmp_path, body)
    assert "an optimiser changes 15 numbers on the host" in capfd.readouterr().err
