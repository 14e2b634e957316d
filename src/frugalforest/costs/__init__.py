"""Prices: what a set of features costs, and whether it fits a budget.

Two classes. `CostModel` is what a user writes down: prices by name or in column order, groups that
share a fee, required and excluded features. `Prices` is the same bound to the columns of one table,
all numbers, and is what the methods compute with::

    CostModel ── align(feature_names) ──► Prices ── total, marginal, start ──► methods

The price of a set is the sum of its features' own costs, plus one fee for each group it touches.
It is monotone: adding a feature never makes a set cheaper.
"""

from frugalforest.costs.budget import Budget
from frugalforest.costs.doubts import price_doubts
from frugalforest.costs.model import CostModel
from frugalforest.costs.prices import Prices

__all__ = ["Budget", "CostModel", "Prices", "price_doubts"]
