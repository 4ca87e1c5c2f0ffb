"""Measuring this GPU: `habitat collect` sweeps operations into a dataset, `habitat calibrate` takes half a minute."""

from __future__ import annotations
