"""Options: declared once, and the same wherever they are given."""

import inspect
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import frugalforest
from frugalforest import FrugalForestClassifier, compare
from frugalforest.cli.app import app
from frugalforest.cli.arguments import read_options
from frugalforest.cli.selection import Request
from frugalforest.comparison.options import FLAGS, Options
from frugalforest.comparison.signatures import takes_options

NAMES = [each.name for each in fields(Options)]
# A value of each that is not its default, and what is typed for it.
GIVEN = {
    "task": ("regression", "--task regression"),
    "scoring": ("brier", "--scoring brier"),
    "error_costs": (250.0, "--error-cost 250.0"),
    "class_weight": ({"ill": 5.0, "odd=1": 2.0}, "--class-weight ill=5 --class-weight odd=1=2"),
    "n_resamples": (3, "--resamples 3"),
    "test_share": (0.25, "--test-share 0.25"),
    "n_trees": (200, "--trees 200"),
    "final": ("blend", "--final blend"),
    "min_samples_leaf": (5, "--min-samples-leaf 5"),
    "xi": (0.5, "--xi 0.5"),
    "racing": (True, "--racing"),
    "bins": (None, "--bins exact"),
    "search_rows": (None, "--search-rows all"),
    "rows_are_independent": (True, "--rows-are-independent"),
    "random_state": (7, "--seed 7"),
}


def test_compare_takes_every_option_with_its_default():
    parameters = inspect.signature(compare).parameters
    assert {name: parameters[name].default for name in NAMES} == vars(Options())
    assert all(parameters[name].kind == inspect.Parameter.KEYWORD_ONLY for name in NAMES)


def test_the_classifier_takes_parameters_in_the_order_they_always_had():
    parameters = inspect.signature(FrugalForestClassifier).parameters
    assert list(parameters) == [
        *("costs", "budget", "method", "xi", "scoring", "n_trees", "n_resamples", "bins"),
        *("search_rows", "final", "random_state", "n_jobs", "error_costs", "class_weight"),
        "min_samples_leaf",
    ]
    others = {"n_resamples": 10, "random_state": None}  # than those of `compare`
    for name in set(parameters) & set(NAMES):
        assert parameters[name].default == others.get(name, getattr(Options, name))
    assert FrugalForestClassifier(None, 3, "auc", 0.5).xi == 0.5


@pytest.mark.parametrize("taker", [compare, FrugalForestClassifier])
def test_every_parameter_is_documented_once(taker):
    words = inspect.getdoc(taker).split("Returns\n---")[0].split("Attributes\n---")[0]
    for name in inspect.signature(taker).parameters:
        assert words.count(f"\n{name} : ") == 1, name
    assert "{options}" not in words


@pytest.mark.parametrize("taker", [compare, FrugalForestClassifier])
def test_a_name_that_is_no_option_is_refused(taker):
    given = {"X": [[1]], "y": [1]} if taker is compare else {}
    with pytest.raises(TypeError, match=r"\w\(\) got an unexpected keyword argument 'n_tree'"):
        taker(**given, n_tree=3)


@pytest.mark.parametrize("name", NAMES)
def test_an_option_of_a_command_is_read_as_it_is_written(name):
    value, words = GIVEN[name]
    asked = Options(**{name: value})
    request = Request(Path("t.csv"), "y", None, Path("out"), options=asked)
    assert request.command() == f"frugalforest select t.csv --target y {words}"
    typed = {flag.name: getattr(Options, option) for option, flag in FLAGS.items()}
    text = shlex.split(words)[1::2]
    if name == "error_costs":
        typed[name] = value  # an amount has an option of its own
    else:
        typed[FLAGS[name].name] = text if name == "class_weight" else (*text, value)[0]
    read = {flag.name: FLAGS[option].read for option, flag in FLAGS.items()}[FLAGS[name].name]
    assert read is None or getattr(read_options(typed), name) == value


def test_a_command_without_options_has_none():
    request = Request(Path("t.csv"), "y", None, Path("out"))
    assert request.command() == "frugalforest select t.csv --target y"


def test_help_has_every_option():
    shown = CliRunner().invoke(app, ["select", "--help"]).output
    assert [flag.option for flag in FLAGS.values() if f"  {flag.option} " not in shown] == []


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"xi": "best"}, "`xi` is 'best': it must be 'tune' or a number"),
        ({"n_resamples": True}, "`n_resamples` is True"),
        ({"bins": 1}, "`bins` is 1"),
        ({"search_rows": 3}, "`search_rows` is 3"),
        ({"min_samples_leaf": 0}, "`min_samples_leaf` is 0"),
        ({"final": "line"}, "`final` is 'line'"),
        ({"scoring": "cost"}, "`scoring` is 'cost': give `error_costs`"),
        ({"scoring": "auc", "error_costs": 5}, "`error_costs` is for `scoring` 'cost'"),
    ],
)
def test_wrong_values_are_refused_before_there_is_a_table(option, message):
    with pytest.raises(ValueError, match=message):
        Options(**option)


def test_own_parameters_stand_where_they_are_named():
    @takes_options("bins", "n_jobs", "xi", xi=1.0)
    def function(x, *, n_jobs=None, **options):
        """Do it.

        {options}
        """
        return x, n_jobs, options

    assert str(inspect.signature(function)).startswith("(x, bins: ")
    assert function(1, None, 2) == (1, 2, {"bins": None, "xi": 1.0})
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        function(bins=3)


def test_public_functions_are_still_what_they_were_called():
    assert compare.__name__ == "compare"
    assert compare.__module__.startswith("frugalforest.comparison")
    assert frugalforest.FrugalForestClassifier.__init__.__qualname__.endswith("__init__")
