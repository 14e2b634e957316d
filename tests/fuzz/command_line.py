"""Random runs of the commands on one table: what is drawn, and what must be true afterwards.

A case is files and arguments. It ends in exit code 0 with results that hang together, or in exit
code 2 with one line and nothing but the ledger written.
"""

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from defects import DefectError, watched, wrong_unless
from hypothesis import strategies as st

from frugalforest import Comparison
from frugalforest.cli import main
from frugalforest.costs import CostModel
from frugalforest.methods import METHODS
from frugalforest.model import FittedModel
from frugalforest.model.final import FINALS
from frugalforest.scores import SCORES

# Options that `check` has, too, as they are drawn below.
_OF_CHECK = {
    "--row-groups",
    "--rows-are-independent",
    "--drop",
    "--require",
    "--exclude",
    "--strict",
}
_OF_CHECK |= {"--encoding", "--sep", "--sheet", "--na", "--na-is-a-class"}

RESULT_FILES = {"report.html", "selection.json", "progress.sqlite"}


@dataclass(frozen=True)
class Case:
    """Files by name, the arguments of `select`, and the file that its models are tried on."""

    files: dict[str, bytes]
    arguments: list[str]
    new: str = "data.csv"
    required: tuple[str, ...] = field(default=())
    excluded: tuple[str, ...] = field(default=())


def check(case):
    """Run the case and raise a `DefectError` if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in case.files.items():
            Path(folder, name).write_bytes(content)
        before = os.getcwd()
        os.chdir(folder)
        try:
            _check_select(case)
        finally:
            os.chdir(before)


def _check_select(case):
    startable = _check_before(case)
    code, error = _run(["select", *case.arguments, "--jobs", "1", "--out", "out"])
    out = Path("out")
    written = {file.name for file in out.iterdir()} if out.is_dir() else set()
    others = {file.name for file in Path().iterdir()} - {*case.files, "out"}
    wrong_unless(not others, f"it also wrote {others}")
    if code != 0:
        _check_refusal(code, error)
        wrong_unless(written <= {"progress.sqlite"}, f"a failed run left {written}")
        return
    wrong_unless(startable, "it ran, though `check` says that it cannot")
    models = {name for name in written if name.startswith("model-")}
    wrong_unless(written - models == RESULT_FILES, f"it wrote {written}")
    _check_results(case, out, models)
    for model in sorted(models)[:1]:
        _check_writes(["predict", f"out/{model}", case.new, "--out", "predicted.csv"])
        command = ["validate", f"out/{model}", case.new, *case.arguments[1:3]]
        _check_writes([*command, "--recalibrate", "second.zip", "--out", "page.html"])
        if Path("second.zip").exists():
            FittedModel.load("second.zip")


def _check_before(case):
    """Whether `check` finds nothing that would stop `select`; and a price list to fill in."""
    shared = [a for a in case.arguments if a.partition("=")[0] in _OF_CHECK]
    if "--costs" in case.arguments:
        shared += ["--costs", "prices.csv"]
    code, error = _run(["check", *case.arguments[:3], *shared])
    if code not in (0, 1):
        _check_refusal(code, error)
    before = {*Path().iterdir()}
    _check_writes(["init", *case.arguments[:3], "--out", "filled.csv"])
    if Path("filled.csv").exists():
        CostModel.from_csv("filled.csv")
        Path("filled.csv").unlink()
    wrong_unless({*Path().iterdir()} == before, "`check` or `init` left a file")
    return code == 0


def _check_writes(arguments):
    """The file after the last `--out` is there if the command ends well, and not otherwise."""
    code, error = _run(arguments)
    if code != 0:
        _check_refusal(code, error)
    wrong_unless(Path(arguments[-1]).exists() == (code == 0), f"{arguments} ended with {code}")


def _check_refusal(code, error):
    lines = error.splitlines()
    wrong_unless(code == 2, f"exit code {code}: {error}")
    wrong_unless(all(line.startswith(("Error: ", "Note: ")) for line in lines), error)
    errors = [line for line in lines if line.startswith("Error: ")]
    wrong_unless(errors, error)
    wrong_unless(len(set(errors)) == len(errors), f"said twice: {error}")
    wrong_unless(all(line.isprintable() for line in lines), repr(error))


def _check_results(case, out, models):
    json.loads((out / "selection.json").read_text(encoding="utf-8"), parse_constant=_no_json)
    result = Comparison.load(out / "selection.json")
    wrong_unless(len(models) == len(result.budgets), f"{models} for budgets {result.budgets}")
    names = {facts.feature for facts in result.features}
    for selection in result.selections:
        bought = selection.features
        wrong_unless(len(set(bought)) == len(bought), f"bought twice: {bought}")
        wrong_unless(set(bought) <= names - {*case.excluded}, f"not for sale: {bought}")
        wrong_unless(set(case.required) <= set(bought), f"required, not bought: {bought}")
        wrong_unless(
            selection.cost <= selection.budget * (1 + 1e-12),
            f"{selection.cost} spent of {selection.budget}",
        )
    for model in models:
        FittedModel.load(out / model)


def _no_json(word):
    raise DefectError("wrong result", f"selection.json holds {word}, which is no JSON")


def _run(arguments):
    """Exit code and standard error of the command, run in this process."""
    streams = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["frugalforest", *arguments]
    try:
        with watched(), redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            try:
                main()
            except SystemExit as end:
                return end.code, streams[1].getvalue()
        raise DefectError("wrong result", "it ended without an exit code")
    finally:
        sys.argv = argv


# --- what is drawn --------------------------------------------------------------------------------

_TEXTS = [
    "",
    "NA",
    "?",
    "nan",
    "inf",
    "1_0",
    "1,5",
    "-0",
    "1e308",
    "1e-320",
    "=cmd()",
    "007",
    "\x00",
]
_TEXTS += [
    "9007199254740993",
    "9007199254740992",
    "2024-05-31",
    "31/05/2024",
    "true",
    "ü",
    "\u202e",
]
_TEXTS += ["\x1b[2J", '"', "'", "<b>", " a ", "x" * 300]
_NAMES = [
    "age",
    "crp",
    "class",
    "Class",
    "",
    "=cmd",
    "<i>",
    "a,b",
    "\u202ex",
    "NA",
    "1",
    "id",
    "ü\x1b",
]
_NUMBERS = [
    "0",
    "1",
    "2",
    "-1",
    "2.5",
    "1e308",
    "nan",
    "-inf",
    "1e309",
    "ten",
    "1_0",
    "1,5",
    "\x00",
]

odd_texts = st.one_of(st.sampled_from(_TEXTS), st.text(max_size=6))


def _cells(n_rows):
    def column(cell):
        return st.lists(cell, min_size=n_rows, max_size=n_rows)

    return st.one_of(
        column(st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr)),
        column(st.integers(0, 3).map(str)),
        column(st.sampled_from(["red", "green", "blue"])),
        column(st.sampled_from(["2024-01-01", "2024-05-31", ""])),
        column(st.floats(0, 1).map(lambda x: repr(1.7e9 + x))),
        column(
            st.builds("{}{} mg".format, st.sampled_from(["", "", "<", ">"]), st.integers(0, 99))
        ),
        column(st.sampled_from(["<0.6", "2", ">1e308", ".", "5 µg", "5 μg", "5 mg"])),
        column(st.sampled_from(["1", "2.5", "999", "-9", "-2147483648"])),
        column(odd_texts),
        odd_texts.map(lambda cell: [cell] * n_rows),
    )


def _quoted(text):
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",;\t\r\n') else text


def csv_text(header, columns):
    lines = [header, *zip(*columns, strict=True)]
    return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)


@st.composite
def tables(draw, names):
    """The text of a table; the last of the names is the target's."""
    times = draw(st.sampled_from([1, 1, 1, 2, 3]))  # copies of rows, below or beside each other
    n_rows = draw(st.integers(1, 24)) // times + 1
    columns = [draw(_cells(n_rows)) for _ in names[:-1]]
    is_sorted = draw(st.booleans())
    rows = [i // times if is_sorted else i % n_rows for i in range(times * n_rows)]
    columns = [[column[i] for i in rows] for column in columns]
    classes = draw(
        st.one_of(
            st.just(["a", "b"]),
            st.sampled_from([["01", "1"], ["+", "-"], ["x"], ["0", "1", "2"]]),
            st.lists(odd_texts, min_size=1, max_size=4),
        )
    )
    # Most tables have enough rows of each class, or all that is tried is their refusal.
    target = [classes[i % len(classes)] for i in rows]
    return csv_text(names, [*columns, target])


@st.composite
def damaged(draw, text):
    """The bytes of a text, most often as they should be."""
    content = text.encode("utf-8", "surrogatepass")
    how = draw(st.sampled_from([None] * 12 + ["cut", "insert", "latin", "mark", "wide"]))
    if how == "cut":
        return content[: draw(st.integers(0, len(content)))]
    if how == "insert":
        at = draw(st.integers(0, len(content)))
        return content[:at] + draw(st.binary(min_size=1, max_size=3)) + content[at:]
    codecs = {"latin": "latin-1", "mark": "utf-8-sig", "wide": "utf-16"}
    return text.encode(codecs[how], "replace") if how else content


def _price_lists(names):
    price = st.one_of(st.integers(0, 5).map(str), st.sampled_from(_NUMBERS))
    row = st.tuples(st.sampled_from([*names, "other"]), price, st.sampled_from(["", "lab"]), price)
    return st.one_of(
        st.tuples(*(st.tuples(st.just(n), st.integers(0, 5).map(str)) for n in names)).map(
            lambda rows: csv_text(["feature", "cost"], list(zip(*rows, strict=True)))
        ),
        st.lists(row, max_size=6).map(
            lambda rows: csv_text(
                ["feature", "cost", "group", "group_cost"],
                list(zip(*rows, strict=True)) or [()] * 4,
            )
        ),
        odd_texts,
    )


@st.composite
def cases(draw):
    """Random files and options, most of them possible."""
    names = draw(st.lists(st.sampled_from(_NAMES[:-1]), min_size=1, max_size=5, unique=True))
    names = [name for name in names if name != "y"] + ["y"]
    files = {"data.csv": draw(damaged(draw(tables(names)))), "empty.csv": b""}
    files["new.csv"] = draw(damaged(draw(tables(names))))
    arguments = ["data.csv", "--target", draw(st.sampled_from(["y"] * 9 + _NAMES))]
    money = st.one_of(st.integers(1, 6).map(str), st.sampled_from(_NUMBERS))
    for budget in draw(st.lists(money, max_size=3)):
        arguments += ["--budget", budget]
    usual = {
        "--methods": st.lists(st.sampled_from([*METHODS]), min_size=1, max_size=3).map(",".join),
        "--trees": st.integers(1, 6).map(str),
        "--resamples": st.sampled_from(["0", "1", "2"]),
    }
    for option, value in usual.items():
        arguments += [option, draw(value)]
    unusual = {
        "--seed": st.sampled_from(["0", str(2**64 - 1), str(2**64), "-1", "1.5"]),
        "--trees": st.sampled_from(["0", "99999999999", "many"]),
        "--test-share": st.sampled_from(["0.5", "0", "1", "nan", "1e-9", "0.999"]),
        "--row-groups": st.sampled_from(names),
        "--drop": st.sampled_from(names),
        "--xi": st.sampled_from(["0", "1", "1e308", "nan", "-1", "tune", "x"]),
        "--scoring": st.sampled_from([*SCORES, "accuracy", ""]),
        "--error-cost": st.sampled_from(["5", "0", "-1", "nan", "1e308", "x"]),
        "--class-weight": st.sampled_from(["balanced", "a=2", "b=0", "=1", "a", "a=b=2"]),
        "--positive": st.sampled_from(["a", "b", "c", ""]),
        "--prevalence": st.sampled_from(["0.1", "0", "1", "nan", "x"]),
        "--final": st.sampled_from([*FINALS, "blnd", ""]),
        "--min-samples-leaf": st.sampled_from(["1", "3", "0", "99999", "x"]),
        "--title": odd_texts,
        "--currency": odd_texts,
        "--encoding": st.sampled_from(["utf-8", "latin-1", "utf-16", "no such", "idna", "hex"]),
        "--sep": st.sampled_from([",", ";", "", "ab", "\n", '"', "ü"]),
        "--sheet": odd_texts,
        "--na": st.sampled_from(["999", "age=999", "age=nan", "other=1", "", "=", "red", "x=y=2"]),
    }
    for option in draw(st.lists(st.sampled_from([*unusual]), max_size=2, unique=True)):
        # Options are texts without a NUL: a shell cannot pass one.
        arguments += [f"{option}={draw(unusual[option])}".replace("\x00", "")]
    arguments += draw(
        st.lists(
            st.sampled_from(
                ["--racing", "--quiet", "--strict", "--na-is-a-class", "--rows-are-independent"]
            ),
            max_size=2,
        )
    )
    required, excluded = (
        draw(st.lists(st.sampled_from(names), max_size=k, unique=True)) for k in (1, 2)
    )
    arguments += [f"--require={name}" for name in required]
    arguments += [f"--exclude={name}" for name in excluded]
    if draw(st.booleans()):
        files["prices.csv"] = draw(damaged(draw(_price_lists(names[:-1] or ["y"]))))
        arguments += ["--costs", "prices.csv"]
    arguments = [argument.replace("\x00", "") for argument in arguments]
    new = draw(st.sampled_from(["data.csv", "new.csv", "empty.csv", "nothing.csv"]))
    return Case(files, arguments, new, tuple(required), tuple(excluded))
