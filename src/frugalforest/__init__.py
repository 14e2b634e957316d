"""Choose which features to measure, within a budget, for random forests."""

from frugalforest.costs import CostModel

__all__ = ["CostModel"]
