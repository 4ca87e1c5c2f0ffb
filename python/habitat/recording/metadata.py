"""What is written about a recording next to its events: the top-level `habitat` object (schema 1)."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any, Callable, Dict, List, Optional

from . import timing
from .clock import HostClock
from .command import shown

SCHEMA = 1


def gpu_in_use() -> Optional[int]:
    """Index of the CUDA device in use, or None without one."""
    import torch

    return torch.cuda.current_device() if torch.cuda.is_initialized() else None


def describe(
    times_ms: List[List[float]],
    *,
    clock: Optional[HostClock] = None,
    batch_size: Optional[int] = None,
    model: Optional[str] = None,
    command: Optional[str] = None,
    memory: Optional[Dict[str, int]] = None,
    boundary: Optional[str] = None,
    iterations: Optional[int] = None,
    precision: Optional[Dict[str, Optional[str]]] = None,
    timer: Optional[str] = None,
    kept: Optional[Dict[str, Any]] = None,
) -> Dict[str, Any]:
    """The `habitat` object. `times_ms` are groups of unprofiled iterations [ms], empty if none was timed; `command` is
    this process's command line where it is None, and left out where it is empty."""
    import torch

    device = gpu_in_use()
    info = {
        "schema": SCHEMA,
        **timing.describe(times_ms),
        **(clock or HostClock()).describe(),
        "batch_size": batch_size,
        "model": model,
        "framework": f"torch {torch.__version__}",
        "peak_memory_bytes": (memory or {}).get("allocated"),
        "peak_memory_reserved_bytes": (memory or {}).get("reserved"),
        "peak_host_memory_bytes": _peak_host_memory_bytes(),
        "memory": kept,
        "command": shown(sys.argv) if command is None else command or None,
        "timer": timer,
        "boundary": boundary,
        "profiled_iterations": iterations,
        "gpu": torch.cuda.get_device_name(device) if device is not None else None,
        "rank": _int_of("RANK"),
        "world_size": _int_of("WORLD_SIZE"),
    }
    info.update({"parameter_dtype": None, "autocast": None, **(precision or {})})
    info.update(precision_settings(device is not None))
    info.update(_versions(device is not None))
    return info


def precision_settings(with_gpu: bool = True) -> Dict[str, Any]:
    import torch

    return {
        "default_dtype": str(torch.get_default_dtype()).replace("torch.", ""),
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "matmul_allow_tf32": _read(lambda: torch.backends.cuda.matmul.allow_tf32) if with_gpu else None,
        "cudnn_allow_tf32": _read(lambda: torch.backends.cudnn.allow_tf32) if with_gpu else None,
        "cudnn_benchmark": torch.backends.cudnn.benchmark if with_gpu else None,
        "cudnn_deterministic": torch.backends.cudnn.deterministic if with_gpu else None,
    }


def _versions(with_gpu: bool) -> Dict[str, Any]:
    import torch

    return {
        "python_version": platform.python_version(),
        "cuda_version": torch.version.cuda,
        "hip_version": torch.version.hip,
        "cudnn_version": torch.backends.cudnn.version() if with_gpu else None,
        "driver_version": _driver_version() if with_gpu else None,
        "host": {"cpu": _cpu_name(), "cpus": os.cpu_count(), "system": platform.system(), "kernel": platform.release()},
    }


def _read(getter: Callable[[], Any]) -> Any:
    """A torch flag, or None: mixed use of old and new TF32 settings makes reading them an error."""
    try:
        return getter()
    except RuntimeError:
        return None


def _peak_host_memory_bytes() -> int:
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _driver_version() -> Optional[str]:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        out = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return out.split()[0] if out.split() else None


def _cpu_name() -> Optional[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.lower().startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or None


def _int_of(variable: str) -> Optional[int]:
    value = os.environ.get(variable, "")
    return int(value) if value.isdigit() else None
