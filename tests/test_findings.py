"""What a comparison comes to: each sentence must be true of its numbers."""

from dataclasses import replace

import pytest

from frugalforest.report import render
from frugalforest.results import ColumnNotice, Substitute
from frugalforest.results.findings import Findings, Verdict
from frugalforest.words.formats import plain
from reference.sample_results import BRIER, RESULTS, features_at, judged, make_results

NAMES = [f"f{j}" for j in range(10)]
TEN = features_at(dict.fromkeys(NAMES, 1.0))


def findings(sets, errors=None, **options):
    options = {"features": TEN} | options
    return Findings.of(make_results(sets, errors, **options))


def curve(*cost_and_error, **options):
    """A budget for each (number of features, honest error): each feature costs 1."""
    sets = {cost: NAMES[:cost] for cost, _ in cost_and_error}
    return findings(sets, [error for _, error in cost_and_error], **options)


def said(found):
    return " ".join(found.sentences)


# --- what is recommended --------------------------------------------------------------------------


def test_recommended_is_the_cheapest_within_one_standard_error_of_the_lowest():
    found = curve((1, 0.2), (2, 0.11), (5, 0.1), spread=0.03)
    assert found.recommended.cost == 2
    assert found.headline.replace("\u00a0", " ") == "Measure 2 features for 2 per case"
    assert "Recommended: 2 features for 2 (budget 2): f0, f1." in said(found)
    assert "the cheapest set whose honest error is within one standard error" in found.reason
    assert found.lowest.cost == 5


def with_interval(results, number, low, high):
    """The results with another interval of the honest error at one budget."""
    procedures = list(results.procedures)
    honest = replace(procedures[number].honest, low=low, high=high)
    procedures[number] = replace(procedures[number], honest=honest)
    return replace(results, procedures=tuple(procedures))


def test_a_set_that_may_be_no_better_than_guessing_is_passed_over_for_one_that_is_and_errs_less():
    results = make_results({1: NAMES[:1], 2: NAMES[:2]}, [0.33, 0.32], features=TEN)
    found = Findings.of(with_interval(results, 0, 0.2, 0.45))
    assert [b.verdict for b in found.budgets] == [Verdict.UNCLEAR, Verdict.BETTER]
    assert found.recommended.cost == 2
    assert found.passed_over.cost == 1
    assert "the lowest honest error costs 1, but its interval reaches the error" in found.reason
    assert "the gain may be chance" not in said(found)


def test_a_recommended_set_that_may_be_no_better_than_guessing_is_said_to_be_so():
    results = make_results({1: NAMES[:1], 2: NAMES[:2]}, [0.33, 0.34], features=TEN)
    results = with_interval(results, 1, 0.33, 0.35)
    found = Findings.of(with_interval(results, 0, 0.2, 0.45))
    assert [b.verdict for b in found.budgets] == [Verdict.UNCLEAR, Verdict.BETTER]
    assert found.recommended.cost == 1
    assert found.surest.cost == 2
    assert found.passed_over is None
    assert "the gain may be chance. The set for 2 is shown to be better than" in said(found)


def test_a_set_no_better_than_guessing_is_not_recommended_where_another_is_better():
    results = make_results({1: NAMES[:1], 2: NAMES[:2]}, [0.38, 0.36], features=TEN, spread=0.1)
    found = Findings.of(with_interval(results, 1, 0.355, 0.365))
    assert [b.verdict for b in found.budgets] == [Verdict.NO_BETTER, Verdict.BETTER]
    assert found.recommended.cost == 2


def test_of_equal_errors_the_cheapest_is_recommended():
    found = curve((1, 0.2), (3, 0.2), (5, 0.2))
    assert found.recommended.cost == found.lowest.cost == 1
    assert "has the lowest honest error" in found.reason
    assert "More money did not lower the error: 20.0 % for 3 in place of 1." in said(found)


def test_without_resamples_nothing_is_recommended_and_no_error_is_promised():
    found = findings({2: NAMES[:2], 4: NAMES[:4]})
    assert found.recommended is None
    assert found.verdict is Verdict.UNTESTED
    assert (found.steps, found.knee, found.less, found.more) == ((), None, None, None)
    assert "Recommended" not in said(found)
    assert "Its out-of-bag error, 25.0 %, is a selection score." in said(found)
    assert "No budget can be recommended without resamples" in said(found)
    assert found.headline == "4\u00a0features for 4, within a budget of 4"


def test_free_features_are_used_not_measured_for_nothing():
    found = findings({1: ["age"]}, [0.2], features=features_at({"age": 0.0, "ecg": 5.0}))
    assert found.headline == "Use the 1\u00a0feature that costs nothing"


# --- better than guessing, by the interval --------------------------------------------------------


def test_a_set_better_than_guessing_is_said_with_both_errors():
    assert (
        "A random forest on a feature chosen this way is expected to be wrong for 20.0 % of new "
        "cases (95 % interval 16.5 to 23.5 %). Always answering ‘well’ would be wrong for 37.3 %."
    ) in said(curve((1, 0.2)))


@pytest.mark.parametrize("errors", [[0.52, 0.51], [0.5, 0.5]])
def test_pure_noise_is_not_worth_measuring(errors):
    found = findings({2: NAMES[:2], 4: NAMES[:4]}, errors, counts=(100, 100))
    assert found.headline == "Nothing here is worth measuring"
    assert not found.worth_measuring
    assert "no better than always answering ‘ill’, which would be wrong for 50.0 %" in said(found)
    assert "None of the 2 budgets compared is shown to do better than guessing" in said(found)
    assert "Recommended" not in said(found)
    assert "Measure" not in said(found)


def test_an_interval_that_reaches_guessing_is_no_proof():
    found = curve((1, 0.457), counts=(104, 100), spread=0.06)
    low, high = found.recommended.honest.low, found.recommended.honest.high
    assert low < found.data.guess_error < high
    assert found.headline == "Nothing here is shown to be worth measuring"
    assert "within that interval: the gain may be chance" in said(found)


@pytest.mark.parametrize(("error", "worth"), [(0.2, True), (0.4, False)])
def test_one_resample_gives_no_interval(error, worth):
    found = curve((1, error), (2, 0.9), n_resamples=1)
    assert found.verdict is Verdict.UNCLEAR
    assert found.worth_measuring == worth
    assert "one resample: no interval" in said(found)
    assert "standard error" not in said(found) + found.reason
    assert "nan" not in said(found) + found.reason


@pytest.mark.parametrize(
    ("error", "verdict"),
    [(0.0, Verdict.BETTER), (0.37, Verdict.UNCLEAR), (0.38, Verdict.NO_BETTER)],
)
def test_resamples_that_all_agree_are_judged_without_an_interval(error, verdict):
    # Guessing errs for 0.373; 0.37 is as much, on test rows stratified up to rounding.
    found = curve((1, error), spread=0.0)
    assert found.verdict is verdict
    assert "the same in all resamples: no interval" in said(found)
    assert ("cannot tell them apart" in said(found)) == (verdict is Verdict.UNCLEAR)
    assert ("no better than always" in said(found)) == (verdict is Verdict.NO_BETTER)
    assert "nan" not in said(found)


@pytest.mark.parametrize(("bought", "asked"), [("f0", True), ("f9", False)])
def test_a_bought_column_that_may_be_an_identifier_is_asked_about_before_it_is_bought(
    bought, asked
):
    notice = ColumnNotice("identifier", (bought,), f"column {bought!r} numbers the rows.", False)
    results = replace(make_results({1: NAMES[:1]}, [0.1], features=TEN), notices=(notice,))
    found = Findings.of(results)
    assert (f"Before you buy: column {bought!r} numbers the rows." in said(found)) == asked


# --- less and more money, by what is spent --------------------------------------------------------


def test_an_error_that_is_corrected_as_a_whole_is_not_counted_resample_by_resample():
    found = Findings.of(judged())
    assert found.judged
    assert "10.0 percentage points more, more than one standard error (" in said(found)
    assert "of 10 resamples" not in said(found)
    assert "of 10 resamples" in said(findings({1: NAMES[:1], 3: NAMES[:3]}, [0.3, 0.1]))
    assert "Larger budget better in" not in render(judged())


def test_a_change_is_the_difference_of_the_errors_that_are_written():
    found = curve((1, 0.2484), (5, 0.1736), spread=0.001)
    assert "24.8 %: 7.4 percentage points more" in said(found)


def test_less_and_more_money_are_said_by_what_is_spent_not_by_the_budget():
    sets = {10: NAMES[:1], 20: NAMES[:3], 90: NAMES[:5]}
    found = findings(sets, [0.3, 0.1, 0.095], spread=0.02)
    assert found.recommended.cost == 3
    assert (
        "For 1 in place of 3 it would be 30.0 %: 20.0 percentage points more, and worse in 10 of "
        "10 resamples."
    ) in said(found)
    assert "For 5 in place of 3 it would be 9.5 %: 0.5 percentage points less, within" in said(
        found
    )
    assert [step.per_unit for step in found.steps] == pytest.approx([-0.1, -0.0025])


def test_two_budgets_with_the_same_set_buy_nothing_and_divide_by_nothing():
    found = findings({2: NAMES[:2], 3: NAMES[:2]}, [0.2, 0.21])
    (stretch,) = found.stretches
    assert stretch.amounts == "2 to 3"
    assert found.steps == ()
    assert found.same_set_everywhere
    assert found.reason == "All 2 budgets buy the same set."
    assert found.recommended.budget == 2
    assert "Budgets up to 3 spend no more; one above that may do better." in said(found)
    assert "in place of" not in said(found)


def test_sums_that_differ_by_rounding_are_the_same_money():
    features = features_at({"a": 0.1, "b": 0.2, "c": 0.3})
    found = findings({0.31: ["c"], 0.4: ["a", "b"]}, [0.2, 0.1], features=features)
    assert found.steps[0].buys_nothing
    assert found.less is None


def test_a_larger_budget_that_spends_less_has_no_price_a_unit():
    found = findings({5: NAMES[:4], 6: NAMES[:3]}, [0.2, 0.19])
    assert found.steps[0].per_unit is None


def test_with_everything_bought_no_larger_budget_is_suggested():
    found = findings({3: NAMES[:3], 600: NAMES}, [0.3, 0.2])
    assert found.lead.everything_bought
    assert "Measure all 10" in found.headline
    assert "All 10 features are bought: no budget can buy more." in said(found)
    assert "may do better" not in said(found)


def test_with_everything_affordable_no_larger_budget_is_suggested():
    found = findings({10: NAMES[:4]}, [0.2])
    assert not found.lead.everything_bought
    assert "The budget, 10, pays for all 10 features" in said(found)
    assert "may do better" not in said(found)


def test_excluded_features_are_not_missed_and_fees_count_once():
    features = features_at(
        {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": "g", "b": "g"}, {"g": 3.0}, excluded=["c"]
    )
    found = findings({5: ["a", "b"]}, [0.2], features=features)
    assert found.total_price == 5
    assert found.lead.everything_bought


@pytest.mark.parametrize(
    ("points", "may"),
    [([(1, 0.3)], True), ([(1, 0.3), (2, 0.2)], True), ([(1, 0.2), (2, 0.3)], False)],
)
def test_a_larger_budget_may_do_better_only_where_the_largest_did_best(points, may):
    found = curve(*points)
    assert ("may do better" in said(found)) == may
    assert found.larger_may_do_better == may


def test_one_budget_has_no_less_money():
    found = curve((2, 0.2))
    assert found.less_sentence == ""
    assert found.reason == "Only one budget was compared, 2."
    assert found.steps == ()
    assert "No larger budget was tried: one may do better." in said(found)


def test_the_cheapest_of_several_is_said_to_be_so():
    assert "No set that was compared is cheaper." in said(curve((1, 0.2), (2, 0.2)))


def test_the_knee_is_said_with_what_money_buys_before_and_after():
    found = curve((1, 0.35), (2, 0.15), (9, 0.08), spread=0.01)
    assert found.knee.selection.cost == 2
    assert plain(found.knee_sentence) == (
        "Going from 1 to 2 lowers the error by 20.0 percentage points; going on to 9, by another "
        "7.0 percentage points."
    )


def test_a_bend_by_chance_is_not_mentioned():
    found = curve((1, 0.205), (2, 0.2), (9, 0.204), spread=0.05)
    assert found.knee is None
    assert found.knee_sentence == ""


def test_a_curve_that_rises_again_is_not_said_to_fall_beyond_the_knee():
    found = curve((1, 0.35), (2, 0.15), (9, 0.16), spread=0.01)
    assert found.knee_sentence.endswith("; going on to 9 does not lower it.")


def test_a_fall_that_is_not_seen_beyond_the_knee_is_hardly_one():
    found = curve((1, 0.35), (2, 0.15), (9, 0.1499), spread=0.01)
    assert found.knee_sentence.endswith("; going on to 9 hardly lowers it.")


# --- which number to quote ------------------------------------------------------------------------


@pytest.mark.parametrize(("oob", "flatters"), [(0.15, True), (0.25, False), (0.2, False)])
def test_the_score_is_said_to_flatter_only_where_it_is_lower(oob, flatters):
    found = curve((1, 0.2), oob=oob)
    assert found.score_flatters == flatters
    assert ("flatter" in found.quote) == flatters


def test_the_score_that_picked_the_set_is_named():
    found = curve((1, 0.2), score=BRIER)
    assert "The honest Brier score, 0.2: " in found.quote
    assert "The out-of-bag Brier score, 0.144, flatters" in found.quote
    assert "out-of-bag error" not in found.quote


# --- substitutes, and features that are not bought ------------------------------------------------


def test_an_exchange_that_looks_better_is_called_no_worse():
    substitutes = [
        Substitute("f0", "f5", 0.01),
        Substitute("f1", "f6", -0.002),
        Substitute("f2", "f7", 0.0004),
        Substitute("f3", None, None),
    ]
    exchanges = findings({4: NAMES[:4]}, [0.2], substitutes=substitutes).lead.exchanges
    assert {name: e.no_worse for name, e in exchanges.items()} == {
        "f0": False,
        "f1": True,
        "f2": True,
    }


def test_features_that_most_resamples_chose_and_that_are_not_bought_are_explained():
    often = {"f7": 1.0, "f8": 0.8, "f9": 0.4}
    lead = findings({4: NAMES[:4]}, [0.2], frequencies=often).lead
    assert [f.feature for f in lead.left_out] == ["f7", "f8"]
    assert plain(lead.left_out_sentence) == (
        "Not bought, though most resamples chose them: ‘f7’ (100 %), ‘f8’ (80 %). A resample "
        "chooses from 67 % of the rows; the choice from all rows did without them."
    )
    assert findings({4: NAMES[:4]}, [0.2]).lead.left_out_sentence == ""


def test_there_is_nothing_to_choose_only_if_the_resamples_bought_everything_too():
    assert findings({20: NAMES}, [0.2]).lead.nothing_to_choose
    assert not findings({20: NAMES}, [0.2], frequencies={"f3": 0.9}).lead.nothing_to_choose
    assert not findings({5: NAMES[:5]}, [0.2]).lead.nothing_to_choose


@pytest.mark.parametrize("name", RESULTS)
def test_no_sentence_holds_a_hole(name):
    found = Findings.of(RESULTS[name]())
    sentences = [
        found.headline,
        *found.sentences,
        found.reason,
        found.knee_sentence,
        found.quote,
        *(b.left_out_sentence for b in found.budgets),
    ]
    for sentence in sentences:
        assert "nan" not in sentence.replace("nance", "")
        assert "None of" in sentence or "None" not in sentence
        assert "  " not in sentence.replace("\u2028", "")
        assert sentence == sentence.strip()
