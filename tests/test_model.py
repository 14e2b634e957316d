"""A fitted model is the forest that was measured; its file gives it back and runs nothing."""

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest

from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.model import FittedModel
from frugalforest.problem import Problem


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 90)
    frame = pd.DataFrame(
        {
            "code": np.array(["007", "8", "x"])[labels],
            "noise": rng.normal(size=90),
            "weight": rng.normal(size=90) + labels,
        }
    )
    frame.loc[::9, "weight"] = np.nan
    y = np.array(["low", "mid", "high"])[labels]
    return frame, Problem.from_table(frame, y, forests=ForestSettings(n_trees=30))


@pytest.fixture(scope="module")
def fitted(problem):
    return FittedModel.fit(problem[1], (0, 2), {"seed": 0}), problem[0]


def test_the_model_is_the_forest_that_was_scored(problem, fitted):
    model, frame = fitted
    assert model.oob_error == problem[1].scores([(0, 2)])[0].oob_error
    votes = problem[1].predict([(0, 2)], problem[1].table)[0]
    np.testing.assert_array_equal(model.predict_proba(frame), votes / 30)


def test_the_model_of_one_of_two_equal_columns_is_the_forest_that_was_scored():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    signal = y + rng.normal(size=80)
    X = np.column_stack([signal, signal, rng.normal(size=80)])
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=15))
    for features in [(0, 2), (1, 2)]:
        model = FittedModel.fit(problem, features)
        assert model.oob_error == problem.scores([features])[0].oob_error
        votes = problem.predict([features], problem.table)[0]
        np.testing.assert_array_equal(model.predict_proba(X[:, features]), votes / 15)


def test_a_model_needs_its_own_columns_only_in_any_order(fitted):
    model, frame = fitted
    shares = model.predict_proba(frame)
    np.testing.assert_array_equal(model.predict_proba(frame[["weight", "code"]]), shares)
    assert model.features == ("code", "weight")
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_a_saved_model_predicts_the_same(fitted, tmp_path):
    model, frame = fitted
    model.save(tmp_path / "m.zip")
    loaded = FittedModel.load(tmp_path / "m.zip")
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert loaded.about == {"seed": 0}
    assert loaded.oob_error == model.oob_error
    assert [f.name for f in tmp_path.iterdir()] == ["m.zip"]


def test_the_same_model_gives_the_same_file(fitted, tmp_path):
    for name in ("one.zip", "two.zip"):
        fitted[0].save(tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize("labels", [[0, 1], [0.5, 1.5], [False, True], ["a", "b"], [2**60, 3]])
def test_classes_keep_their_type(tmp_path, labels):
    X, y = np.arange(40.0).reshape(-1, 1), np.array(labels * 20)
    model = FittedModel.fit(Problem.from_table(X, y, forests=ForestSettings(n_trees=5)), (0,))
    model.save(tmp_path / "m.zip")
    loaded = FittedModel.load(tmp_path / "m.zip")
    assert loaded.classes.dtype == model.classes.dtype
    assert loaded.classes.tolist() == sorted(labels)


def test_unseen_categories_are_missing(fitted):
    model, _ = fitted
    new = pd.DataFrame({"code": ["purple"], "weight": [0.0]})
    missing = pd.DataFrame({"code": [None], "weight": [0.0]})
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(missing))
    assert model.unseen(new) == {"code": ["purple"]}
    assert model.unseen(missing) == {}


def test_categories_that_look_like_numbers_stay_categories(fitted):
    model, _ = fitted
    new = pd.DataFrame({"code": ["007", "8"], "weight": ["0", "1"]})
    assert model.predict(new).tolist() == ["low", "mid"]
    assert model.unseen(new) == {}


def test_missing_columns_are_named_with_what_is_near(fitted):
    model, _ = fitted
    with pytest.raises(DataError, match=r"lacks 'code' \(Did you mean 'Code'\?\), 'weight'\."):
        model.predict(pd.DataFrame({"Code": ["x"]}))


# --- files that are no models ---------------------------------------------------------------------


class Boom:
    """Runs when it is unpickled."""

    def __reduce__(self):
        return print, ("boom",)


def boom_archive():
    """An array of Python objects, which NumPy would unpickle if it were let."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as parts:
        header = {"format": "frugalforest model", "format_version": 2}
        parts.writestr("model.json", json.dumps(header))
        array = io.BytesIO()
        np.lib.format.write_array(array, np.array([Boom()], dtype=object), allow_pickle=True)
        parts.writestr("left.npy", array.getvalue())
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n1,2\n", b"PAR1", b"PK\x03\x04", pickle.dumps(Boom()), boom_archive()],
)
def test_a_file_that_is_no_model_is_refused_and_not_run(tmp_path, capsys, content):
    file = tmp_path / "m.zip"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"m\.zip is no model"):
        FittedModel.load(file)
    assert capsys.readouterr().out == ""


def rewritten(file, **changes):
    """The file with other parts; a value of None leaves a part out."""
    with zipfile.ZipFile(file) as parts:
        content = {name: parts.read(name) for name in parts.namelist()}
    content |= changes
    with zipfile.ZipFile(file, "w") as parts:
        for name, part in content.items():
            if part is not None:
                parts.writestr(name, part)


def npy(array):
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


HEADER_CHANGES = {
    "another version": {"format_version": 1},
    "no schema": {"schema": None},
    "schema of numbers": {"schema": {"names": [1], "kinds": ["text"]}},
    "unknown kind": {"schema": {"names": ["code", "weight"], "kinds": ["text", "magic"]}},
    "fewer columns": {"schema": {"names": ["code"], "kinds": ["text"]}},
    "one class": {"classes": ["low"]},
    "classes of a kind each": {"classes": ["low", 1, None]},
    "fewer classes": {"classes": ["low", "mid"]},
    "a class twice": {"classes": ["low", "low", "mid"]},
    "classes too large": {"classes": [10**30, 1, 2]},
    "orders of text": {"orders": {"code": {"x": "first"}}},
    "orders of a stranger": {"orders": {"tree": {"x": 1}}},
    "an error in words": {"oob_error": "low"},
    "about a list": {"about": []},
}


@pytest.mark.parametrize("case", HEADER_CHANGES)
def test_every_wrong_field_of_the_header_is_one_clear_error(fitted, tmp_path, case):
    file = tmp_path / "m.zip"
    fitted[0].save(file)
    with zipfile.ZipFile(file) as parts:
        header = json.loads(parts.read("model.json"))
    rewritten(file, **{"model.json": json.dumps({**header, **HEADER_CHANGES[case]})})
    with pytest.raises(DataError, match=r"m\.zip"):
        FittedModel.load(file)


ARRAY_CHANGES = {
    "an array left out": {"left.npy": None},
    "a cycle": {"left.npy": lambda a: np.zeros_like(a)},
    "children out of range": {"left.npy": lambda a: a + 10_000},
    "a column out of range": {"column.npy": lambda a: np.where(a >= 0, 9, a).astype(a.dtype)},
    "another type": {"threshold.npy": lambda a: a.astype(np.float32)},
    "another shape": {"threshold.npy": lambda a: a[:-1]},
    "thresholds that are no numbers": {"threshold.npy": lambda a: a * np.nan},
    "votes for no class": {"vote.npy": lambda a: a + 7},
}


@pytest.mark.parametrize("case", ARRAY_CHANGES)
def test_arrays_that_are_no_forest_are_one_clear_error(fitted, tmp_path, case):
    file = tmp_path / "m.zip"
    fitted[0].save(file)
    arrays = fitted[0].forest.to_arrays()
    changes = {
        part: None if change is None else npy(change(arrays[part.removesuffix(".npy")]))
        for part, change in ARRAY_CHANGES[case].items()
    }
    rewritten(file, **changes)
    with pytest.raises(DataError, match=r"m\.zip"):
        FittedModel.load(file)


def test_an_array_that_claims_to_be_huge_takes_no_memory(fitted, tmp_path):
    file = tmp_path / "m.zip"
    fitted[0].save(file)
    header = npy(np.zeros(1, np.uint32)).replace(b"(1,), ", b"(99999999999999,), ")
    rewritten(file, **{"left.npy": header})
    with pytest.raises(DataError, match=r"m\.zip is no model"):
        FittedModel.load(file)


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_byte_gives_the_same_model_or_a_clear_error(fitted, tmp_path, seed):
    model, frame = fitted
    file = tmp_path / "m.zip"
    model.save(file)
    content = bytearray(file.read_bytes())
    rng = np.random.default_rng(seed)
    content[rng.integers(len(content))] ^= 1 << rng.integers(8)
    file.write_bytes(content)
    try:
        loaded = FittedModel.load(file)
    except DataError:
        return
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
