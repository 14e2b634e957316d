"""A selector inside a scikit-learn pipeline, with its budget searched over."""

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

for budget, score in zip((2, 4, 8), search.cv_results_["mean_test_score"], strict=True):
    print(f"budget {budget}: accuracy {score:.3f}")
selector = search.best_estimator_["shallowtreeselector"]
print("chosen:", ", ".join(selector.get_feature_names_out()), "for", selector.total_cost_)
