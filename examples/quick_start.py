"""
Quick start
===========

Choose measurements for a diagnosis within a budget, and see what the choice is worth.

The table has thirty features of breast tumors: ten measurements of the cells, with three numbers
each. A measurement has a fee, its numbers cost 1 each.
"""

from sklearn.datasets import load_breast_cancer

from frugalforest import CostModel, compare

X, y = load_breast_cancer(return_X_y=True, as_frame=True)

measurement = {}
for name in X.columns:
    words = name.split(" ")
    measurement[name] = " ".join(word for word in words if word not in ("mean", "error", "worst"))
fees = dict.fromkeys(set(measurement.values()), 4.0) | {"radius": 8.0, "perimeter": 8.0}
costs = CostModel(1.0, groups=measurement, group_costs=fees)

# %%
# Three budgets and two methods, with few trees and resamples to be quick. The honest error of a
# budget is measured on rows that took no part in the choice.

result = compare(
    X, y, costs, budgets=[6, 12, 24], methods=["auc", "sts"], n_trees=200, n_resamples=6
)

for budget in result.budgets:
    best = result.best(budget)
    print(f"budget {budget:g}: {', '.join(best.features)}")
    print(f"  costs {best.cost:g}, honest error {best.honest.error:.3f}")
print("recommended budget:", result.cheapest_good().budget)

# %%
# What does more money buy? Each step says what more is spent, and how far the error falls.

for step in result.money_buys():
    print(
        f"{step.budget:g} to {step.next_budget:g}: {step.spent:g} more is spent, "
        f"the error falls by {100 * step.fall:.1f} percentage points"
    )

# %%
# The same as a picture. Where intervals overlap widely, methods cannot be told apart.

result.plot()
