"""Laws that hold for every method, and paths that are known exactly because scores are scripted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from frugalforest import (
    AUCSelector,
    CostModel,
    ForwardSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
)
from frugalforest.costs import Budget
from frugalforest.errors import BudgetError, CostError
from frugalforest.methods import METHODS, RatioMethod, forward_path
from frugalforest.methods._filling import Shop
from reference.tiny_problems import tiny_problem

# Every method by the name of the registry, and the modes that have rules of their own. Small
# forests: the laws do not depend on their size.
SELECTORS = {
    "auc": AUCSelector(),
    "pfi": PermutationSelector(n_trees=20),
    "sts": ShallowTreeSelector(n_trees=10),
    "forward": ForwardSelector(n_trees=10),
    "sts, as printed": ShallowTreeSelector(n_trees=10, rule="paper"),
    "sts, few features": ShallowTreeSelector(n_trees=10, trees="features", zeta=0.5),
    "sts, little money": ShallowTreeSelector(n_trees=10, trees="cost"),
    "forward, racing": ForwardSelector(n_trees=20, racing=True),
}
XIS = (0.0, 0.3, 1.0, 2.0, 7.5)

FEW = 12
every_method = pytest.mark.parametrize("name", SELECTORS)
few_examples = settings(max_examples=FEW, deadline=None, derandomize=True)
some_examples = settings(max_examples=60, deadline=None, derandomize=True)
seeds, xis = st.integers(0, 2**31), st.sampled_from(XIS)
budget_numbers = st.integers(0, 3)


def problem_for(name, seed):
    # No race is run with eight candidates or fewer.
    return tiny_problem(seed, n_features=12 if name == "forward, racing" else None)


def fitted(name, tiny, budget, xi, **changes):
    given_ = {"X": tiny.X, "y": tiny.y, "costs": tiny.cost_model, "n_jobs": 1} | changes
    selector = clone(SELECTORS[name]).set_params(
        costs=given_["costs"], budget=budget, xi=xi, random_state=3, n_jobs=given_["n_jobs"]
    )
    return selector.fit(given_["X"], given_["y"])


def in_path(selector):
    return [set(features) for features in selector.path_["features"]]


def test_every_method_is_looked_at():
    by_xi = {name for name, kind in METHODS.items() if issubclass(kind, RatioMethod)}
    assert by_xi <= set(SELECTORS)


# --- prices and budgets -------------------------------------------------------------------------


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers)
@few_examples
def test_budget_is_never_exceeded(name, seed, xi, number):
    tiny = problem_for(name, seed)
    budget = tiny.budgets[number]
    selector = fitted(name, tiny, budget, xi)
    chosen = selector.get_support(indices=True).tolist()
    assert selector.total_cost_ == pytest.approx(tiny.prices.total(chosen))
    assert budget is None or tiny.prices.total(chosen) <= budget * (1 + 1e-9)


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers)
@few_examples
def test_path_adds_up_to_the_cost_and_the_set(name, seed, xi, number):
    tiny = problem_for(name, seed)
    selector = fitted(name, tiny, tiny.budgets[number], xi)
    steps = in_path(selector)
    assert set().union(*steps) == set(selector.get_support(indices=True).tolist())
    assert sum(map(len, steps)) == selector.support_.sum()
    assert selector.path_["cost"].sum() == pytest.approx(selector.total_cost_)
    assert selector.path_["cumulative_cost"][-1] == pytest.approx(selector.total_cost_)
    assert {len(column) for column in selector.path_.values()} == {len(steps)}


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers, factor=st.sampled_from([0.01, 0.3, 3, 1000]))
@few_examples
def test_another_currency_changes_nothing(name, seed, xi, number, factor):
    tiny = problem_for(name, seed)
    budget = tiny.budgets[number]
    model = tiny.cost_model
    dearer = CostModel(
        [cost * factor for cost in model.costs],
        groups=model.groups,
        group_costs={group: fee * factor for group, fee in (model.group_costs or {}).items()},
        required=model.required,
        excluded=model.excluded,
    )
    before = fitted(name, tiny, budget, xi)
    after = fitted(name, tiny, None if budget is None else budget * factor, xi, costs=dearer)
    assert in_path(after) == in_path(before)
    np.testing.assert_array_equal(after.path_["gain"], before.path_["gain"])
    np.testing.assert_allclose(after.path_["cost"], before.path_["cost"] * factor, atol=1e-9)


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers)
@few_examples
def test_free_and_required_features_are_in_and_excluded_ones_never(name, seed, xi, number):
    tiny = problem_for(name, seed)
    selector = fitted(name, tiny, tiny.budgets[number], xi)
    chosen = set(selector.get_support(indices=True).tolist())
    assert tiny.prices.in_from_the_start() <= chosen
    assert not tiny.prices.excluded & chosen


@every_method
@given(seed=seeds, xi=xis)
@few_examples
def test_no_limit_buys_everything_that_is_not_excluded(name, seed, xi):
    tiny = problem_for(name, seed)
    selector = fitted(name, tiny, None, xi)
    assert set(np.flatnonzero(~selector.support_).tolist()) == tiny.prices.excluded


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers)
@few_examples
def test_nothing_that_still_fits_is_left(name, seed, xi, number):
    tiny = problem_for(name, seed)
    budget = tiny.budgets[number]
    chosen = set(fitted(name, tiny, budget, xi).get_support(indices=True).tolist())
    for j in tiny.prices.buyable(chosen):
        assert budget is not None
        assert tiny.prices.total(chosen | {j}) > budget


@every_method
def test_budget_that_buys_nothing_is_an_error_that_names_the_cheapest(name):
    tiny = problem_for(name, 1)
    model = CostModel([5, 8, 3.5, 9][: tiny.X.shape[1]] + [9] * (tiny.X.shape[1] - 4))
    with pytest.raises(BudgetError, match=r"budget=3: the cheapest, 'x2', costs 3\.5"):
        fitted(name, tiny, 3, 1.0, costs=model)


@every_method
def test_required_features_above_the_budget_are_an_error(name):
    tiny = problem_for(name, 1)
    with pytest.raises(BudgetError, match="required"):
        fitted(name, tiny, 3, 1.0, costs=CostModel(2, required=[0, 1]))


@every_method
def test_excluding_everything_is_an_error(name):
    tiny = problem_for(name, 1)
    with pytest.raises(CostError, match="excluded"):
        fitted(name, tiny, 3, 1.0, costs=CostModel(1, excluded=range(tiny.X.shape[1])))


@pytest.mark.parametrize("name", ["auc", "pfi", "forward", "sts"])
def test_constant_column_is_bought_if_the_budget_buys_nothing_else(name):
    tiny = problem_for(name, 1)
    X = np.column_stack([np.ones(len(tiny.y)), tiny.X[:, 0]])
    selector = fitted(name, tiny, 1.0, 1.0, X=X, costs=[1, 5])
    assert selector.support_.tolist() == [True, False]


# --- data ---------------------------------------------------------------------------------------


@every_method
@given(seed=seeds, xi=xis, share=st.sampled_from([0.3, 0.6, None]))
@few_examples
def test_permuting_the_columns_permutes_the_answer(name, seed, xi, share):
    # Prices that differ: between two features alike in all else, the first column would win.
    rng = np.random.default_rng(seed)
    tiny = problem_for(name, seed)
    n_features = tiny.X.shape[1]
    costs = rng.uniform(0.5, 1.5, n_features)
    groups = rng.choice(["a", "b", None], n_features)
    fees = {group: rng.uniform(0.1, 1) for group in set(groups) - {None}}
    excluded = rng.integers(n_features)

    def prices(columns):
        return CostModel(
            costs[columns],
            groups=groups[columns].tolist(),
            group_costs=fees,
            excluded=[int(np.flatnonzero(columns == excluded)[0])],
        )

    budget = None if share is None else 2.5 + share * costs.sum()  # no feature alone costs more
    order = rng.permutation(n_features)
    before = fitted(name, tiny, budget, xi, costs=prices(np.arange(n_features)))
    after = fitted(name, tiny, budget, xi, costs=prices(order), X=tiny.X[:, order])
    np.testing.assert_array_equal(after.support_, before.support_[order])
    assert [{int(order[j]) for j in step} for step in in_path(after)] == in_path(before)
    np.testing.assert_array_equal(after.path_["gain"], before.path_["gain"])


@every_method
@given(seed=seeds, xi=xis, number=budget_numbers)
@few_examples
def test_same_seed_gives_the_same_answer_for_any_number_of_threads(name, seed, xi, number):
    tiny = problem_for(name, seed)
    one, two = (fitted(name, tiny, tiny.budgets[number], xi, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.support_, two.support_)
    assert in_path(one) == in_path(two)
    np.testing.assert_array_equal(one.path_["gain"], two.path_["gain"])


@every_method
def test_fit_leaves_its_inputs_alone(name):
    tiny = problem_for(name, 6)
    costs = np.linspace(1, 2, tiny.X.shape[1])
    X, y, model = tiny.X.copy(), tiny.y.copy(), costs.copy()
    fitted(name, tiny, 4.0, 1.0, X=X, y=y, costs=model)
    np.testing.assert_array_equal(X, tiny.X)
    np.testing.assert_array_equal(y, tiny.y)
    np.testing.assert_array_equal(model, costs)


@every_method
def test_fit_takes_arrays_that_cannot_be_written_to(name):
    tiny = problem_for(name, 6)
    tiny.X.setflags(write=False)
    tiny.y.setflags(write=False)
    assert fitted(name, tiny, None, 1.0).support_.any()


@every_method
def test_parameters_are_the_same_before_and_after_fit(name):
    tiny = problem_for(name, 6)
    costs = {f"x{j}": 1.0 + j for j in range(tiny.X.shape[1])}
    before = dict(costs)
    frame = pytest.importorskip("pandas").DataFrame(tiny.X, columns=list(costs))
    selector = fitted(name, tiny, 5.0, 1.0, X=frame, costs=costs)
    assert selector.get_params()["costs"] is costs
    assert costs == before


# --- scripted forward paths ---------------------------------------------------------------------


def scripted_path(errors, costs, budget, xi, **cost_model):
    """The path of forward selection where `errors` says what each set is worth: no forest."""
    n_features = len(costs)
    seen = []

    def next_errors(features, candidates, cost, given_xi):
        assert given_xi == xi
        seen.append((features, tuple(candidates), tuple(cost.tolist())))
        return np.array([errors[tuple(sorted((*features, j)))] for j in candidates])

    prices = CostModel(costs, **cost_model).align(None, n_features)
    budget = Budget.read(budget)
    candidate = forward_path(errors.__getitem__, next_errors, prices, budget, xi)
    return candidate, seen


def added(candidate):
    return [step.features for step in candidate.steps]


def test_forward_takes_the_cheaper_of_two_equal_features():
    errors = {(): 0.5, (0,): 0.3, (1,): 0.3, (0, 1): 0.1}
    for xi in (0.0, 1.0):
        candidate, _ = scripted_path(errors, [4, 2], budget=4, xi=xi)
        assert added(candidate) == [(1,)]


def test_forward_takes_the_higher_gain_of_two_equal_ratios():
    errors = {(): 0.5, (0,): 0.4, (1,): 0.3, (0, 1): 0.3}  # 0.1 / 1 = 0.2 / 2, if not in floats
    candidate, _ = scripted_path(errors, [1, 2], budget=2, xi=1.0)
    assert added(candidate) == [(1,)]


def test_forward_takes_the_lower_column_if_all_is_equal():
    errors = {(): 0.5, (0,): 0.5, (1,): 0.25, (2,): 0.25}
    candidate, _ = scripted_path(errors, [1, 1, 1], budget=1, xi=1.0)
    assert added(candidate) == [(1,)]


def test_forward_takes_the_cheaper_of_two_equal_losses():
    errors = {(): 0.5, (0,): 0.6, (1,): 0.6}
    for xi in (0.0, 0.5, 1.0, 3.0):
        candidate, _ = scripted_path(errors, [4, 2], budget=4, xi=xi)
        assert added(candidate) == [(1,)]
        assert candidate.steps[0].gain == pytest.approx(-0.1)


def test_forward_weighs_a_loss_by_its_price():
    errors = {(): 0.5, (0,): 0.6, (1,): 0.7}  # −0.1 · 4 against −0.2 · 1
    assert added(scripted_path(errors, [4, 1], budget=4, xi=0.0)[0]) == [(0,)]
    assert added(scripted_path(errors, [4, 1], budget=4, xi=1.0)[0]) == [(1,)]


def test_forward_prefers_any_gain_to_no_change_and_that_to_any_loss():
    errors = {(): 0.5, (0,): 0.51, (1,): 0.5, (2,): 0.499, (0, 1): 0.5}
    assert added(scripted_path(errors, [1, 8, 9], budget=9, xi=5.0)[0]) == [(2,)]
    assert added(scripted_path(errors, [1, 8, 10], budget=9, xi=5.0)[0]) == [(1,), (0,)]


def test_forward_goes_on_though_it_loses_until_nothing_fits():
    errors = {(): 0.5, (0,): 0.2, (1,): 0.4, (2,): 0.4, (0, 1): 0.3, (0, 2): 0.3, (0, 1, 2): 0.35}
    candidate, _ = scripted_path(errors, [1, 1, 2], budget=3, xi=1.0)
    assert added(candidate) == [(0,), (1,)]
    assert candidate.cost == 2


def test_forward_passes_over_the_best_feature_if_it_does_not_fit():
    errors = {(): 0.5, (0,): 0.3, (1,): 0.0, (2,): 0.4, (0, 2): 0.2, (0, 1): 0.0, (0, 1, 2): 0.0}
    candidate, seen = scripted_path(errors, [1, 5, 1], budget=3, xi=0.0)
    assert added(candidate) == [(0,), (2,)]
    assert all(1 not in candidates for _, candidates, _ in seen)


def test_forward_pays_a_group_with_its_first_feature_only():
    # Alone 0 and 1 cost 4 each and 2 costs 2; once one of the group is paid, the other costs 1.
    errors = {(): 0.5, (0,): 0.1, (1,): 0.2, (2,): 0.4, (0, 1): 0.05, (0, 2): 0.02, (0, 1, 2): 0.0}
    candidate, seen = scripted_path(
        errors, [1, 1, 2], 7, 1.0, groups=["a", "a", None], group_costs={"a": 3}
    )
    assert [cost for _, _, cost in seen] == [(4, 4, 2), (1, 2), (2,)]
    # 0.05 / 1 beats 0.08 / 2: at the price it had alone, 4, feature 1 would have lost.
    assert added(candidate) == [(0,), (1,), (2,)]
    assert [step.cost for step in candidate.steps] == [4, 1, 2]
    assert candidate.cost == 7


def test_forward_starts_from_free_and_required_features():
    errors = {(0, 3): 0.4, (0, 1, 3): 0.3, (0, 2, 3): 0.35}
    candidate, seen = scripted_path(errors, [0, 2, 1, 1], 3, 0.0, required=[3])
    assert added(candidate) == [(0, 3), (1,)]
    assert candidate.steps[0].cost == 1
    assert np.isnan(candidate.steps[0].gain)
    assert candidate.steps[1].gain == pytest.approx(0.1)
    assert seen[0][:2] == ((0, 3), (1, 2))


def test_forward_gains_add_up_to_the_fall_of_the_error():
    errors = {(): 0.5, (0,): 0.3, (1,): 0.35, (2,): 0.4, (0, 1): 0.2, (0, 2): 0.32, (0, 1, 2): 0.22}
    candidate, _ = scripted_path(errors, [1, 1, 1], None, 1.0)
    assert added(candidate) == [(0,), (1,), (2,)]
    assert [step.gain for step in candidate.steps] == pytest.approx([0.2, 0.1, -0.02])


def test_forward_never_takes_a_candidate_that_lost_the_race():
    errors = {(): 0.5, (0,): np.inf, (1,): 0.6, (2,): np.inf}
    for xi in (0.0, 1.0, 4.0):
        candidate, _ = scripted_path(errors, [0.1, 9, 0.1], budget=9, xi=xi)
        assert added(candidate) == [(1,)]


# --- filters ------------------------------------------------------------------------------------


def filled(benefit, costs, budget, xi, **cost_model):
    prices = CostModel(costs, **cost_model).align(None, len(costs))
    return Shop(prices, np.array(benefit, dtype=float), Budget.read(budget)).fill(xi).tolist()


def test_filter_skips_what_does_not_fit_and_goes_on_to_the_end():
    assert filled([0.9, 0.8, 0.7, 0.1], [3, 4, 2, 1], budget=6, xi=0.0) == [0, 2, 3]


def test_filter_ranks_useful_useless_and_harmful_features_in_that_order():
    benefit, costs = [-0.2, 0.0, 0.1, -0.2, 0.0], [1, 6, 9, 4, 5]
    for xi in (0.5, 1.0, 10.0):
        assert filled(benefit, costs, None, xi) == [2, 4, 1, 0, 3]


def test_filter_takes_the_cheaper_of_two_harmful_features_that_are_alike():
    assert filled([-0.1, -0.1], [4, 2], budget=4, xi=1.0) == [1]


def test_filter_weighs_harm_by_price():
    assert filled([-0.1, -0.2], [4, 1], budget=4, xi=0.0) == [0]
    assert filled([-0.1, -0.2], [4, 1], budget=4, xi=1.0) == [1]


def test_filter_finds_a_group_cheaper_after_its_first_feature():
    grouped = {"groups": ["a", "a", None], "group_costs": {"a": 3}}
    # 0.5 / 4 comes first, 0.2 / 4 would come last, but 0.2 / 1 comes before 0.3 / 3.
    assert filled([0.5, 0.2, 0.3], [1, 1, 3], 8, 1.0, **grouped) == [0, 1, 2]
    assert filled([0.5, 0.2, 0.3], [4, 4, 3], 11, 1.0) == [0, 2, 1]


def test_budget_of_three_tenths_buys_a_tenth_and_two_tenths():
    assert filled([0.2, 0.1], [0.2, 0.1], budget=0.3, xi=0.0) == [0, 1]


@given(seed=seeds, unit=st.sampled_from([0.1, 3.0, 7.0, 1e-6, 12345.6]))
@few_examples
def test_a_tuned_filter_does_not_depend_on_the_unit_of_money(seed, unit):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 8)), np.arange(40) % 2
    X[:, :4] += 0.8 * y[:, None]
    costs, budget = rng.integers(1, 10, 8) / 10, 1.2

    def search(k):
        selector = AUCSelector(costs * k, budget * k, random_state=0)
        return XiSearch(selector, n_trees=20).fit(X, y)

    one, other = search(1.0), search(unit)
    assert one.results_["features"].tolist() == other.results_["features"].tolist()
    assert one.support_.tolist() == other.support_.tolist()
