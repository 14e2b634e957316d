"""compare() and its result: plan, tasks, assembly."""

from frugalforest.comparison.compare import compare
from frugalforest.comparison.result import Comparison

__all__ = ["Comparison", "compare"]
