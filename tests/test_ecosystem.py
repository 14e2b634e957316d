"""What other libraries hand in, and what they do with a fitted estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import cross_validate

from frugalforest import AUCSelector, FrugalForestClassifier, compare
from frugalforest.errors import DataError
from frugalforest.tables import Table

N = 60
FRAMES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}
OUTPUTS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def classifier():
    return FrugalForestClassifier(budget=2, method="auc", n_trees=20, random_state=0)


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(0).integers(0, 2, N)


@pytest.fixture(scope="module")
def frame(labels):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=N) + 2 * labels,
            "bmi": rng.normal(size=N),
            "site": rng.choice(["north", "south"], N),
            "smoker": rng.random(N) < 0.5,
        }
    )
    frame.loc[3, "age"] = np.nan
    frame.loc[4, "site"] = None
    return frame


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_is_the_same_table(kind, frame):
    expected, table = Table.read(frame), Table.read(FRAMES[kind](frame))
    assert (table.names, table.kinds) == (expected.names, expected.kinds)
    for column, wanted in zip(table.columns, expected.columns, strict=True):
        np.testing.assert_array_equal(column, wanted)


@pytest.mark.parametrize("kind", FRAMES)
def test_estimators_take_every_kind_of_frame(kind, frame, labels):
    given, plain = FRAMES[kind](frame), classifier().fit(frame, labels)
    model = classifier().fit(given, labels)
    assert model.selected_features_.tolist() == plain.selected_features_.tolist()
    np.testing.assert_array_equal(model.predict_proba(given), plain.predict_proba(frame))
    for output, type_ in OUTPUTS.items():
        selector = AUCSelector(budget=2).set_output(transform=output)
        chosen = selector.fit(given, labels).transform(given)
        assert isinstance(chosen, type_)
        assert list(chosen.columns) == selector.get_feature_names_out().tolist()


def test_a_comparison_takes_an_arrow_table_and_array(frame, labels):
    options = {"budgets": 2, "methods": "auc", "n_trees": 20, "n_resamples": 0, "verbose": 0}
    arrow = compare(pa.Table.from_pandas(frame), pa.array(labels), **options)
    assert arrow.best().features == compare(frame, labels, **options).best().features


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1, 2]] * N),
        pl.Series([{"low": 1, "high": 2}] * N),
        pd.Series([None] * 2 + [(1, 2)] * (N - 2)),
        pd.Series([np.zeros(3)] * N),
    ],
    ids=["lists", "structs", "tuples", "arrays"],
)
def test_a_column_of_several_values_is_one_line(column):
    frame = (pl if isinstance(column, pl.Series) else pd).DataFrame({"age": range(N), "l": column})
    with pytest.raises(DataError, match=r"column 'l' holds several values in row [13] \("):
        Table.read(frame)


def test_weights_are_routed_through_cross_validation(frame, labels):
    weight = np.where(labels, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = classifier().set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=False)
        options = {"cv": 2, "return_estimator": True, "error_score": "raise"}
        routed = cross_validate(asking, frame, labels, params={"sample_weight": weight}, **options)
        plain = cross_validate(classifier(), frame, labels, **options)
        shares = [
            np.concatenate([model.predict_proba(frame) for model in run["estimator"]])
            for run in (routed, plain)
        ]
        assert not np.array_equal(*shares)
        with pytest.raises(ValueError, match="sample_weight"):
            cross_validate(asking, frame, labels, params={"sample_weight": weight[:5]}, **options)


def test_inspection_sees_what_was_bought_and_nothing_else(frame, labels):
    model = classifier().fit(frame, labels)
    bought = model.support_
    importances = permutation_importance(model, frame, labels, n_repeats=3, random_state=0)
    assert (importances.importances_mean[~bought] == 0).all()
    assert importances.importances_mean[frame.columns.get_loc("age")] > 0.1
    known = frame.fillna({"age": 0.0, "site": "north"})
    shares = partial_dependence(model, known, ["age"], grid_resolution=5)["average"][0]
    assert shares[-1] > shares[0] + 0.3
