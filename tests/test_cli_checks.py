"""What small made-up files with a silent fault lead to on the command line."""

import numpy as np
import pandas as pd

from reference.forked_cli import run_forked
from reference.patients import QUICK, check_one_line

AUC = ["--methods", "auc", *QUICK]


def select(folder, frame, *options, target="y"):
    frame.to_csv(folder / "t.csv", index=False)
    command = ["select", "t.csv", "--target", target, "--out", "out", *AUC, *options]
    result = run_forked(*command, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result


def visits(n_persons=30):
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(n_persons), 4)
    return pd.DataFrame(
        {
            "id": person,
            "age": rng.integers(30, 80, n_persons)[person],
            "arm": rng.choice(["drug", "placebo"], n_persons)[person],
            "lab": rng.normal(size=len(person)),
            "y": rng.choice(["ill", "well"], n_persons)[person],
        }
    )


def test_visits_of_one_person_are_told_until_the_person_is_named(tmp_path):
    looks = "these rows look like"
    printed = select(tmp_path, visits(), "--drop", "id", "--budget", 2).stdout
    assert f"Warning: {looks}" in printed
    assert f"Warning:</strong> {looks}" in (tmp_path / "out" / "report.html").read_text()
    assert looks not in select(tmp_path, visits(), "--row-groups", "id", "--budget", 2).stdout
    alone = ["--drop", "id", "--rows-are-independent", "--budget", 2]
    assert looks not in select(tmp_path, visits(), *alone).stdout
    assert "--rows-are-independent" in (tmp_path / "out" / "report.html").read_text()


def test_rows_cannot_be_grouped_and_independent(tmp_path):
    visits().to_csv(tmp_path / "t.csv", index=False)
    both = ["--row-groups", "id", "--rows-are-independent"]
    result = run_forked("select", "t.csv", "--target", "y", *both, cwd=tmp_path)
    check_one_line(result, "--rows-are-independent: --row-groups says that they are not")


def test_copies_of_rows_are_counted(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=50), "y": rng.choice(["a", "b"], 50)})
    printed = select(tmp_path, pd.concat([frame] * 3), "--budget", 1).stdout
    assert "100 rows of 150 are copies of an earlier one: there are 50 different rows" in printed
