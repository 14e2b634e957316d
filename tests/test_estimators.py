"""The public estimators are scikit-learn estimators, and the classifier keeps its promises."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import frugalforest
from frugalforest import (
    AUCSelector,
    BackwardSelector,
    CostModel,
    ForwardSelector,
    FrugalForestClassifier,
    FrugalForestRegressor,
    LinearSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
)
from frugalforest.evaluation.resampling import seed_on_all_rows
from frugalforest.methods import PAPER_METHODS
from reference.priced_frame import PRICES, classifier, priced_frame

SELECTORS = {
    "auc": AUCSelector(random_state=0),
    "pfi": PermutationSelector(n_trees=10, random_state=0),
    "sts": ShallowTreeSelector(n_trees=10, random_state=0),
    "forward": ForwardSelector(n_trees=5, random_state=0),
}
SEARCHES = {
    name: XiSearch(selector, xis=[0, 1], n_trees=10) for name, selector in SELECTORS.items()
}
# Every class, with a budget, so that a selection takes place, and once each kind of value that a
# parameter may have. What the selectors do not share is tested elsewhere: one stands for all in the
# quick tests.
QUICKLY_CHECKED = [
    clone(SELECTORS["sts"]).set_params(budget=1),
    XiSearch(clone(SELECTORS["auc"]).set_params(budget=1), xis=[0, 1], n_trees=10),
    FrugalForestClassifier(budget=2, method=["auc", "pfi"], xi=0.5, n_trees=10, random_state=0),
]
SLOWLY_CHECKED = [
    SELECTORS["auc"],
    BackwardSelector(n_trees=10, random_state=0),
    LinearSelector(budget=1),
    *(clone(SELECTORS[name]).set_params(budget=1) for name in ("pfi", "forward")),
    FrugalForestClassifier(n_trees=10, n_resamples=2, random_state=0),
    FrugalForestRegressor(n_trees=10, method="auc", random_state=0),
    FrugalForestRegressor(n_trees=10, n_resamples=2, random_state=0),
]


def not_promised(estimator):
    """As for scikit-learn's own forests: rows are drawn, so a weight of 2 is not the row twice."""
    names = ("dense", "sparse")
    reason = "weights are in the trees, not in the draws"
    weighted = isinstance(estimator, FrugalForestClassifier)
    if not weighted:
        return {}
    return {
        "check_dataframe_column_names_consistency": "columns go by name, in any order",
        "check_class_weight_classifiers": "leaves are pure: weights choose splits, and little else",
        **{f"check_sample_weight_equivalence_on_{n}_data": reason for n in names},
    }


@parametrize_with_checks(QUICKLY_CHECKED, expected_failed_checks=not_promised)
def test_estimator_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(SLOWLY_CHECKED, expected_failed_checks=not_promised)
def test_the_other_estimators_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    public = {getattr(frugalforest, name) for name in frugalforest.__all__}
    estimators = {c for c in public if isinstance(c, type) and issubclass(c, BaseEstimator)}
    checked = {type(estimator) for estimator in (*QUICKLY_CHECKED, *SLOWLY_CHECKED)}
    assert checked == estimators


# --- data ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    return priced_frame()


selectors = pytest.mark.parametrize("selector", [*SELECTORS.values(), *SEARCHES.values()])


def priced(selector, **params):
    """A copy of a selector, or of the one that a search tunes, with prices and a budget."""
    params = {"costs": PRICES, "budget": 4} | params
    copy = clone(selector)
    if isinstance(copy, XiSearch):
        params = {f"selector__{name}": value for name, value in params.items()}
    return copy.set_params(**params)


# --- selectors among scikit-learn's tools ---------------------------------------------------------


@selectors
def test_selector_works_in_a_pipeline(selector, frame):
    X, y = frame
    scaler = StandardScaler().set_output(transform="pandas")
    tree = DecisionTreeClassifier(random_state=0)
    pipeline = make_pipeline(scaler, priced(selector), tree).fit(X, y)
    alone = priced(selector).fit(clone(scaler).fit_transform(X), y)
    chosen = X.columns[alone.support_]
    assert 0 < len(chosen) < X.shape[1]
    by_hand = clone(tree).fit(clone(scaler).fit_transform(X[chosen]).to_numpy(), y)
    np.testing.assert_array_equal(pipeline[-1].tree_.threshold, by_hand.tree_.threshold)


@selectors
def test_clone_has_the_same_prices_and_fits_the_same(selector, frame):
    X, y = frame
    groups = {"crp": "blood", "ldl": "blood"}
    original = priced(selector, costs=CostModel(PRICES, groups, {"blood": 0.5}))
    copy = clone(original)
    np.testing.assert_array_equal(copy.fit(X, y).support_, original.fit(X, y).support_)
    assert copy.total_cost_ == original.total_cost_


@selectors
def test_cross_validation_slices_rows_and_never_prices(selector):
    # As many rows in a training part as there are features: metadata of that length is sliced.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 20)), np.arange(40) % 2
    pipeline = make_pipeline(
        priced(selector, costs=np.linspace(1, 3, 20)), DecisionTreeClassifier(random_state=0)
    )
    found = cross_validate(pipeline, X, y, cv=2, error_score="raise", return_estimator=True)
    assert all(fitted[0].support_.shape == (20,) for fitted in found["estimator"])


@pytest.mark.parametrize("name", SELECTORS)
def test_grid_search_tunes_budget_and_xi(name, frame):
    X, y = frame
    pipeline = make_pipeline(priced(SELECTORS[name]), DecisionTreeClassifier(random_state=0))
    step = pipeline.steps[0][0]
    grid = {f"{step}__budget": [1, 4], f"{step}__xi": [0.0, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert search.best_estimator_[0].total_cost_ <= 4


def test_grid_search_reaches_the_selector_inside_a_search(frame):
    X, y = frame
    pipeline = make_pipeline(
        XiSearch(AUCSelector(PRICES, random_state=0), n_trees=20),
        DecisionTreeClassifier(random_state=0),
    )
    grid = {"xisearch__selector__budget": [1, 4], "xisearch__scoring": ["error", "brier"]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_estimator_[0].total_cost_ <= search.best_params_[next(iter(grid))]


def test_the_classifier_works_in_a_pipeline_and_in_a_grid_search(frame):
    X, y = frame
    to_frame = StandardScaler().set_output(transform="pandas")
    grid = {"frugalforestclassifier__budget": [1, 4], "frugalforestclassifier__xi": [0.0, "tune"]}
    pipeline = make_pipeline(to_frame, classifier())
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    best = search.best_estimator_[-1]
    assert best.total_cost_ <= best.budget
    assert (search.predict(X) == search.best_estimator_.predict(X)).all()
    assert cross_validate(pipeline, X, y, cv=2, error_score="raise")["test_score"].min() > 0.5


@selectors
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_selector_takes_and_gives_frames(selector, kind, frame):
    X, y = frame
    table = kind({name: X[name].to_numpy() for name in X.columns})
    plain = priced(selector).fit(X, y)
    fitted = priced(selector).set_output(transform="pandas" if kind is pd.DataFrame else "polars")
    chosen = fitted.fit_transform(table, y)
    assert isinstance(chosen, kind)
    assert list(chosen.columns) == fitted.get_feature_names_out().tolist()
    assert list(chosen.columns) == X.columns[plain.support_].tolist()
    np.testing.assert_array_equal(chosen.to_numpy(), X.loc[:, plain.support_].to_numpy())


@selectors
def test_prices_that_may_mean_something_else_are_warned_of(selector, frame):
    X, y = frame
    with pytest.warns(UserWarning, match="in the order of the columns .'age' costs 1") as warned:
        priced(selector, costs=list(PRICES.values())).fit(X, y)
    assert [w.filename for w in warned] == [__file__]
    labels_only = CostModel(PRICES, groups={"crp": "blood", "ldl": "blood"})
    with pytest.warns(UserWarning, match="groups, but no fees"):
        priced(selector, costs=labels_only).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        priced(selector, costs=list(PRICES.values())).fit(X.to_numpy(), y)


@selectors
def test_prices_by_name_follow_the_columns(selector, frame):
    X, y = frame
    turned = priced(selector).fit(X[X.columns[::-1]], y)
    straight = priced(selector).fit(X, y)
    assert set(turned.get_feature_names_out()) == set(straight.get_feature_names_out())
    assert turned.total_cost_ == pytest.approx(straight.total_cost_)


@selectors
def test_selector_transforms_tables_with_missing_values(selector, frame):
    X, y = frame
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    chosen = priced(selector).fit(X, y).transform(X)
    assert np.isnan(chosen).any()


@selectors
def test_selector_needs_no_prices_and_no_budget(selector, frame):
    X, y = frame
    fitted = priced(selector, costs=None, budget=None).fit(X, y)
    assert fitted.support_.all()
    assert fitted.total_cost_ == 6


# --- the classifier -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_predict_takes_a_frame_of_the_chosen_columns_in_any_order(kind, frame):
    X, y = frame
    model = classifier().fit(kind({name: X[name].to_numpy() for name in X.columns}), y)
    expected = model.predict_proba(kind({name: X[name].to_numpy() for name in X.columns}))
    for names in (model.selected_features_, model.selected_features_[::-1]):
        only = kind({name: X[name].to_numpy() for name in names})
        np.testing.assert_array_equal(model.predict_proba(only), expected)
    assert len(model.selected_features_) < 6


def test_predict_finds_the_chosen_columns_among_others(frame):
    X, y = frame
    model = classifier().fit(X, y)
    some = X[model.selected_features_].assign(other=1.0)
    np.testing.assert_array_equal(model.predict(some), model.predict(X))


def test_predict_takes_all_columns_and_one_more(frame):
    X, y = frame
    model = classifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X.assign(other="x")), model.predict(X))


@pytest.mark.parametrize("dtype", ["Float64", "Float32"])
def test_predict_takes_nullable_columns_of_the_chosen_features(dtype, frame):
    X, y = frame
    model = classifier().fit(X, y)
    with_gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.2)
    nullable = with_gaps[model.selected_features_].astype(dtype)
    expected = with_gaps.astype(np.float32 if dtype == "Float32" else np.float64)
    np.testing.assert_array_equal(model.predict_proba(nullable), model.predict_proba(expected))


def test_predict_does_not_read_columns_that_it_does_not_need(frame):
    X, y = frame
    model = classifier().fit(X, y)
    some = X[model.selected_features_].assign(name="Ann")
    np.testing.assert_array_equal(model.predict(some), model.predict(X))


def test_predict_names_a_chosen_column_that_is_not_there(frame):
    X, y = frame
    model = classifier().fit(X, y)
    absent = model.selected_features_[0]
    with pytest.raises(ValueError, match=absent):
        model.predict(X.drop(columns=absent))


def test_classifier_says_what_it_chose(frame):
    X, y = frame
    model = classifier(method=["auc", "pfi"]).fit(X, y)
    assert model.total_cost_ == pytest.approx(sum(PRICES[n] for n in model.selected_features_))
    assert model.total_cost_ <= 4
    assert X.columns[model.support_].tolist() == model.selected_features_.tolist()
    tried = model.selection_
    assert list(tried) == [
        "method",
        "xi",
        "features",
        "n_features",
        "total_cost",
        "score",
        "oob_error",
        "brier",
    ]
    assert set(tried["method"]) == {"auc", "pfi"}
    assert {len(column) for column in tried.values()} == {len(tried["xi"])}
    at = (tried["method"] == model.method_) & (tried["xi"] == model.xi_)
    assert at.sum() == 1
    assert tried["oob_error"][at] == tried["oob_error"].min() == model.selection_score_
    assert tried["features"][at][0] == tuple(np.flatnonzero(model.support_).tolist())
    assert tried["total_cost"][at] == model.total_cost_


def test_final_forest_is_the_one_by_which_the_set_was_scored(frame):
    X, y = frame
    model = classifier(n_trees=7).fit(X, y)
    assert model.model_.forest.n_trees == 7
    assert model.model_.features == tuple(model.selected_features_)
    assert model.model_.oob_error == model.selection_score_


def test_classifier_and_selectors_take_text_categories_and_dates():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = pd.DataFrame(
        {
            "colour": np.where(y ^ (rng.random(80) < 0.1), "red", "blue"),
            "size": pd.Categorical(rng.choice(["small", "large"], 80)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, 80), unit="D"),
            "known": pd.array(rng.random(80) < 0.5, dtype="boolean"),
        }
    )
    X.loc[3, "colour"] = None
    prices = {"colour": 1.0, "size": 1.0, "day": 1.0, "known": 1.0}
    model = classifier(costs=prices, budget=1).fit(X, y)
    assert model.selected_features_.tolist() == ["colour"]
    assert model.score(X, y) > 0.8
    np.testing.assert_array_equal(model.predict(X[["colour"]]), model.predict(X))
    for selector in SELECTORS.values():
        chosen = priced(selector, costs=prices, budget=1).fit(X, y)
        assert chosen.get_feature_names_out().tolist() == ["colour"]
    array = X.to_numpy(dtype=object)
    np.testing.assert_array_equal(
        classifier(costs=1.0, budget=1).fit(array, y).predict_proba(array), model.predict_proba(X)
    )


def test_fixed_xi_is_used_as_it_is(frame):
    X, y = frame
    model = classifier(xi=0.7).fit(X, y)
    assert model.xi_ == 0.7
    assert model.selection_["xi"].tolist() == [0.7]


@pytest.mark.parametrize("method", PAPER_METHODS)
def test_classifier_chooses_what_the_method_alone_chooses(method, frame):
    X, y = frame
    X, y = X.iloc[::2], y[::2]
    # Their own forests in proportion to those of 20 trees in place of 1,000.
    alone = {
        "auc": AUCSelector(),
        "pfi": PermutationSelector(n_trees=20),
        "sts": ShallowTreeSelector(n_trees=10),
        "forward": ForwardSelector(n_trees=10),
    }[method]
    # The classifier draws as `compare` does.
    alone = priced(alone, xi=1.0, random_state=seed_on_all_rows(0)).fit(X, y)
    model = classifier(method=method, xi=1.0).fit(X, y)
    np.testing.assert_array_equal(model.support_, alone.support_)


def test_all_methods_are_tried_and_the_best_is_kept_if_the_method_is_tuned():
    # Two columns tell the classes, but only together: permutation importance, whose forest has all
    # columns, is the one to find them.
    X = np.random.default_rng(0).normal(size=(120, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    params = {"costs": None, "budget": 2, "xi": 1.0}
    model = classifier(method="tune", **params).fit(X, y)
    alone = [classifier(method=name, **params).fit(X, y) for name in PAPER_METHODS]
    assert model.selection_["method"].tolist() == list(PAPER_METHODS)
    assert model.selection_["oob_error"].tolist() == [one.selection_score_ for one in alone]
    assert model.method_ == "pfi"
    assert model.selected_features_.tolist() == [0, 1]
    assert model.selection_score_ == model.selection_["oob_error"].min()


@pytest.mark.parametrize("method", ["auc", pytest.param("auto", marks=pytest.mark.slow)])
def test_weights_of_rows_reach_the_forests(method, frame):
    X, y = frame
    rare = np.where(y == "ill", 1.0, 30.0)
    params = {"method": method, "n_resamples": 2, "n_trees": 50}
    plain = classifier(**params).fit(X, y)
    weighted = classifier(**params).fit(X, y, sample_weight=rare)
    assert not np.array_equal(plain.predict_proba(X), weighted.predict_proba(X))
    equal = classifier(**params).fit(X, y, sample_weight=np.full(len(y), 2.0))
    ones = classifier(**params).fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_array_equal(equal.predict_proba(X), ones.predict_proba(X))
    # Without weights cuts that tie may be told apart otherwise.
    np.testing.assert_allclose(equal.predict_proba(X), plain.predict_proba(X), atol=0.1)
    # A class without weight is never named.
    one_sided = classifier(**params).fit(X, y, sample_weight=(y == "ill").astype(float))
    assert set(one_sided.predict(X)) == {"ill"}
    with pytest.raises(ValueError, match="Negative values"):
        classifier(**params).fit(X, y, sample_weight=-rare)


def test_classifier_predicts_labels_as_they_were_given(frame):
    X, y = frame
    model = classifier().fit(X, y)
    assert model.classes_.tolist() == ["ill", "well"]
    assert set(model.predict(X)) == {"ill", "well"}
    assert model.score(X, y) > 0.9


def test_classifier_takes_three_classes_and_missing_values():
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = FrugalForestClassifier([1, 2, 3, 4], budget=4, method="auc", n_trees=20, random_state=0)
    shares = model.fit(X, y).predict_proba(X)
    assert shares.shape == (150, 3)
    assert model.score(X, y) > 0.8


def test_classifier_gives_the_same_answer_for_any_number_of_threads(frame):
    X, y = frame
    one, two = (classifier(method="sts", xi=1.0, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.support_, two.support_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_fit_leaves_frames_labels_and_prices_alone(frame):
    X, y = frame
    X_given, y_given, prices_given = X.copy(), y.copy(), dict(PRICES)
    classifier(costs=prices_given).fit(X_given, y_given)
    pd.testing.assert_frame_equal(X_given, X)
    np.testing.assert_array_equal(y_given, y)
    assert prices_given == PRICES


@pytest.mark.parametrize("method", ["auc", pytest.param("sts", marks=pytest.mark.slow)])
def test_outer_test_rows_never_reach_the_selection(method):
    # Labels are coins, so the honest error is ½. 200 columns for 60 rows: a selection that saw the
    # test rows would find columns that fit them by chance. Over 5 tables of 60 rows the share of
    # errors has a standard error of sqrt(0.25 / 300) = 0.029, and four of them are allowed. A
    # selection that sees the test rows is outside them (next test).
    assert abs(mean_noise_error(method, leaky=False) - 0.5) < 4 * 0.029


@pytest.mark.slow
def test_noise_shows_whether_test_rows_reach_the_selection():
    assert mean_noise_error("auc", leaky=True) < 0.5 - 4 * 0.029


def mean_noise_error(method, leaky):
    """Error by cross-validation where labels have nothing to do with the table."""
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 200)), rng.permutation(np.arange(60) % 2)
        model = FrugalForestClassifier(
            budget=10, method=method, xi=1.0, n_trees=50, random_state=seed
        )
        if leaky:
            X = X[:, clone(model).fit(X, y).support_]
        folds = StratifiedKFold(3, shuffle=True, random_state=seed)
        errors.append(1 - cross_val_score(model, X, y, cv=folds, error_score="raise").mean())
    return np.mean(errors)


def test_a_frame_may_have_its_columns_in_any_order_and_more_of_them():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    y = (X["b"] + X["d"] > 0).astype(int)
    model = FrugalForestClassifier(budget=2, method="auc", n_trees=20, random_state=0).fit(X, y)
    expected = model.predict_proba(X)
    for other in (X[list("dcba")], X[["d", "b"]], X.assign(e=1)[list("ebdac")]):
        np.testing.assert_array_equal(model.predict_proba(other), expected)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["a", "b", "c"]])
