"""Tables against numbers worked out by hand, from rows that no forest has made."""

import csv
import io
import lzma
import math

import numpy as np
import pytest
from scipy.stats import t as student

from frugalforest.study import Store, StudyError, get_design, run
from frugalforest.study.design import Design
from frugalforest.study.finished import Results, read_results
from frugalforest.study.ranking import RankComparison, compare_ranks, holm, signed_rank_p
from frugalforest.study.store import ResultRow, RunRow
from frugalforest.study.tables import (
    cell_table,
    curve_table,
    difference_table,
    draw_difference_table,
    draw_table,
    rank_table,
    raw_table,
    seconds_table,
    tuning_table,
    wilcoxon_table,
    write_tables,
    xi_table,
)

T3 = student.ppf(0.975, 2)  # 4.303: for three replicates


def row(source, draw, replicate, method, budget, xi, error, strategy=None, n_train=200, n_test=100):
    return ResultRow(
        f"{source}/{draw}/{replicate}",
        source,
        draw,
        replicate,
        n_train,
        n_test,
        method,
        budget,
        strategy,
        xi,
        n_features=2,
        cost=0.5,
        oob_error=error + 0.1,
        brier=0.2,
        test_error=error,
        features="0 1",
    )


def results(choices, candidates=(), runs=(), design="paper-artificial"):
    return Results(get_design(design, 1), list(candidates), list(choices), list(runs))


def tuned(errors, source="A", draw=0, budget=1.0):
    """Choices of tuned methods: errors by method, one a replicate."""
    return [
        row(source, draw, i, method, budget, 0.5, error, "tuned")
        for method, values in errors.items()
        for i, error in enumerate(values)
    ]


def as_dicts(table):
    return [dict(zip(table.columns, r, strict=True)) for r in table.rows]


def test_cells_have_plain_intervals_and_real_ones_corrected_ones_too():
    artificial = cell_table(results(tuned({"auc": [0.1, 0.2, 0.3]})))
    (found,) = as_dicts(artificial)
    assert (found["source"], found["budget"], found["contestant"], found["n"]) == (
        "A",
        1.0,
        "auc",
        3,
    )
    assert found["mean_error"] == pytest.approx(0.2)
    assert found["se"] == pytest.approx(0.057735, abs=1e-6)
    assert found["sd"] == pytest.approx(0.1)
    assert found["mean_oob_error"] == pytest.approx(0.3)
    assert found["nb_se"] is None
    choices = tuned({"auc": [0.1, 0.2, 0.3]}, source="wdbc")
    (found,) = as_dicts(cell_table(results(choices, design="paper-real")))
    assert found["se"] == pytest.approx(0.057735, abs=1e-6)
    assert found["nb_se"] == pytest.approx(0.1 * math.sqrt(1 / 3 + 1 / 2))
    assert found["nb_low"] == pytest.approx(0.2 - T3 * found["nb_se"])


def test_replicates_that_all_agree_have_no_interval():
    # 0.3 − 0.1 and 0.4 − 0.2 differ by rounding only.
    choices = tuned({"auc": [0.3, 0.4], "pfi": [0.1, 0.2], "sts": [0.1, 0.1]}, source="wdbc")
    found = results(choices, design="paper-real")
    cell = as_dicts(cell_table(found))[2]
    assert (cell["contestant"], cell["mean_error"]) == ("sts", 0.1)
    difference = as_dicts(difference_table(found))[0]
    assert (difference["first"], difference["difference"]) == ("auc", pytest.approx(0.2))
    for agreed in (cell, difference):
        assert (agreed["se"], agreed["nb_se"]) == (0.0, 0.0)
        assert all(math.isnan(agreed[end]) for end in ("low", "high", "nb_low", "nb_high"))


def test_contestants_are_named_by_method_and_fixed_xi():
    choices = [
        row("A", 0, 0, method, 1.0, xi, 0.3, strategy)
        for method, xi, strategy in [
            ("fs-0", 0.0, "agnostic"),
            ("fs-1", 1.0, "simple"),
            ("sts", 0.0, "agnostic"),
            ("sts", 1.0, "simple"),
            ("sts", 0.7, "tuned"),
        ]
    ]
    found = results(choices)
    assert found.contestants == ("sts", "sts-0", "sts-1", "fs-0", "fs-1")
    assert found.tuned == ("sts", "fs-0", "fs-1")
    assert found.with_baselines == ("sts", "sts-0", "fs-0", "fs-1")


def test_differences_are_paired():
    # Errors vary much from replicate to replicate, and their difference does not.
    found = results(tuned({"auc": [0.1, 0.2, 0.3], "pfi": [0.11, 0.22, 0.33]}))
    (pair,) = as_dicts(difference_table(found))
    assert (pair["first"], pair["second"], pair["n"]) == ("auc", "pfi", 3)
    assert pair["difference"] == pytest.approx(-0.02)
    assert pair["se"] == pytest.approx(0.01 / math.sqrt(3))
    assert pair["low"] == pytest.approx(-0.02 - T3 * 0.01 / math.sqrt(3))
    assert pair["share_first_better"] == 1.0


def test_differences_are_of_the_replicates_that_both_have():
    found = results(tuned({"auc": [0.1, 0.2, 0.9], "pfi": [0.2, 0.2]}))
    (pair,) = as_dicts(difference_table(found))
    assert pair["n"] == 2
    assert pair["difference"] == pytest.approx(-0.05)
    assert pair["share_first_better"] == 0.75


def test_xi_curve_has_means_and_quantiles():
    candidates = [
        row("A", 0, i, "auc", 1.0, xi, 0.1 * i + xi) for i in range(3) for xi in (0.0, 0.5)
    ]
    first, second = as_dicts(xi_table(results(tuned({"auc": [0.1]}), candidates)))
    assert (first["xi"], first["mean_error"]) == (0.0, pytest.approx(0.1))
    assert (second["xi"], second["mean_error"]) == (0.5, pytest.approx(0.6))
    assert (first["quantile_05"], first["quantile_95"]) == (
        pytest.approx(0.01),
        pytest.approx(0.19),
    )


def test_tuning_is_compared_with_the_best_fixed_xi():
    errors = {0.0: [0.3, 0.3, 0.3], 1.0: [0.1, 0.2, 0.3], 2.0: [0.4, 0.4, 0.4]}
    candidates = [
        row("A", 0, i, "auc", 1.0, xi, error)
        for xi, values in errors.items()
        for i, error in enumerate(values)
    ]
    (found,) = as_dicts(tuning_table(results(tuned({"auc": [0.1, 0.1, 0.1]}), candidates)))
    assert found["best_fixed_xi"] == 1.0
    assert found["best_fixed_error"] == pytest.approx(0.2)
    assert found["difference"] == pytest.approx(-0.1)
    assert found["se"] == pytest.approx(0.1 / math.sqrt(3))


def test_curves_fall_from_the_smallest_xi_and_rise_to_the_largest():
    errors = {0.0: [0.3, 0.4, 0.5], 1.0: [0.1, 0.2, 0.3], 2.0: [0.2, 0.2, 0.5]}
    candidates = [
        row("A", 0, i, "auc", 1.0, xi, error)
        for xi, by_replicate in errors.items()
        for i, error in enumerate(by_replicate)
    ]
    (found,) = as_dicts(curve_table(results(tuned({"auc": [0.1, 0.1, 0.1]}), candidates)))
    assert found["best_xi"] == 1.0
    assert found["fall"] == pytest.approx(0.2)
    assert math.isnan(found["fall_low"])  # 0.2 in every replicate
    assert found["rise"] == pytest.approx(0.1)
    assert found["rise_high"] == pytest.approx(0.1 + T3 * 0.1 / math.sqrt(3))


def test_curves_of_real_data_have_corrected_intervals():
    errors = {0.0: [0.3, 0.4, 0.5], 1.0: [0.1, 0.2, 0.2]}
    candidates = [
        row("wdbc", 0, i, "auc", 1.0, xi, error)
        for xi, by_replicate in errors.items()
        for i, error in enumerate(by_replicate)
    ]
    found = results(tuned({"auc": [0.1, 0.1, 0.1]}, "wdbc"), candidates, design="paper-real")
    # 100 test rows to 200 training rows: 1/3 + 1/2 in place of 1/3.
    wider = math.sqrt((1 / 3 + 1 / 2) / (1 / 3))
    (curve,) = as_dicts(curve_table(found))
    assert curve["fall_nb_high"] - curve["fall"] == pytest.approx(
        wider * (curve["fall_high"] - curve["fall"])
    )
    at_zero = as_dicts(xi_table(found))[0]
    assert at_zero["nb_se"] == pytest.approx(wider * at_zero["se"])


def test_variance_between_draws_is_freed_of_the_replicates_noise():
    choices = [
        *tuned({"auc": [0.1, 0.3]}, draw=0),  # mean 0.2
        *tuned({"auc": [0.3, 0.5]}, draw=1),  # mean 0.4
    ]
    (found,) = as_dicts(draw_table(results(choices, design="draws")))
    assert (found["n_draws"], found["mean_error"]) == (2, pytest.approx(0.3))
    # Within: 0.02 each. Of the means: 0.02, of which 0.02 / 2 is the replicates' noise.
    assert found["sd_within_draw"] == pytest.approx(math.sqrt(0.02))
    assert found["sd_between_draws"] == pytest.approx(math.sqrt(0.02 - 0.01))
    assert found["se"] == pytest.approx(0.1)


def test_differences_over_draws_take_a_draw_as_one_value():
    choices = [
        *tuned({"pfi": [0.1, 0.3], "sts": [0.2, 0.4]}, draw=0),  # sts 0.1 worse
        *tuned({"pfi": [0.3, 0.3], "sts": [0.2, 0.2]}, draw=1),  # sts 0.1 better
        *tuned({"pfi": [0.4, 0.4], "sts": [0.7, 0.7]}, draw=2),  # sts 0.3 worse
    ]
    (found,) = as_dicts(draw_difference_table(results(choices, design="draws")))
    assert (found["first"], found["second"], found["n_draws"]) == ("pfi", "sts", 3)
    assert found["difference"] == pytest.approx(-0.1)
    assert found["se"] == pytest.approx(0.2 / math.sqrt(3))
    assert found["draws_first_better"] == 2


def test_ranks_are_means_over_cells_and_ties_share_them():
    choices = [
        *tuned({"auc": [0.1], "pfi": [0.2], "sts": [0.3]}, source="wdbc", budget=1.0),
        *tuned({"auc": [0.3], "pfi": [0.1], "sts": [0.3]}, source="ada", budget=2.0),
    ]
    found = results(choices, design="paper-real")
    expected = [("pfi", 1.5), ("auc", 1.75), ("sts", 2.75)]
    assert rank_table(found).rows == [
        ("real", among, 2, label, rank) for among in ("tuned", "all") for label, rank in expected
    ]


def test_ranks_among_the_tuned_leave_the_baselines_out():
    choices = [
        *tuned({"auc": [0.2], "pfi": [0.3]}, "wdbc"),
        row("wdbc", 0, 0, "auc", 1.0, 0.0, 0.1, "agnostic"),
    ]
    ranks = rank_table(results(choices, design="paper-real")).rows
    assert [r[1:] for r in ranks] == [
        ("tuned", 1, "auc", 1.0),
        ("tuned", 1, "pfi", 2.0),
        ("all", 1, "auc-0", 1.0),
        ("all", 1, "auc", 2.0),
        ("all", 1, "pfi", 3.0),
    ]


def test_ranks_of_a_draw_are_means_over_its_cells():
    # One cell with large errors must not decide over two with small ones.
    choices = [
        r
        for draw in range(2)
        for r in (
            *tuned({"auc": [0.01], "pfi": [0.02]}, "C", draw, 1.0),
            *tuned({"auc": [0.01], "pfi": [0.02]}, "C", draw, 2.0),
            *tuned({"auc": [0.50], "pfi": [0.40]}, "C", draw, 5.0),
        )
    ]
    (found,) = compare_ranks(results(choices, design="draws"), ("auc", "pfi"))
    assert found.contestants == ("auc", "pfi")
    assert found.mean_rank.tolist() == pytest.approx([4 / 3, 5 / 3])


def test_cells_of_one_draw_are_one_block_and_kinds_of_data_are_apart():
    choices = [
        r
        for draw in range(3)
        for source in ("A", "B", "C")
        for budget in (1.0, 2.0)
        for r in tuned({"auc": [0.1], "pfi": [0.2]}, source, draw, budget)
    ]
    found = compare_ranks(results(choices, design="draws"), ("auc", "pfi"))
    assert [(c.group, c.n_blocks) for c in found] == [("correlated", 3), ("independent", 3)]


def test_wilcoxon_is_exact_for_few_blocks():
    # Six blocks, all in favour of one: 2 / 2^6 two-sided.
    choices = [
        r
        for budget in range(1, 7)
        for r in tuned({"auc": [0.1], "pfi": [0.1 + budget / 100]}, "wdbc", 0, float(budget))
    ]
    found = results(choices, design="paper-real")
    assert wilcoxon_table(found).rows[0] == ("real", "tuned", 6, "auc", "pfi", 2 / 64, 2 / 64)


def test_equal_errors_cannot_be_told_apart():
    choices = tuned({"auc": [0.1], "pfi": [0.1]}, "wdbc")
    found = results(choices, design="paper-real")
    assert wilcoxon_table(found).rows[0] == ("real", "tuned", 1, "auc", "pfi", 1.0, 1.0)


def test_differences_that_are_equal_but_for_rounding_share_a_rank():
    # Seven of one size, one of them to the other side: each order of signs is as likely, and
    # 2 × (1 + 7) of 2^7 have so few of one sign. Told apart by rounding, they give 0.109.
    differences = [0.3 - 0.2, 0.2 - 0.1, 0.4 - 0.3, 0.5 - 0.4, 0.6 - 0.5, 0.7 - 0.6, 0.8 - 0.9]
    assert len(set(np.abs(differences))) > 1
    assert signed_rank_p(differences) == pytest.approx(16 / 128)


def test_the_test_weighs_cells_by_their_relative_differences():
    # Absolutely, the second block would have the larger difference and pfi the larger rank sum.
    choices = [
        *tuned({"auc": [0.01], "pfi": [0.03]}, "wdbc", 0, 1.0),
        *tuned({"auc": [0.45], "pfi": [0.40]}, "wdbc", 0, 2.0),
        *tuned({"auc": [0.02], "pfi": [0.03]}, "wdbc", 0, 3.0),
    ]
    found = results(choices, design="paper-real")
    # Sizes 1, 0.118, 0.4: ranks 3, 1, 2; the sum against is 1: signs at least so extreme: 2 × 2.
    assert wilcoxon_table(found).rows[0][5] == pytest.approx(4 / 8)


def test_holm_multiplies_by_what_is_left_and_never_falls():
    np.testing.assert_allclose(
        holm(np.array([0.04, 0.01, 0.03, 0.5])), [0.09, 0.04, 0.09, 0.5], rtol=1e-12
    )
    np.testing.assert_allclose(holm(np.array([0.6, 0.7])), [1.0, 1.0])


def test_cliques_are_the_longest_runs_without_a_significant_difference():
    p = np.ones((4, 4))
    p[0, 2] = p[2, 0] = 0.01
    p[0, 3] = p[3, 0] = 0.01
    comparison = RankComparison("real", tuple("abcd"), 9, np.arange(4.0), p, p)
    assert comparison.cliques() == [(0, 1), (1, 3)]
    assert RankComparison("real", tuple("ab"), 9, np.arange(2.0), p, p * 0).cliques() == []


def test_seconds_are_means_by_source_and_method():
    runs = [RunRow("k0", "A", "auc", 1.0, 2.0), RunRow("k1", "A", "auc", 3.0, 6.0)]
    (found,) = as_dicts(seconds_table(results(tuned({"auc": [0.1]}), runs=runs)))
    assert (found["n"], found["mean_select_seconds"], found["mean_score_seconds"]) == (2, 2.0, 4.0)
    assert (found["mean_seconds"], found["max_seconds"]) == (6.0, 9.0)


def test_raw_rows_say_which_strategies_took_them():
    candidates = [row("A", 0, 0, "auc", 1.0, xi, 0.3) for xi in (0.0, 1.0, 2.0)]
    choices = [
        row("A", 0, 0, "auc", 1.0, 0.0, 0.3, "agnostic"),
        row("A", 0, 0, "auc", 1.0, 1.0, 0.3, "simple"),
        row("A", 0, 0, "auc", 1.0, 1.0, 0.3, "tuned"),
    ]
    found = as_dicts(raw_table(results(choices, candidates)))
    assert [r["chosen"] for r in found] == ["agnostic", "simple tuned", ""]
    assert {r["features"] for r in found} == {"0 1"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "store.sqlite"
    with Store(path, create=True) as store:
        run(get_design("smoke", 2, ["auc", "sts", "fs-0"]), store)
        yield store


def read_csv(path):
    content = path.read_bytes()
    text = lzma.decompress(content) if path.suffix == ".xz" else content
    return list(csv.DictReader(io.StringIO(text.decode())))


def test_all_tables_are_written_and_agree_with_the_store(store, tmp_path):
    design = get_design("smoke", 2, ["auc", "sts", "fs-0"])
    files = {path.name: path for path in write_tables(design, store, tmp_path / "out")}
    assert set(files) == {
        *("cells.csv", "xi.csv", "tuning.csv", "differences.csv", "ranks.csv", "wilcoxon.csv"),
        *("curves.csv", "seconds.csv", "draws.csv", "draw_differences.csv", "rows.csv.xz"),
    }
    raw = read_csv(files["rows.csv.xz"])
    assert len(raw) == 8 * 3 * (5 + 5 + 1)  # units × budgets × ξ of the methods
    cells = read_csv(files["cells.csv"])
    # Settings × draws × budgets × contestants: three strategies of two methods, and FS-0.
    assert len(cells) == 2 * 2 * 3 * 7
    for cell in cells[:7]:
        strategy = {"0": "agnostic", "1": "simple"}.get(cell["contestant"][-1], "tuned")
        method = cell["contestant"]
        method = method if method == "fs-0" else method.removesuffix("-0").removesuffix("-1")
        errors = [
            float(r["test_error"])
            for r in raw
            if all(r[name] == cell[name] for name in ("source", "draw", "budget"))
            and r["method"] == method
            and strategy in r["chosen"].split()
        ]
        assert float(cell["mean_error"]) == pytest.approx(np.mean(errors))
        assert int(cell["n"]) == len(errors) == 2


def test_undefined_numbers_are_empty_fields(store, tmp_path):
    design = get_design("smoke", 1, ["auc"])
    files = {path.name: path for path in write_tables(design, store, tmp_path)}
    assert {cell["se"] for cell in read_csv(files["cells.csv"])} == {""}


def test_tables_of_what_was_not_run_are_refused(store):
    design: Design = get_design("smoke", 2, ["pfi"])
    with pytest.raises(StudyError, match="no finished unit of 'smoke' with these methods"):
        read_results(design, store)
