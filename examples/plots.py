"""
Pictures of a comparison
========================

Three displays, in the manner of scikit-learn's: made by ``from_comparison``, with the numbers kept
as attributes.
"""

from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer

from frugalforest import compare
from frugalforest.plotting import FrontierDisplay, SelectionFrequencyDisplay, XiCurveDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
# Means cost 1, errors 2, worst values 3.
prices = {n: {"mean": 1.0, "worst": 3.0}.get(n.split(" ")[0], 2.0) for n in X.columns}
result = compare(
    X, y, prices, budgets=[2, 6, 15], methods=["auc", "pfi", "sts"], n_trees=200, n_resamples=6
)

# %%
# Error against money. Points are at what is spent, not at the budget.

display = FrontierDisplay.from_comparison(result)
print(display.curves["best"].error.round(3))

# %%
# The selection score against ξ, the weight of cost. These are scores that the choice was made by,
# not errors to expect.

XiCurveDisplay.from_comparison(result, budget=6)

# %%
# How often each feature was chosen in the resamples.

SelectionFrequencyDisplay.from_comparison(result, budget=6)

# %%
# Displays take the axes they are given, and the colours of the style in use.

with pyplot.style.context("dark_background"):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    FrontierDisplay.from_comparison(result, ax=left, methods=["auc", "sts"])
    XiCurveDisplay.from_comparison(result, 15, ax=right, methods=["auc", "sts"])
