"""Random calls of the Python functions: what is drawn, and what must be true afterwards.

A call returns something that obeys the laws, or raises a ValueError that says what is wrong. An
ImportError is for packages that are not installed.
"""

import copy
import functools
import io
import json
import tempfile
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from defects import watched, wrong_unless
from hypothesis import strategies as st

import frugalforest
from frugalforest import Comparison, CostModel, FrugalForestClassifier, compare
from frugalforest.methods import METHODS
from frugalforest.model import FittedModel
from frugalforest.scores import SCORES

SELECTORS = [name for name in frugalforest.__all__ if name.endswith("Selector")]
N_ROWS = 16


@dataclass(frozen=True)
class Call:
    """One of the functions below, and what it is given."""

    name: str
    given: dict[str, Any]


def check(call):
    """Make the call, twice if it succeeds, and raise a `DefectError` if there is one."""
    with watched(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = _CALLS[call.name](**copy.deepcopy(call.given))
        except (ValueError, ImportError) as error:
            wrong_unless(str(error).strip(), f"{type(error).__name__} without a message")
            return
        again = _CALLS[call.name](**copy.deepcopy(call.given))
        wrong_unless(found == again, f"the same call gave {found} and {again}")


def _check_sets(features, cost, budget, allowed, required=()):
    wrong_unless(len(set(features)) == len(features), f"bought twice: {features}")
    wrong_unless(set(features) <= set(allowed), f"not for sale: {features}")
    wrong_unless(set(required) <= set(features), f"required, not bought: {features}")
    if budget is not None:
        wrong_unless(cost <= float(budget) * (1 + 1e-12), f"{cost} spent of {budget}")


def _compare(X, y, costs, budgets, methods, **options):
    result = compare(
        X, y, costs, budgets, methods, n_trees=4, n_jobs=1, **{"random_state": 0, **options}
    )
    names = [facts.feature for facts in result.features if not facts.excluded]
    for selection in result.selections:
        _check_sets(selection.features, selection.cost, selection.budget, names)
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder, "r.json"))
        wrong_unless(
            Comparison.load(Path(folder, "r.json")).to_dict() == result.to_dict(),
            "saved and loaded, the results differ",
        )
    return result.to_dict()


def _classify(X, y, costs, budget, method):
    model = FrugalForestClassifier(
        method=method, costs=costs, budget=budget, n_trees=4, random_state=0
    ).fit(X, y)
    shares = model.predict_proba(X)
    wrong_unless(np.allclose(shares.sum(axis=1), 1), "shares do not add up to 1")
    support = np.flatnonzero(model.get_support()) if hasattr(model, "get_support") else []
    return shares.tolist(), list(map(int, support))


def _select(selector, X, y, costs, budget, parameters):
    model = getattr(frugalforest, selector)(costs=costs, budget=budget, random_state=0)
    parameters = {k: v for k, v in parameters.items() if k in model.get_params()}
    if "n_trees" in model.get_params():
        parameters.setdefault("n_trees", 4)
    model.set_params(**parameters).fit(X, y)
    chosen = np.flatnonzero(model.get_support()).tolist()
    _check_sets(chosen, model.total_cost_, budget, range(model.n_features_in_))
    return chosen, model.total_cost_


def _price(selected, n_features, **arguments):
    model = CostModel(**arguments)
    prices = model.align([f"f{j}" for j in range(n_features)])
    everything, part = (
        model.total([f"f{j}" for j in range(k)]) for k in (n_features, n_features // 2)
    )
    wrong_unless(0 <= part <= everything, f"a part costs {part}, everything {everything}")
    wrong_unless(np.isfinite(prices.feature_cost).all(), "a price is not finite")
    return everything, part, model.total(selected)


def _load_model(content):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "m.zip").write_bytes(content)
        model = FittedModel.load(Path(folder, "m.zip"))
    return model.predict_proba(_table()).tolist()


def _load_results(content):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "r.json").write_bytes(content)
        result = Comparison.load(Path(folder, "r.json"))
        result.to_html(Path(folder, "r.html"))
        return repr(result)


_CALLS = {
    "compare": _compare,
    "classify": _classify,
    "select": _select,
    "price": _price,
    "load model": _load_model,
    "load results": _load_results,
}


# --- what is drawn --------------------------------------------------------------------------------


def _table():
    rng = np.random.default_rng(0)
    columns = {f"f{j}": rng.normal(size=N_ROWS).round(2) for j in range(3)}
    return pd.DataFrame({**columns, "f3": ["red", "blue"] * (N_ROWS // 2)})


@functools.cache
def saved():
    """The bytes of a model and of results that are in order."""
    X, y = _table(), ["a", "b"] * (N_ROWS // 2)
    result = compare(X, y, None, [2], ["auc"], n_trees=4, n_resamples=2, random_state=0, n_jobs=1)
    with tempfile.TemporaryDirectory() as folder:
        model, results = Path(folder, "m.zip"), Path(folder, "r.json")
        result.fit(X, y, 2).save(model)
        result.save(results)
        return model.read_bytes(), results.read_bytes()


ODD = [None, float("nan"), float("inf"), -1, 0, 1, 2.5, 1e308, 2**70, True, "", "a", "1", "x\x00"]
ODD += [b"a", [], {}, (), 1j, [[]], {"f0": 1}, [1, 2], "tune", "sqrt", np.float32(1), np.nan]
odd = st.sampled_from(ODD)
cells = st.one_of(odd, st.floats(width=32), st.integers(-3, 3), st.text(max_size=3))


@st.composite
def tables(draw):
    """Most often a table of numbers, whatever its type."""
    kind = draw(st.sampled_from(["frame", "array", "binary", "objects", "lists", "odd", "huge"]))
    n_columns = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    numbers = rng.normal(size=(N_ROWS, n_columns)).round(draw(st.integers(0, 3)))
    if kind == "odd":
        return draw(odd)
    if kind == "binary":
        return rng.integers(0, 2, (N_ROWS, n_columns))
    if kind == "huge":
        return numbers * draw(st.sampled_from([1e300, 1e-310, 2.0**53, 1e305]))
    if kind == "array":
        numbers[rng.random(numbers.shape) < 0.1] = draw(st.sampled_from([np.nan, np.inf, 0]))
        return numbers
    frame = pd.DataFrame(numbers, columns=[f"f{j}" for j in range(n_columns)])
    if kind == "frame":
        return frame
    rows = [[draw(cells) for _ in range(n_columns)] for _ in range(N_ROWS)]
    return rows if kind == "lists" else pd.DataFrame(rows, dtype=object)


targets = st.one_of(
    st.just(["a", "b"] * (N_ROWS // 2)),
    st.just(np.arange(N_ROWS) % 3),
    st.sampled_from([["x"] * N_ROWS, list(range(N_ROWS)), [None, 1] * 8, [True, False] * 8, []]),
    st.lists(cells, min_size=N_ROWS, max_size=N_ROWS),
    odd,
)
price_values = st.one_of(st.integers(0, 5), odd)
names = st.sampled_from(["f0", "f1", "f2", "f3", "other", 0, 7, None])
prices = st.one_of(
    st.none(),
    st.lists(st.integers(0, 5), min_size=1, max_size=4),
    st.dictionaries(names, price_values, max_size=4),
    st.lists(price_values, max_size=4),
    odd,
)
money = st.one_of(st.integers(1, 6), odd)
labels = st.sampled_from(["a", "b", 0, 1, True, None, "", "x\x00", 2.5, float("nan"), (), b"a"])
methods = st.one_of(
    st.sampled_from([*METHODS]),
    st.lists(st.sampled_from([*METHODS]), min_size=1, max_size=2),
    odd,
)


@st.composite
def damaged_models(draw):
    """A model with a flipped byte, another field, or another part."""
    content = bytearray(saved()[0])
    if draw(st.booleans()):
        content[draw(st.integers(0, len(content) - 1))] ^= 1 << draw(st.integers(0, 7))
        return bytes(content)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        changed = draw(st.sampled_from(old.namelist()))
        for part in old.namelist():
            data = old.read(part)
            if part == changed:
                data = draw(_changed_json(data)) if part.endswith(".json") else draw(_cut(data))
            new.writestr(part, data)
    return file.getvalue()


@st.composite
def _cut(draw, data):
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.binary(max_size=9)) + data[at + draw(st.integers(0, 9)) :]


@st.composite
def _changed_json(draw, data):
    """A JSON text with one value, anywhere in it, replaced by another."""
    document = json.loads(data)
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        if not len(keys):
            break
        key = draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and draw(st.integers(0, 3)):
            place = place[key]
            continue
        plain = [v for v in ODD if isinstance(v, str | int | float | list | dict | None)]
        place[key] = draw(st.sampled_from(plain))
        break
    # With it, every change of results would be refused for that alone.
    document.pop("checksum", None)
    return json.dumps(document, default=str).encode()


@st.composite
def calls(draw):
    """A random call."""
    name = draw(st.sampled_from([*_CALLS]))
    if name == "load model":
        return Call(name, {"content": draw(damaged_models())})
    if name == "load results":
        content = saved()[1]
        change = st.one_of(_changed_json(content), _cut(content), st.binary(max_size=20))
        return Call(name, {"content": draw(change)})
    if name == "price":
        optional = {
            "costs": prices,
            "groups": st.one_of(st.dictionaries(names, st.sampled_from(["g", None, "", 1])), odd),
            "group_costs": st.one_of(st.dictionaries(st.sampled_from(["g", "h", 1]), money), odd),
            "required": st.one_of(st.lists(names, max_size=2), odd),
            "excluded": st.one_of(st.lists(names, max_size=2), odd),
        }
        wanted = draw(st.lists(st.sampled_from([*optional]), unique=True))
        given = {option: draw(optional[option]) for option in wanted}
        selected = draw(st.one_of(st.lists(names, max_size=3), odd))
        return Call(name, {"selected": selected, "n_features": draw(st.integers(1, 4)), **given})
    given = {"X": draw(tables()), "y": draw(targets), "costs": draw(prices)}
    if name == "select":
        parameters = draw(
            st.dictionaries(
                st.sampled_from(["n_trees", "xi", "racing", "max_depth", "n_jobs", "random_state"]),
                odd.filter(lambda value: value != 2**70),
                max_size=1,
            )
        )
        given |= {"selector": draw(st.sampled_from(SELECTORS)), "budget": draw(money)}
        return Call(name, {**given, "parameters": parameters})
    if name == "classify":
        return Call(name, {**given, "budget": draw(money), "method": draw(methods)})
    optional = {
        "n_resamples": st.one_of(st.integers(0, 2), odd),
        "test_share": odd,
        "xi": odd,
        "scoring": st.sampled_from([*SCORES, None, "accuracy", 1]),
        "error_costs": st.one_of(
            money, odd, st.dictionaries(st.tuples(labels, labels), money, max_size=4)
        ),
        "class_weight": st.one_of(st.just("balanced"), st.dictionaries(labels, money), odd),
        "row_groups": st.one_of(st.just([*range(4)] * 4), targets),
        "random_state": st.one_of(st.integers(0, 9), st.just(-1)),
        "racing": st.booleans(),
    }
    wanted = draw(st.lists(st.sampled_from([*optional]), unique=True, max_size=2))
    given |= {option: draw(optional[option]) for option in wanted}
    given.setdefault("n_resamples", draw(st.integers(0, 2)))
    budgets = draw(st.one_of(st.lists(st.integers(1, 6), min_size=1, max_size=3), money))
    return Call(name, {**given, "budgets": budgets, "methods": draw(methods)})
