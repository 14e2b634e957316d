"""Rows that belong together: what intervals make of them, and how an estimator gets them."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate

from frugalforest import FrugalForestClassifier, compare
from frugalforest.errors import DataError
from frugalforest.evaluation.diagnosis import LeftOutCases, diagnose
from frugalforest.evaluation.row_groups import (
    RowGroups,
    effective_number,
    read_row_groups,
    se_of_mean,
)
from frugalforest.scores import ERROR

QUICK = {"n_trees": 20, "n_resamples": 3}
RISK = 0.7  # of a case to be called right, on average


def clustered(rng, n_groups, similar):
    """Right or wrong of visits: of one person, all the same with probability `similar`."""
    sizes = rng.integers(1, 9, n_groups)
    group = np.repeat(np.arange(n_groups), sizes)
    of_group, of_row = rng.random(n_groups) < RISK, rng.random(len(group)) < RISK
    return np.where(rng.random(len(group)) < similar, of_group[group], of_row), group


def diagnosed(right, group=None):
    """Half of the cases of each class; `right` says whether each is called right."""
    labels = (np.arange(len(right)) % 2).astype(np.intp)
    called = np.where(right, labels, 1 - labels)
    evidence = np.eye(2)[called]
    rows = np.arange(len(right))
    each = np.full(len(right), 1 / len(right))
    cases = LeftOutCases(rows, evidence, each, np.array([1, 1]))
    groups = None if group is None else RowGroups.of(group)
    return diagnose([cases], labels, 2, ERROR, groups)


@pytest.mark.parametrize(("similar", "n_groups"), [(0.0, 60), (0.7, 60), (0.95, 60), (0.9, 25)])
def test_intervals_cover_on_clustered_data(similar, n_groups):
    rng = np.random.default_rng(1)
    n_draws, hits, plain_hits = 300, 0, 0
    for _ in range(n_draws):
        right, group = clustered(rng, n_groups, similar)
        own = diagnosed(right, group).sensitivity(1)
        plain = diagnosed(right).sensitivity(1)
        hits += own.low <= RISK <= own.high
        plain_hits += plain.low <= RISK <= plain.high
    # 95 % of 300 is 285, with a standard deviation of 4.
    assert hits / n_draws >= 0.91
    if similar >= 0.7:
        assert plain_hits / n_draws < 0.9


def test_single_rows_as_groups_change_nothing_but_the_few():
    right, _ = clustered(np.random.default_rng(0), 100, 0)
    alone, plain = diagnosed(right, np.arange(len(right))), diagnosed(right)
    for figure in ("sensitivity", "specificity", "positive_value", "observed_share"):
        one, other = getattr(alone, figure)(1), getattr(plain, figure)(1)
        assert one.value == other.value
        assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.03)


def test_the_standard_error_is_that_of_the_groups_means_if_they_have_one_size():
    values = np.array([0.0, 0.2, 1.0, 0.8, 0.4, 0.5])
    groups = RowGroups.of(np.array(["a", "a", "b", "b", "c", "c"]))
    means = values.reshape(3, 2).mean(axis=1)
    widened = 4.302652729911275 / 1.959963984540054  # Student's t, two degrees of freedom
    assert se_of_mean(values, groups) == pytest.approx(
        means.std(ddof=1) / np.sqrt(3) * widened, rel=1e-9
    )


def test_groups_that_are_all_right_count_once_each():
    groups = RowGroups.of(np.repeat(np.arange(7), 9))
    assert effective_number(np.ones(63), groups) == 7


@pytest.fixture(scope="module")
def visits():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(30), 5)
    age = rng.normal(size=30)[person]
    X = pd.DataFrame({"age": age, "lab": rng.normal(size=150)})
    return X, rng.integers(0, 2, 30)[person], person


def test_an_estimator_without_groups_is_fooled_and_with_them_is_not(visits):
    X, y, person = visits
    model = FrugalForestClassifier(**QUICK, random_state=0)
    fooled = model.fit(X, y).honest_error_.error
    own = model.fit(X, y, row_groups=person).honest_error_
    assert fooled < 0.1 < 0.3 < own.error


def test_groups_are_routed_through_a_search(visits):
    X, y, person = visits
    cv = GroupKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        model = FrugalForestClassifier(**QUICK, random_state=0).set_fit_request(row_groups=True)
        params = {"row_groups": person, "groups": person}
        found = cross_validate(model, X, y, cv=cv, params=params, return_estimator=True)
    for each, (train, _) in zip(found["estimator"], cv.split(X, y, person), strict=True):
        alone = FrugalForestClassifier(**QUICK, random_state=0)
        alone.fit(X.iloc[train], y[train], row_groups=person[train])
        assert each.honest_error_ == alone.honest_error_


def test_wrong_groups_are_refused(visits):
    X, y, person = visits
    with pytest.raises(DataError, match=r"`row_groups` has shape \(3,\), but the table has 150"):
        FrugalForestClassifier(**QUICK).fit(X, y, row_groups=person[:3])
    with pytest.raises(DataError, match="is missing in 1 rows"):
        read_row_groups(["a", None], 2)


@pytest.mark.parametrize("methods", [["auto"], ["auc"]])
def test_a_comparison_has_intervals_over_groups(visits, methods):
    rng = np.random.default_rng(5)
    _, y, person = visits
    X = pd.DataFrame({"lab": 1.5 * y + rng.normal(0, 0.7, 30)[person]})
    run = {"budgets": [1], "methods": methods, **QUICK, "verbose": 0}
    grouped = compare(X, y, row_groups=person, **run).best().diagnosis
    assert max(grouped.n_independent(1)) < 150
    one = grouped.sensitivity(1)
    n = grouped.n_cases[1]
    assert one.high - one.low > 1.3 * 2 * 1.96 * np.sqrt(one.value * (1 - one.value) / n)
