"""
Numbers as targets
==================

Predict how a disease goes on, a number, from what a budget can pay for.

The table has ten baseline measurements of 442 patients, and a measure of the disease a year later.
Six of them come from one blood draw, which has a fee.
"""

from sklearn.datasets import load_diabetes

from frugalforest import CostModel, FrugalForestRegressor, compare

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)

serum = [f"s{i}" for i in range(1, 7)]
prices = {"age": 0, "sex": 0, "bmi": 1, "bp": 2} | dict.fromkeys(serum, 3)
costs = CostModel(prices, groups=dict.fromkeys(serum, "blood"), group_costs={"blood": 5})

# %%
# The honest error is the root mean squared error in the unit of the target, on rows that took no
# part in the choice. Beside it stands R².

result = compare(X, y, costs, budgets=[3, 12, 20], methods="auto", n_trees=100, n_resamples=5)

for budget in result.budgets:
    best = result.best(budget)
    print(f"budget {budget:g}: {', '.join(best.features)}")
    print(
        f"  costs {best.cost:g}, off by {best.honest.error:.1f}, R² {best.diagnosis.r2.value:.2f}"
    )

# %%
# Error against money, with the error of always answering with the mean.

result.plot()

# %%
# The same as an estimator of scikit-learn's.

model = FrugalForestRegressor(costs, budget=12, n_trees=100, n_resamples=3, random_state=0)
model.fit(X, y)
print(model.selected_features_.tolist(), model.honest_error_.error)
print(model.predict(X[model.selected_features_])[:3])
