"""Names the modules of the network that run in the recorded iterations."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional

from .observe import bare, compiled_code_runs


class ModuleRanges:
    """A range `nn.Module: Model.layer.sublayer` around every forward call, through the global forward hooks.

    Left out when compiled code runs in the process: hooks that are there while something compiles end up in the
    compiled code, and calls of compiled modules are gone anyway.
    """

    def __init__(self, make_range: Optional[Callable[[str], Any]] = None) -> None:
        self._make_range = make_range  # None: torch.profiler.record_function
        self._handles: List[Any] = []
        self._local = threading.local()
        self._names: Dict[int, str] = {}
        self._roots: List[Any] = []  # keeps named modules alive, so that an id stays theirs

    def start(self) -> None:
        if compiled_code_runs():
            return
        from torch.nn.modules import module as nn_module

        self._handles = [
            nn_module.register_module_forward_pre_hook(self._enter),
            nn_module.register_module_forward_hook(self._leave, always_call=True),
        ]

    def stop(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._names = {}
        self._roots = []

    def _enter(self, module: Any, inputs: Any) -> None:
        import torch

        if torch.compiler.is_compiling():
            return
        stack = self._local.__dict__.setdefault("stack", [])
        if not stack and id(module) not in self._names:
            self._name(module)
        name = self._names.get(id(module)) or type(module).__name__
        make_range = self._make_range or torch.profiler.record_function
        entered = make_range(f"nn.Module: {name}")
        entered.__enter__()
        stack.append((module, entered))

    def _leave(self, module: Any, inputs: Any, output: Any) -> None:
        stack = self._local.__dict__.get("stack")
        while stack:  # usually one; more where an exception passed inner modules
            inner, entered = stack.pop()
            entered.__exit__(None, None, None)
            if inner is module:
                return

    def _name(self, root: Any) -> None:
        self._roots.append(root)
        inside = bare(root)
        title = type(inside).__name__
        for path, part in inside.named_modules(remove_duplicate=True):
            self._names[id(part)] = f"{title}.{path}" if path else title
        self._names.setdefault(id(root), title)
