"""The estimator is an ordinary scikit-learn classifier."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugalforest.engine import Forest


@pytest.fixture(name="X")
def table():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture(name="y")
def target(X):
    return (X[:, 0] > 0).astype(int)


def test_rows_of_another_width_are_refused(X, y):
    with pytest.raises(ValueError, match="expecting 3 features"):
        Forest(n_trees=5).fit(X, y).predict(X[:, :2])


def test_a_forest_works_in_a_pipeline(X, y):
    X[3, 1] = np.nan
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), Forest(n_trees=50))
    assert cross_val_score(clone(pipeline), X, y, cv=3).mean() > 0.7
    assert pipeline.fit(X, y).predict(X).shape == (30,)


def expected_failures(forest):
    reason = "the bootstrap draws rows, not weights: a weight of 2 is not the row given twice"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
    }


@parametrize_with_checks([Forest(n_trees=20)], expected_failed_checks=expected_failures)
def test_scikit_learn_finds_an_ordinary_classifier(estimator, check):
    check(estimator)
