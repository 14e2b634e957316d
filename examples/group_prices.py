"""
Real prices with shared fees
============================

P. Turney collected what the tests in the Cleveland heart-disease data cost. Tests that are made
together share a fee, as the two blood tests do.

This example needs the folder of data sets, named by the environment variable FRUGALFOREST_DATA.
"""

import pandas as pd
from matplotlib import pyplot

from frugalforest import CostModel, FrugalForestClassifier
from frugalforest.datasets import load_priced

heart = load_priced("heart_cleveland")
X = pd.DataFrame(heart.X, columns=heart.feature_names)
costs = CostModel.from_csv(heart.costs_path)

print(f"all thirteen tests, each on its own: {sum(costs.total([name]) for name in X):.2f}")
print(f"all thirteen tests, fees shared: {costs.total(list(X)):.2f}")

# %%
# What three budgets buy. A budget is a ceiling: what is spent may be less.

models = {}
for budget in (30, 120, 250):
    models[budget] = FrugalForestClassifier(
        costs, budget=budget, method=["auc", "pfi", "sts"], n_trees=300, random_state=0
    ).fit(X, heart.y)
    model = models[budget]
    print(f"for {budget}: {', '.join(model.selected_features_)} ({model.total_cost_:.2f})")

# %%
# Which of the tests the dearest forest relies on: the rise in error when a column is shuffled.
# Columns that were not bought have 0.

importances = pd.Series(models[250].feature_importances_, X.columns).sort_values()
importances[importances != 0].plot.barh()
pyplot.xlabel("Permutation importance (rise in out-of-bag error)")
pyplot.tight_layout()
