"""A short run of the random calls, and every defect that was found by one."""

import io
import json
import zipfile

import numpy as np
import pytest
from calls import N_ROWS, Call, calls, check, saved
from hypothesis import HealthCheck, given, settings

pytestmark = pytest.mark.slow

TABLE = np.random.default_rng(0).normal(size=(N_ROWS, 3))
CLASSES = ["a", "b"] * (N_ROWS // 2)


def compared(**given):
    usual = {"X": TABLE, "y": CLASSES, "costs": None, "budgets": [2], "methods": ["auc"]}
    return Call("compare", {**usual, "n_resamples": 1, **given})


def forward(**parameters):
    usual = {"selector": "ForwardSelector", "X": TABLE, "y": CLASSES, "costs": None, "budget": 2}
    return Call("select", {**usual, "parameters": parameters})


def classified(**given):
    usual = {"X": TABLE, "y": CLASSES, "costs": None, "budget": 2, "method": "auc"}
    return Call("classify", {**usual, **given})


def model_with(part, change):
    """A model file in which one part is another."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved()[0])) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    return Call("load model", {"content": file.getvalue()})


def header_with(**fields):
    return model_with("model.json", lambda c: json.dumps(json.loads(c) | fields).encode())


def results_with(**fields):
    document = json.loads(saved()[1]) | fields
    del document["checksum"]
    content = json.dumps(document).encode()
    return Call("load results", {"content": content})


FOUND = {
    "labels of several types": lambda: classified(y=["x", 0.5, b"a", 1] * (N_ROWS // 4)),
    "text that ends an array's header": lambda: model_with(
        "tree_start.npy", lambda c: c.replace(b"}", b"(")
    ),
    "an array's header that is no Python": lambda: model_with(
        "tree_start.npy", lambda c: c.replace(b"'descr':", b"'descr' '")
    ),
    "everything is free": lambda: compared(costs=[0, 0, 0], budgets=None),
    "seed beyond 64 bits": lambda: compared(random_state=2**64),
    "resamples without end": lambda: compared(n_resamples=2**70),
    "results with a feature that was never counted": lambda: results_with(
        selections=[
            {**selection, "frequencies": {"f0": 1.0}}
            for selection in json.loads(saved()[1])["selections"]
        ]
    ),
    "results with a weight of cost without end": lambda: results_with(
        selections=[
            {**selection, "xi": float("inf")} for selection in json.loads(saved()[1])["selections"]
        ]
    ),
    "racing that is no truth value": lambda: forward(racing=[[]]),
    "trees beyond 32 bits": lambda: forward(n_trees=99999999999),
    "prices whose sum overflows": lambda: compared(costs=[1e308, 1e308, 1]),
    "budgets whose sum overflows": lambda: compared(budgets=[1.6e308, 1.7e308]),
    "numbers beyond 32-bit floats": lambda: compared(X=TABLE * 1e300),
    "seconds since 1970": lambda: compared(X=1.7e9 + TABLE.round()),
    "whole numbers beyond 53 bits": lambda: classified(y=[2**53, 2**53 + 1] * (N_ROWS // 2)),
    "classes of a model that are none": lambda: header_with(classes=7),
    "kinds of a model that are none": lambda: header_with(schema={"names": ["f1"], "kinds": [1]}),
    "orders of a model that are none": lambda: header_with(orders={"f3": [1]}),
    "a model of the future": lambda: header_with(format_version=99),
    "results without features": lambda: results_with(features=[]),
    "results without selections": lambda: results_with(selections=[]),
    "results with a number for a list": lambda: results_with(methods_used=1),
    "nested without end": lambda: Call("load results", {"content": b"[" * 100_000}),
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_what_was_found_before_is_gone(found):
    check(found())


@settings(
    max_examples=250,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(calls())
def test_random_calls(call):
    check(call)
