"""Recording where there is no GPU: a script runs as if it had one, on tensors that have shapes and no values.

    device.py     what `torch.cuda` and tensors say of themselves; modules move
    fake.py       the tensors: PyTorch's FakeTensorMode, which also sees every operation
    kernels.py    what each operation runs on a GPU: the operations that are noted of it
    layouts.py    what operations copy first, and how they lay out what they write
    crossing.py   copies between the host's memory and the GPU's, and where the CPU waits
    dispatch.py   operations that take another way on a GPU than on a CPU: attention, recurrent layers, autocast
    packed.py     sequences of several lengths in one tensor
    autocast.py   which operations autocast widens and narrows
    distributed.py  a group of one process; models inside DistributedDataParallel
    known.py      values of small tensors, which are computed beside the shapes
    values.py     what a script gets that asks for a value
    own.py       what scripts and libraries bring: classes of tensors, kernels in Triton
    events.py     operations as events of a trace
    recorder.py   all of them together, and the profiler of a Session
"""

from __future__ import annotations

from .recorder import Pretence

__all__ = ["Pretence"]
