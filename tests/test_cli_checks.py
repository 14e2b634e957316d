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


# --- what cells mean ----------------------------------------------------------------------------


def laboratory(n=60):
    """A unit in every cell, detection limits, points for what is missing, and a code for it."""
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.5
    iron = rng.integers(20, 90, n) + 30 * ill
    crp = (rng.random(n) + ill).round(2)
    return pd.DataFrame(
        {
            "iron": [f"{v} µg" for v in iron],
            "crp": [f"<{0.4}" if v < 0.4 else ">1.8" if v > 1.8 else str(v) for v in crp],
            "zinc": [".", *rng.normal(10, 2, n - 1).round(1)],
            "chol": np.where(rng.random(n) < 0.1, 999, rng.integers(120, 300, n)),
            "y": np.where(ill, "ill", "well"),
        }
    )


def test_measurements_written_as_text_are_read_and_so_are_those_of_new_rows(tmp_path):
    frame = laboratory()
    options = ["--exclude", "chol", "--exclude", "zinc", "--budget", 2, "--methods", "forward"]
    printed = select(tmp_path, frame, *options).stdout
    assert "Text was read as measurements in 'iron' (μg), 'crp' (" in printed
    assert "Half the limit stands for what is below one, and the limit for what is above" in printed

    def predicted(new):
        new.to_csv(tmp_path / "new.csv", index=False)
        result = run_forked("predict", "out/model-2.zip", "new.csv", cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        return [line.rpartition(",")[2] for line in result.stdout.splitlines()]

    written = frame.drop(columns="y")
    plain = written.assign(
        iron=[cell.removesuffix(" µg") for cell in frame["iron"]],
        crp=[{"<": "0.2", ">": "1.8"}.get(cell[0], cell) for cell in frame["crp"]],
    )
    assert predicted(written) == predicted(plain)
    other = written.assign(iron=["0.05 mg"] * len(frame))
    other.to_csv(tmp_path / "new.csv", index=False)
    result = run_forked("predict", "out/model-2.zip", "new.csv", cwd=tmp_path)
    check_one_line(result, "holds '0.05 mg' in row 1 (counted from 1), but held numbers in 'μg'")


def test_a_code_for_missing_is_told_and_can_be_named(tmp_path):
    frame = laboratory()
    n_codes = int((frame["chol"] == 999).sum())
    printed = select(tmp_path, frame, "--budget", 4).stdout
    assert f"'chol' holds 999 in {n_codes} rows, far from all others" in printed
    assert "say --na 'chol=999'" in printed
    for option in ("999", "chol=999", "chol=999.0"):
        printed = select(tmp_path, frame, "--na", option, "--budget", 4, "--require", "chol").stdout
        assert "holds 999" not in printed
    new = frame.drop(columns="y")
    outputs = []
    for code in (999, ""):
        new.assign(chol=frame["chol"].astype(object).replace(999, code)).to_csv(
            tmp_path / "new.csv", index=False
        )
        result = run_forked("predict", "out/model-4.zip", "new.csv", cwd=tmp_path)
        outputs.append([line.rpartition(",")[2] for line in result.stdout.splitlines()])
    assert outputs[0] == outputs[1]


def test_a_code_of_no_column_is_one_line(tmp_path):
    laboratory().to_csv(tmp_path / "t.csv", index=False)
    result = run_forked("select", "t.csv", "--target", "y", "--na", "cho=999", cwd=tmp_path)
    check_one_line(result, "--na 'cho=999': 'cho' is no feature. Did you mean 'chol'?")


# --- prices -------------------------------------------------------------------------------------


def check_prices(folder, name, content, message):
    laboratory().to_csv(folder / "t.csv", index=False)
    (folder / name).write_text(content)
    command = ["select", "t.csv", "--target", "y", "--drop", "chol", "--drop", "zinc"]
    check_one_line(run_forked(*command, "--costs", name, cwd=folder), message)


def test_a_spreadsheet_of_prices_is_to_be_saved_as_csv(tmp_path):
    message = "prices.xlsx is a spreadsheet: save the sheet with the prices as CSV"
    check_prices(tmp_path, "prices.xlsx", "PK", message)


def test_points_that_may_be_thousands_between_semicolons_are_refused(tmp_path):
    prices = "feature;cost\niron;1.200\ncrp;3\n"
    check_prices(
        tmp_path, "prices.csv", prices, "the cost of 'iron' is '1.200': between semicolons"
    )
    for fine in ("feature;cost\niron;1.20\ncrp;3\n", "feature,cost\niron,1.200\ncrp,3\n"):
        (tmp_path / "prices.csv").write_text(fine)
        frame = laboratory()[["iron", "crp", "y"]]
        select(tmp_path, frame, "--costs", "prices.csv", "--budget", 3)


def test_groups_without_fees_are_said(tmp_path):
    (tmp_path / "prices.csv").write_text("feature,cost,group\niron,1,blood\ncrp,3,blood\n")
    frame = laboratory()[["iron", "crp", "y"]]
    result = select(tmp_path, frame, "--costs", "prices.csv", "--budget", 3)
    assert "- Prices have groups, but no fees (group_cost)" in result.stdout
    checked = run_forked("check", "t.csv", "--target", "y", "--costs", "prices.csv", cwd=tmp_path)
    assert "- prices have groups, but no fees (group_cost)" in checked.stdout


def test_new_values_outside_the_range_of_the_training_data_are_counted(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 60)
    frame = pd.DataFrame({"age": age, "y": np.where(age + rng.normal(0, 9, 60) > 50, "a", "b")})
    select(tmp_path, frame, "--budget", 1)
    pd.DataFrame({"age": [40, 1200, 5]}).to_csv(tmp_path / "new.csv", index=False)
    result = run_forked("predict", "out/model-1.zip", "new.csv", cwd=tmp_path)
    assert result.returncode == 0
    assert "column 'age' holds 2 values outside the range of the training data" in result.stderr
    assert "such as 1200: is it the same unit?" in result.stderr
    frame.drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    assert run_forked("predict", "out/model-1.zip", "new.csv", cwd=tmp_path).stderr == ""
