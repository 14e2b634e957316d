"""Real prices with shared fees: Turney's costs of the tests in the Cleveland heart-disease data.

Needs the folder of data sets, named by the environment variable FRUGALFOREST_DATA.
"""

import pandas as pd

from frugalforest import CostModel, FrugalForestClassifier
from frugalforest.datasets import load_priced

heart = load_priced("heart_cleveland")
X = pd.DataFrame(heart.X, columns=heart.feature_names)
costs = CostModel.from_csv(heart.costs_path)

print(f"all thirteen tests, each on its own: {sum(costs.total([name]) for name in X):.2f}")
print(f"all thirteen tests, fees shared: {costs.total(list(X)):.2f}")

for budget in (30, 120, 250):
    model = FrugalForestClassifier(
        costs, budget=budget, method=["auc", "pfi", "sts"], n_trees=300, random_state=0
    ).fit(X, heart.y)
    print(f"for {budget}: {', '.join(model.selected_features_)} ({model.total_cost_:.2f})")
