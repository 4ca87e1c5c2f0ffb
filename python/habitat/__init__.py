"""Habitat: predicts the time of a training iteration on GPUs you do not have."""

_LAZY = {
    "record": "habitat.recording",
    "record_iterations": "habitat.recording",
    "OperationTracker": "habitat.recording",
    "Device": "habitat.recording",
}


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module 'habitat' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
