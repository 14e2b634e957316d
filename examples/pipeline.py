"""
A selector in a pipeline
========================

Selectors are scikit-learn transformers, so they go into a pipeline with any classifier, and their
budget can be searched over. Prices here are 1, 2 and 3 in turn.
"""

from matplotlib import pyplot
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from frugalforest import ShallowTreeSelector

X, y = load_wine(return_X_y=True, as_frame=True)
prices = {name: 1.0 + (place % 3) for place, name in enumerate(X.columns)}

pipeline = make_pipeline(
    ShallowTreeSelector(costs=prices, n_trees=100, random_state=0).set_output(transform="pandas"),
    StandardScaler(),
    LogisticRegression(max_iter=1000),
)
search = GridSearchCV(pipeline, {"shallowtreeselector__budget": [2, 4, 8]}, cv=3).fit(X, y)

# %%
# The selection is part of the pipeline, so the accuracies below are of rows that it did not see.

budgets = search.cv_results_["param_shallowtreeselector__budget"].astype(float)
accuracy = search.cv_results_["mean_test_score"]
for budget, score in zip(budgets, accuracy, strict=True):
    print(f"budget {budget:g}: accuracy {score:.3f}")

pyplot.errorbar(budgets, accuracy, search.cv_results_["std_test_score"], marker="o", capsize=3)
pyplot.xlabel("Budget")
pyplot.ylabel("Accuracy (± standard deviation over folds)")
pyplot.tight_layout()

# %%
# What was bought, in the order in which it was:

selector = search.best_estimator_["shallowtreeselector"]
for names, price in zip(selector.path_["names"], selector.path_["cumulative_cost"], strict=True):
    print(f"{', '.join(names)} (so far {price:g})")
