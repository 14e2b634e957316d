"""What fitted estimators say of themselves: importances, names on the path, documentation."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

import frugalforest
from frugalforest import AUCSelector, FrugalForestClassifier, ShallowTreeSelector, XiSearch
from frugalforest.engine import ForestSettings, permutation_gains
from frugalforest.evaluation.resampling import seed_on_all_rows
from frugalforest.problem import Problem
from frugalforest.words.documentation import ADDRESS_VARIABLE

SITE = "https://docs.example"
ESTIMATORS = [name for name in frugalforest.__all__ if hasattr(getattr(frugalforest, name), "fit")]
ESTIMATORS.remove("Comparison")


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(200, 6))
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(6)]), (2 * X[:, 0] + X[:, 1] > 0) * 1


@pytest.fixture
def model(table):
    return FrugalForestClassifier(
        budget=3, method="auc", xi=0, n_trees=50, random_state=0, n_jobs=1
    ).fit(*table)


def test_importances_are_those_of_the_engine_and_0_for_columns_not_bought(table, model):
    X, y = table
    settings = ForestSettings(n_trees=50)
    problem = Problem.from_table(X, y, random_state=seed_on_all_rows(0), forests=settings)
    bought = np.flatnonzero(model.support_)
    expected = permutation_gains(
        problem.data, problem.target, bought, problem.forest_seed, problem.forests
    )
    found = model.feature_importances_
    assert found.shape == (6,)
    np.testing.assert_array_equal(found[bought], expected)
    assert not found[~model.support_].any()
    assert found[0] > found[1] > 0.01


def test_importances_do_not_depend_on_threads_pickling_or_on_what_the_caller_does(model):
    before = model.feature_importances_
    again = pickle.loads(pickle.dumps(model))
    model.feature_importances_[:] = 7
    np.testing.assert_array_equal(model.feature_importances_, before)
    np.testing.assert_array_equal(again.set_params(n_jobs=2).feature_importances_, before)


def test_importances_are_of_the_last_fit(table, model):
    X, y = table
    before = model.feature_importances_
    model.fit(X[X.columns[::-1]], y)
    assert model.feature_importances_[5] > 0.1
    assert not np.array_equal(model.feature_importances_, before)


def test_importances_of_nothing_bought_are_0_and_before_a_fit_there_are_none():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = FrugalForestClassifier(budget=1, n_trees=20, n_resamples=3, random_state=0)
    assert not hasattr(model, "feature_importances_")
    with pytest.raises(NotFittedError):
        _ = model.feature_importances_
    model.fit(X, y)
    assert not model.support_.any()
    assert model.feature_importances_.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "selector",
    [
        AUCSelector(budget=3, random_state=0),
        ShallowTreeSelector(budget=3, n_trees=10, random_state=0),
        XiSearch(AUCSelector(budget=3, random_state=0), xis=[0, 1], n_trees=10),
    ],
    ids=["auc", "sts", "search"],
)
def test_the_path_has_names_where_the_table_has_names(table, selector):
    X, y = table
    path = selector.fit(X, y).path_
    assert list(path["names"]) == [tuple(f"f{j}" for j in step) for step in path["features"]]
    assert sum(len(names) for names in path["names"]) == selector.support_.sum()
    assert "names" not in selector.fit(X.to_numpy(), y).path_


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_links_to_its_page_where_there_is_a_site(monkeypatch, name):
    estimator = getattr(frugalforest, name)()
    monkeypatch.delenv(ADDRESS_VARIABLE, raising=False)
    assert SITE not in estimator_html_repr(estimator)
    monkeypatch.setenv(ADDRESS_VARIABLE, f"{SITE}/")
    page = f"{SITE}/generated/frugalforest.{name}.html"
    assert f'href="{page}"' in estimator_html_repr(estimator)


def test_an_estimator_of_somebody_else_does_not_link_to_ours(monkeypatch):
    monkeypatch.setenv(ADDRESS_VARIABLE, SITE)

    class Derived(AUCSelector):
        pass

    assert SITE not in estimator_html_repr(Derived())
