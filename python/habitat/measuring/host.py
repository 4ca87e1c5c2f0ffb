"""What a host's CPU takes: to launch an empty kernel, and for the layers of a small network, forward and backward, Python included.

Three seconds, in parts taken in turns. A figure is the sum of its seconds by the number of its calls, not a median of short times: a
rival that takes turns of milliseconds is part of what the host is. How far the parts differ is its spread.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

PARTS = 4
PART_SECONDS = 0.25  # of one figure: three of them and four parts make 3 s
LAYERS = 8  # of each of three kinds
WIDTH = 64  # so small that the GPU is always done before the CPU
ROWS = 4
Part = Tuple[float, int]  # seconds, calls


def summed(parts: Sequence[Part], calls_of_one: float = 1.0) -> Tuple[float, float]:
    """(ns of one call, spread): over all parts; the spread is the largest less the smallest part, by that."""
    whole = sum(seconds for seconds, _ in parts) / sum(calls for _, calls in parts)
    each = [seconds / calls for seconds, calls in parts]
    return whole * 1e9 / calls_of_one, (max(each) - min(each)) / whole


def as_calibration(launch: Sequence[Part], forward: Sequence[Part], both: Sequence[Part], layers: int) -> Dict[str, float]:
    """`host` of a calibration; empty where something else ran beside, so that a step took no longer than its forward pass. `forward` and
    `both` (forward and backward) are of a network of so many layers."""
    launch_ns, launch_spread = summed(launch)
    forward_ns, forward_spread = summed(forward, layers)
    both_ns, both_spread = summed(both, layers)
    if both_ns <= forward_ns:
        return {}
    return {
        "launch_ns": round(launch_ns, 1), "launch_spread": round(launch_spread, 4),
        "forward_ns": round(forward_ns, 1), "forward_spread": round(forward_spread, 4),
        "backward_ns": round(both_ns - forward_ns, 1), "backward_spread": round(both_spread, 4),
    }  # fmt: skip


def timed(call: Callable[[], Any], wait: Callable[[], Any], batch: int, seconds: float) -> Part:
    """Calls for about so long. After each `batch` calls the GPU is waited for, which does not count: a launch never finds its queue full."""
    took, calls = 0.0, 0
    while took < seconds:
        begin = time.perf_counter()
        for _ in range(batch):
            call()
        took += time.perf_counter() - begin
        calls += batch
        wait()
    return took, calls


def _launch(device: str) -> Callable[[], Any]:
    """Launches a kernel that does nothing, by the shortest way that PyTorch has."""
    import torch

    if device == "cuda" and hasattr(torch.cuda, "_sleep"):
        return lambda: torch.cuda._sleep(0)
    one = torch.zeros(1, device=device)
    return lambda: one.add_(1.0)


def _network(device: str) -> Tuple[Callable[[], Any], Callable[[], Any], int]:
    """(forward, forward and backward, layers) of products, norms and activations."""
    import torch
    from torch import nn

    layers: List[nn.Module] = []
    for _ in range(LAYERS):
        layers += [nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU()]
    network = nn.Sequential(*layers).to(device)
    rows = torch.randn(ROWS, WIDTH, device=device)

    def both() -> None:
        network.zero_grad(set_to_none=True)
        with torch.enable_grad():
            network(rows).sum().backward()

    return lambda: network(rows), both, len(layers)


def measure(device: str = "cuda", seconds: float = PART_SECONDS) -> Dict[str, float]:
    """`host` of a calibration of this machine."""
    import torch

    wait: Callable[[], Any] = torch.cuda.synchronize if device == "cuda" else lambda: None
    forward, both, layers = _network(device)
    calls = ((_launch(device), 200), (forward, 10), (both, 5))
    parts: Tuple[List[Part], List[Part], List[Part]] = ([], [], [])
    for call, batch in calls:
        timed(call, wait, batch, seconds / 10)  # libraries are loaded, memory is allocated
    for _ in range(PARTS):
        for of, (call, batch) in zip(parts, calls):
            of.append(timed(call, wait, batch, seconds))
    return as_calibration(*parts, layers)


def told(host: Dict[str, float]) -> str:
    """One line for people."""
    if not host:
        return "host: not measured, something else ran beside it: run again with nothing else on this machine"
    words = []
    for name, what in (("launch", "a launch"), ("forward", "a layer forward"), ("backward", "backward")):
        words.append(f"{what} {host[name + '_ns'] / 1e3:.1f} us (spread {100 * host[name + '_spread']:.0f} %)")
    return "host: " + ", ".join(words)
