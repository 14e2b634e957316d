"""A short run of the random command lines, and every defect that was found by one."""

import pytest
from command_line import Case, cases, check, csv_text
from hypothesis import HealthCheck, given, settings

pytestmark = pytest.mark.slow

ROWS = 24
NUMBERS = [str(i * 7 % 11) for i in range(ROWS)]
CLASSES = ["a", "b"] * (ROWS // 2)
QUICK = ["--methods", "auc", "--trees", "5", "--resamples", "1"]


def table(column=NUMBERS, classes=CLASSES, names=("age", "bmi", "y")):
    return csv_text(names, [column, NUMBERS, classes]).encode()


def case(*options, data=None, new="data.csv", **files):
    files = {f"{name}.csv": content for name, content in files.items()}
    arguments = ["data.csv", "--target", "y", *QUICK, *options]
    return Case({"data.csv": data or table(), **files}, arguments, new)


def overflowing(prices):
    return case("--costs", "prices.csv", "--budget", "3", prices=prices)


FOUND = {
    "seed beyond 64 bits": case("--seed", str(2**64)),
    "trees beyond 32 bits": case("--trees", "99999999999"),
    "four rows and one tree": Case(
        {"data.csv": b"x,z,y\n1,4,a\n2,3,b\n3,2,a\n4,1,b\n"},
        ["data.csv", "--target", "y", "--trees", "1"],
    ),
    "field of a price list": overflowing(b"feature,cost\n" + b"a" * 140_000 + b",1\n"),
    "prices whose sum overflows": overflowing(b"feature,cost\nage,1e308\nbmi,1e308\n"),
    "budgets whose sum overflows": case("--budget", "1.7e308", "--budget", "1.6e308"),
    "underscore in new rows": Case(
        {"data.csv": table(), "new.csv": table(["1_0", *NUMBERS[1:]])},
        ["data.csv", "--target", "y", *QUICK, "--require=age"],
        "new.csv",
    ),
    "dates as seconds": case(data=table([repr(1.7e9 + i % 3) for i in range(ROWS)])),
    "two resamples that are the same split": Case(
        {
            "data.csv": b"x,id,y\n1700000000.1,0,a\n1700000000.7,3,b\n1700000000.0,2,a\n"
            b"1700000000.1,0,a\n1700000000.7,3,b\n1700000000.0,2,a\n"
        },
        [
            "data.csv",
            "--target",
            "x",
            "--methods",
            "forward,backward,pfi",
            "--trees",
            "5",
            "--resamples",
            "2",
        ],
    ),
    "one column for target and groups, with a gap": Case(
        {"data.csv": b"age,y,z\n1,a,2\n2,,3\n3,a,4\n", "prices.csv": b"nothing\n1\n"},
        ["data.csv", "--target", "y", "--row-groups=y", "--costs", "prices.csv"],
    ),
    "shares that are all alike": Case(
        {"data.csv": b"age,y\n" + b"2,a\n3,b\n3,b\n2,b\n" * 4},
        ["data.csv", "--target", "y", "--methods", "auc", "--trees", "2", "--resamples", "0"],
    ),
    "classes that are one number": case(
        data=table(classes=["9007199254740992", "9007199254740993"] * (ROWS // 2))
    ),
    "classes with leading zeros": case(data=table(classes=["01", "1"] * (ROWS // 2))),
    "classes that are dates": case(data=table(classes=["2024-01-01", "2024-01-02"] * (ROWS // 2))),
    "numbers beyond 32-bit floats": case(data=table([f"{i}e300" for i in range(ROWS)])),
    "budgets that differ in the last digit": case("--budget", "1", "--budget", "1.0000000000001"),
    "names that are formulas": case(data=table(names=("=cmd()", "@SUM(1)", "y"))),
    "names that control the terminal": case(data=table(names=("\x1b[2J", "\u202e", "y"))),
    "names that are markup": case(
        data=table(names=("<meta http-equiv=refresh>", "</script>", "y"))
    ),
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_what_was_found_before_is_gone(found):
    check(found)


# Not `derandomize`: the long run, too, starts from here and draws others.
@settings(
    max_examples=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(cases())
def test_random_command_lines(case):
    check(case)
