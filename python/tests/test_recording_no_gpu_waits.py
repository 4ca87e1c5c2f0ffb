"""What `habitat record --no-gpu` notes of copies between the host and the GPU, and of where a script's CPU waits for its GPU."""

import pytest
from recording_helpers import HEAD, LINEAR, LOOP, QUICK, record_script, recorded

torch = pytest.importorskip("torch")

ON_GPU = LINEAR.format(to=".cuda()", device=", device='cuda'")
STREAM, DEVICE, EVENT = "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"
PAGES = "HtoD (Pageable -> Device)"

# a step that does `{lines}` besides
STEP = (
    HEAD
    + ON_GPU
    + """
plain = step
on_host, on_gpu, mask = torch.randn(3, 4), torch.randn(3, 4, device="cuda"), torch.ones(3, dtype=torch.bool)
gpu_mask = mask.cuda()
def step():
    {lines}
    return plain()
"""
    + LOOP
)


def noted(trace):
    """(copies, calls that wait) of the recorded iteration, in their order."""
    events = sorted(trace["traceEvents"], key=lambda e: e["ts"])
    copies = [e["args"]["Copy"] for e in events if "Copy" in e["args"]]
    return copies, [e["name"] for e in events if e["cat"] == "cuda_runtime"]


@pytest.mark.parametrize(
    "lines, copies, waits",
    [
        ("on_host.cuda()", [PAGES], [STREAM]),
        ("on_host.to('cuda')", [PAGES], [STREAM]),
        ("on_host.to(on_gpu)", [PAGES], [STREAM]),
        ("on_host.to('cuda', torch.float16)", [PAGES], [STREAM]),
        ("on_host.cuda(non_blocking=True)", [PAGES], []),
        ("on_host.to('cuda', non_blocking=True)", [PAGES], []),
        ("on_host.to('cuda', torch.float16, True)", [PAGES], []),
        ("on_host.pin_memory().cuda()", ["HtoD (Pinned -> Device)"], [STREAM]),
        ("on_host.pin_memory().to('cuda', non_blocking=True)", ["HtoD (Pinned -> Device)"], []),
        ("on_gpu.cpu()", ["DtoH (Device -> Pageable)"], [STREAM]),
        ("on_gpu.to('cpu', non_blocking=True)", ["DtoH (Device -> Pageable)"], []),
        ("on_gpu.copy_(on_host)", [PAGES], [STREAM]),
        ("on_gpu.copy_(on_host, non_blocking=True)", [PAGES], []),
        ("on_gpu.copy_(on_gpu + 1)", [], []),
        ("on_gpu.to('cuda'); on_gpu.half(); on_host.half()", [], []),
        ("torch.tensor([1.0, 2.0], device='cuda')", [PAGES], [STREAM]),
        ("on_gpu.sum().item()", [], [STREAM]),
        ("float(on_gpu.mean())", [], [STREAM]),
        ("on_host.sum().item()", [], []),
        ("on_gpu[gpu_mask]", [], [STREAM]),
        ("on_gpu[gpu_mask] = 1.0", [], []),
        ("on_gpu[gpu_mask] = torch.tensor(1.0)", [], []),
        ("on_gpu[gpu_mask] = torch.ones(4, device='cuda')", [], [STREAM]),
        ("on_gpu[gpu_mask, 0] = 1.0", [], []),
        ("on_gpu[torch.arange(2, device='cuda')] = 1.0", [PAGES], [STREAM]),
        ("on_gpu[0] = 1.0; on_gpu[:, 1:3] = 2.0", [], []),
        ("on_gpu[0, 0] = 1.0", [PAGES], [STREAM]),
        ("torch.where(gpu_mask[:, None], on_gpu, torch.tensor(0.0))", [PAGES], [STREAM]),
        ("torch.where(gpu_mask[:, None], on_gpu, 0.0)", [], []),
        ("torch.bincount(torch.arange(3, device='cuda'), minlength=4)", [], [STREAM]),
        ("torch.arange(3, device='cuda').tolist()", ["DtoH (Device -> Pageable)"], [STREAM]),
        ("on_gpu[torch.tensor([0, 1], device='cuda')]", [PAGES], [STREAM]),
        ("on_gpu[torch.tensor([0, 1])]", [PAGES], [STREAM]),
        ("on_gpu[torch.tensor([0, 1])] = 1.0", [PAGES] * 2, [STREAM] * 2),
        ("on_gpu[torch.tensor([0, 1]), torch.tensor([2, 3])]", [PAGES] * 2, [STREAM] * 2),
        ("on_gpu[torch.tensor([0, 1]).pin_memory()]", ["HtoD (Pinned -> Device)"], [STREAM]),
        ("on_host[torch.tensor([0, 1])]", [], []),
        ("on_gpu[mask]", ["HtoD (Pinned -> Device)"], []),
        ("(on_gpu.requires_grad_()[torch.tensor([0, 1])] ** 2).sum().backward()", [PAGES] * 2, [STREAM] * 2),
        ("gpu_mask.nonzero()", [], [STREAM]),
        ("on_gpu.masked_select(gpu_mask[:, None])", [], [STREAM]),
        ("torch.equal(on_gpu, on_gpu + 1)", [], [STREAM]),
        ("torch.cuda.synchronize()", [], [DEVICE]),
        ("torch.cuda.current_stream().synchronize()", [], [STREAM]),
        ("torch.cuda.Stream().synchronize()", [], [STREAM]),
        ("e = torch.cuda.Event(); e.record(); e.synchronize()", [], [EVENT]),
        ("e = torch.cuda.current_stream().record_event(); e.synchronize()", [], [EVENT]),
        ("e = torch.cuda.Event(); e.record(); on_gpu.add(1); e.synchronize()", [], []),
    ],
)
def test_copies_and_waits_are_noted(tmp_path, lines, copies, waits):
    code, path = record_script(tmp_path, STEP.format(lines=lines), *QUICK)
    assert code == 0
    from recording_helpers import read_trace

    assert noted(read_trace(path)) == (copies, waits)


@pytest.mark.parametrize(
    "lines, seen",
    [
        ("on_gpu[gpu_mask] = 1.0", ["aten::masked_fill_"]),
        ("on_gpu[0] = 1.0", ["aten::fill_"]),
        ("on_gpu[0, 0] = 1.0", ["aten::_to_copy"]),
        ("on_gpu[torch.arange(2, device='cuda')] = 1.0", ["aten::arange", "aten::_to_copy", "aten::index_put_"]),
        ("x = torch.zeros((), device='cuda').fill_(2); on_gpu.mul_(x)", ["aten::zeros", "aten::fill_", "aten::mul_"]),
    ],
)
def test_a_number_that_is_written_takes_the_kernels_that_it_does_on_a_gpu(tmp_path, lines, seen):
    """As counted on an H100."""
    trace = recorded(tmp_path, STEP.format(lines=lines))
    names = [e["name"] for e in sorted(trace["traceEvents"], key=lambda e: e["ts"]) if e["cat"] == "cpu_op"]
    assert names[: len(seen) + 1] == [*seen, "aten::randn"]


def test_a_loader_pins_what_it_is_asked_to(tmp_path):
    loop = """
data = torch.utils.data.TensorDataset(torch.randn(64, 4))
loader = iter(torch.utils.data.DataLoader(data, batch_size=2, pin_memory={pins}))
def step():
    return model(next(loader)[0].cuda(non_blocking=True)).sum()
"""
    for pins, memory in ((True, "Pinned"), (False, "Pageable")):
        folder = tmp_path / memory
        folder.mkdir()
        trace = recorded(folder, ON_GPU + loop.format(pins=pins) + LOOP)
        assert noted(trace) == ([f"HtoD ({memory} -> Device)"], [])


def test_a_scaler_asks_before_the_optimiser(tmp_path):
    source = """
scaler = torch.amp.GradScaler("cuda")
class Scaled:
    def zero_grad(self): optimizer.zero_grad()
    def step(self): scaler.step(optimizer); scaler.update()
given = step
def step():
    with torch.autocast("cuda", torch.float16):
        return scaler.scale(given())
"""
    trace = recorded(tmp_path, ON_GPU + source + LOOP.replace("optimizer.step()", "Scaled().step()"))
    assert noted(trace) == ([], [STREAM])


def test_gradients_of_running_products_take_the_way_of_plain_tensors(tmp_path):
    trace = recorded(tmp_path, ON_GPU.replace(".sum()", ".cumprod(-1).sum()") + LOOP)
    events = [e["name"] for e in sorted(trace["traceEvents"], key=lambda e: e["ts"])]
    first = next(i for i, name in enumerate(events) if "CumprodBackward" in name)
    assert events[first + 1 : first + 9] == ["aten::mul", "aten::eq", "aten::any", STREAM, "aten::flip", "aten::cumsum", "aten::flip", "aten::div"]
