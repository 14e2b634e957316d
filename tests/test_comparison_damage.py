"""Saved results that were changed are refused in one line that names what is wrong."""

import json
from dataclasses import replace

import pytest

from frugalforest import Comparison
from frugalforest.errors import DataError
from frugalforest.storage.records import to_plain
from reference.sample_results import demo


def comparison():
    return Comparison(**{name: getattr(demo(), name) for name in demo().__dataclass_fields__})


@pytest.fixture
def file(tmp_path):
    comparison().save(tmp_path / "results.json")
    return tmp_path / "results.json"


def test_what_was_saved_is_loaded(file):
    assert to_plain(Comparison.load(file)) == to_plain(comparison())


def test_a_changed_digit_is_refused(file):
    text = file.read_text(encoding="utf-8")
    changed = text.replace('"n_rows": 569', '"n_rows": 568')
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    with pytest.raises(
        DataError, match=r"results.json was changed .* remove the line \"checksum\""
    ):
        Comparison.load(file)


def test_a_meant_change_is_read_without_the_checksum(file):
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["checksum"]
    document["about"]["title"] = "Another title"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert Comparison.load(file).about.title == "Another title"


def changed(**fields):
    return lambda results: replace(results, **fields)


def changed_first(part, **fields):
    def change(results):
        first, *others = getattr(results, part)
        return replace(results, **{part: (replace(first, **fields), *others)})

    return change


INCOHERENT = {
    "features": (changed(features=()), "features does not have one entry for each column"),
    "methods": (changed(methods_used=()), "settings.methods and methods_used differ"),
    "selections": (changed(selections=()), "selections does not have one entry for each budget"),
    "procedures": (changed(procedures=()), "procedures does not have one entry for each budget"),
    "versions": (changed(versions={}), "versions does not say which"),
    "never bought": (changed(never_bought=("x",)), "never_bought names features that"),
    "a name": (changed_first("selections", features=("x",)), "selections[0] names features that"),
    "a price": (changed_first("features", cost=-1.0), "features[0] has a price that is no amount"),
    "a cost": (changed_first("selections", cost=1e9), "selections[0].cost is not within"),
    "an error": (changed_first("selections", honest=None), "selections[0].honest does not go with"),
    "a method": (changed_first("procedures", method="x"), "procedures[0] names methods that"),
    "rows": (
        lambda r: replace(r, data=replace(r.data, n_rows=1)),
        "data.class_counts do not add up to data.n_rows",
    ),
    "classes": (
        lambda r: replace(r, data=replace(r.data, classes=("a",))),
        "do not have an entry for each class",
    ),
    "budgets": (
        lambda r: replace(r, settings=replace(r.settings, budgets=(5.0, 5.0, 20.0, 40.0))),
        "settings.budgets are not in ascending order",
    ),
}


@pytest.mark.parametrize(("change", "message"), INCOHERENT.values(), ids=INCOHERENT)
def test_parts_that_do_not_belong_together_are_refused(tmp_path, change, message):
    # With a checksum that is right: whoever changed it wrote that, too.
    change(comparison()).save(tmp_path / "results.json")
    with pytest.raises(DataError) as caught:
        Comparison.load(tmp_path / "results.json")
    assert str(caught.value).startswith("results.json: ")
    assert message in str(caught.value)
