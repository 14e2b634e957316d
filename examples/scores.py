"""
Scores for an unbalanced problem
================================

Where one case in six is ill, somebody who calls everybody well is wrong for one case in six only,
and of no use. The balanced error counts both classes the same, and decisions follow it: a case is
called ill if it is likelier to be so than cases are in general.
"""

import numpy as np
import pandas as pd

from frugalforest import compare
from frugalforest.plotting import ConfusionDisplay, ReliabilityDisplay, RocDisplay

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(400, 8)), columns=[f"test {j}" for j in range(8)])
risk = X["test 0"] + 0.8 * X["test 1"] + 0.6 * X["test 2"] ** 2 + rng.normal(size=len(X))
y = np.where(risk > np.quantile(risk, 5 / 6), "ill", "well")
prices = dict(zip(X.columns, [8, 4, 4, 2, 2, 1, 1, 1], strict=True))

# %%
# Twice the same, with two scores. The one compares sets by the share of cases got wrong, the other
# by the mean of the shares of the ill and of the well.

budgets = [4, 8, 16]
results = {
    scoring: compare(
        X, y, prices, budgets, ["auc", "sts"], scoring=scoring, n_trees=200, n_resamples=8
    )
    for scoring in ("error", "balanced_error")
}
for scoring, result in results.items():
    best = result.best(16)
    found = best.diagnosis.sensitivity(0)
    right = best.diagnosis.specificity(0)
    bought = ", ".join(best.features)
    print(
        f"{scoring}: {bought} for {best.cost:g} find {found.value:.0%} of the ill "
        f"and leave {right.value:.0%} of the well alone"
    )

# %%
# How cases are called that took no part in the choice. The rarer class counts as positive unless
# ``positive`` says otherwise.

ConfusionDisplay.from_comparison(results["error"], 16)

# %%

ConfusionDisplay.from_comparison(results["balanced_error"], 16)

# %%
# Every other threshold would be a point on the ROC curve: more of the ill for more false alarms.
# The ring is where the forest decides, with 95 % intervals.

roc = RocDisplay.from_comparison(results["balanced_error"], 16)
print(f"AUC {roc.auc.value:.2f} ({roc.auc.low:.2f} to {roc.auc.high:.2f})")

# %%
# Can the shares be read as probabilities? On the diagonal they can.

ReliabilityDisplay.from_comparison(results["balanced_error"], 16)
