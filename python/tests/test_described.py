"""Every public name says what it is, and in which unit: `help(habitat.Prediction)` is enough to use it."""

import dataclasses
import inspect
import re

import pytest

import habitat
from habitat import recording

# What a name ends in, and how its description says that unit.
UNITS = {
    "_ms": "[ms]", "ms": "[ms]", "_bytes": "[bytes]", "_bytes_per_s": "[bytes/s]", "samples_per_s": "[samples/s]", "_w": "[W]",
    "_j": "[J]", "_kwh": "[kWh]", "hours": "[hours]", "usd": "[US dollars]", "usd_per_hour": "[US dollars/hour]",
    "usd_per_1000_iterations": "[US dollars]", "samples_per_usd": "[samples/US dollar]", "batch_size": "[samples]",
    "largest_batch": "[samples]",
}  # fmt: skip
PUBLIC = [(name, getattr(home, name)) for home in (habitat, recording) for name in home.__all__ if name != "__version__"]
CLASSES = [(name, thing) for name, thing in PUBLIC if inspect.isclass(thing)]


def unit_of(name):
    """The unit of the longest ending that fits."""
    ends = [end for end in UNITS if name == end or (end.startswith("_") and name.endswith(end))]
    return UNITS[max(ends, key=len)] if ends else None


def members(thing):
    return [(name, value) for name, value in vars(thing).items() if not name.startswith("_")]


def own_doc(thing):
    """Not that of a base class, nor what dataclass writes where there is none."""
    doc = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    return "" if not doc or doc.startswith(f"{thing.__name__}(") else doc


@pytest.mark.parametrize("name, thing", [(name, thing) for name, thing in PUBLIC if name != "ExplainedRow"])
def test_every_name_is_described(name, thing):
    assert own_doc(thing), name
    if not inspect.isclass(thing):
        return
    for member, value in members(thing):
        if inspect.isfunction(value):
            assert value.__doc__, f"{name}.{member}"


@pytest.mark.parametrize("name, thing", CLASSES)
def test_every_property_says_its_unit(name, thing):
    for member, value in members(thing):
        if isinstance(value, property):
            assert value.__doc__, f"{name}.{member}"
            assert unit_of(member) is None or unit_of(member) in value.__doc__, f"{name}.{member}"


@pytest.mark.parametrize("name, thing", [(name, thing) for name, thing in CLASSES if dataclasses.is_dataclass(thing)])
def test_every_field_is_described_with_its_unit(name, thing):
    doc = " ".join(own_doc(thing).split())
    for field in dataclasses.fields(thing):
        if field.name.startswith("_"):
            continue
        said = re.search(rf"`{field.name}`[^.;:]*", doc)
        assert said, f"{name}.{field.name}"
        unit = unit_of(field.name)
        assert unit is None or unit in said.group(), f"{name}.{field.name}: {said.group()}"


def test_there_are_properties_and_fields_to_look_at():
    properties = [member for _, thing in CLASSES for member, value in members(thing) if isinstance(value, property)]
    assert {"info", "gpu", "iteration_ms", "kernel_ms", "batch_size", "slow_rank", "rows", "run_time_ms"} <= set(properties)
    assert sum(dataclasses.is_dataclass(thing) for _, thing in CLASSES) >= 7
    assert (unit_of("iteration_ms"), unit_of("memory_bandwidth_bytes_per_s"), unit_of("gpu")) == ("[ms]", "[bytes/s]", None)
