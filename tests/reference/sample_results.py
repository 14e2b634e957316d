"""Results of made-up comparisons, for tests of findings, page and pictures.

`make_results` takes what matters to a test (prices, sets, honest errors) and fills in the rest with
numbers that hang together: costs are those of the prices, the winner has the lowest score.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np

from frugalforest.evaluation.resampling import ErrorEstimate, nogueira_stability
from frugalforest.results import (
    BestOfMethods,
    DataFacts,
    FeatureFacts,
    MethodFacts,
    Results,
    ScoreFacts,
    Selection,
    SelectionStep,
    Settings,
    Substitute,
    TriedSet,
)

SCRIPT = "<script>alert(1)</script>"
HOSTILE = [SCRIPT, '"><img src=x onerror=alert(2)>', "a & b </script>\u2028 <!--", "{{ 7 * 7 }}"]
LONG = "long_" * 60
GROUP = "<b>blood</b>"
CLASSES = ("<i>healthy</i>", "mild & odd", "severe")

ERROR = ScoreFacts("error", "out-of-bag error", math.nan)
BRIER = ScoreFacts("brier", "out-of-bag Brier score", math.nan)


def _of_nothing(score, counts):
    """What guessing scores, written out: as common as the classes are."""
    shares = [count / sum(counts) for count in counts]
    if score.name == "error":
        return 1 - max(shares)
    return (1 - sum(s * s for s in shares)) / (2 if len(shares) == 2 else 1)


METHODS = {
    "auc": MethodFacts(
        "auc",
        "AUC filter",
        "rates each feature alone.",
        "The AUC filter rates each feature alone, by 2·|AUC − ½|.",
        "#0072B2",
        "square",
        has_xi=True,
        exact=True,
    ),
    "pfi": MethodFacts(
        "pfi",
        "Permutation filter",
        "rates each feature by what shuffling it costs a forest on all.",
        "The permutation filter grows one random forest of 1000 trees on all features.",
        "#D55E00",
        "triangle",
        has_xi=True,
        exact=True,
    ),
    "sts": MethodFacts(
        "sts",
        "Shallow trees",
        "buys whole small trees.",
        "Shallow tree selection grows small trees and selects the features of those it adds.",
        "#009E73",
        "diamond",
        has_xi=True,
        exact=False,
    ),
    "forward": MethodFacts(
        "forward",
        "Forward selection",
        "adds one feature at a time.",
        "Forward selection adds one feature at a time, by the out-of-bag error of a random forest.",
        "#CC79A7",
        "triangle down",
        has_xi=True,
        exact=False,
    ),
    # One that the package does not know, without ξ.
    "oracle": MethodFacts(
        "oracle",
        "Oracle",
        "asks an expert.",
        "The oracle asks an expert which features matter.",
        "#56B4E9",
        "pentagon",
        has_xi=False,
        exact=False,
    ),
}


def features_at(prices, groups=None, fees=None, required=(), excluded=(), missing=(), text=()):
    """The price list: `prices` once the fee of the group is paid."""
    groups, fees = groups or {}, fees or {}
    return tuple(
        FeatureFacts(
            name,
            price + fees.get(groups.get(name), 0.0),
            groups.get(name),
            price,
            fees.get(groups.get(name), 0.0),
            name in required,
            name in excluded,
            price == 0 and name not in groups,
            "text" if name in text else "number",
            20 if name in missing else 0,
        )
        for name, price in prices.items()
    )


def cost_of(chosen, features):
    """What a set costs, fees included."""
    bought = [f for f in features if f.feature in chosen]
    return sum(f.cost_if_group_paid for f in bought) + sum(
        {f.group: f.group_cost for f in bought if f.group is not None}.values()
    )


def estimate(error, spread, n_resamples, test_share=1 / 3):
    """An honest error with errors of resamples spread evenly around it."""
    errors = np.full(n_resamples, error)
    if n_resamples > 1:
        errors = errors + spread * np.linspace(-1, 1, n_resamples)
    return ErrorEstimate.from_errors(errors, test_share / (1 - test_share))


def make_results(
    sets,
    errors=None,
    *,
    features=None,
    methods=("auc",),
    winner=None,
    oob=None,
    spread=0.03,
    score=ERROR,
    n_resamples=10,
    classes=("ill", "well"),
    counts=(212, 357),
    frequencies=None,
    substitutes=None,
    xi=None,
    row_groups=False,
):
    """A comparison that buys `sets` (budget to features) with honest `errors`, one a budget.

    Without `errors` there are no resamples. `winner` is the method that is best at all budgets.
    `oob` is the out-of-bag error of its sets; `frequencies` those of all budgets, 1 for what is
    bought by default.
    """
    rng = np.random.default_rng(0)
    features = features or features_at({name: 1.0 for chosen in sets.values() for name in chosen})
    names = [f.feature for f in features]
    n_resamples = 0 if errors is None else n_resamples
    winner = winner or methods[0]
    selections, procedures = [], []
    for i, (budget, chosen) in enumerate(sets.items()):
        cost = cost_of(chosen, features)
        assert cost <= budget + 1e-9
        honest = None if errors is None else estimate(errors[i], spread, n_resamples)
        own_oob = oob if oob is not None else (0.25 if honest is None else 0.8 * honest.error)
        often = None
        if n_resamples:
            often = dict.fromkeys(names, 0.0) | dict.fromkeys(chosen, 1.0) | (frequencies or {})
        stability = None if n_resamples < 2 else _stability(often, n_resamples)
        for k, method in enumerate(methods):
            wins = method == winner
            error = own_oob if wins else own_oob + 0.01 * (k + 1)
            own = {"error": error, "brier": 0.9 * error}
            facts = METHODS[method]
            best_xi = (0.5 if xi is None else xi) if facts.has_xi else None
            tried = (
                tuple(
                    TriedSet(x, "", len(chosen), cost, own[score.name] + 0.02 * abs(x - best_xi))
                    for x in ((0.0, 0.3, 0.5, 0.8, 1.7) if xi is None else (xi,))
                )
                if facts.has_xi
                else (
                    TriedSet(None, "first", 1, cost, own[score.name] + 0.01),
                    TriedSet(None, "second", len(chosen), cost, own[score.name]),
                )
            )
            shifted = honest and replace(
                honest, **{a: getattr(honest, a) + 0.01 * k for a in ("error", "low", "high")}
            )
            selections.append(
                Selection(
                    float(budget),
                    cost,
                    tuple(chosen),
                    method,
                    best_xi,
                    own[score.name],
                    own["error"],
                    own["brier"],
                    shifted,
                    tuple(
                        SelectionStep((name,), float(g), cost_of([name], features))
                        for name, g in zip(chosen, rng.random(len(chosen)), strict=True)
                    ),
                    tried,
                    tuple(substitutes or ()) if wins else (),
                    often,
                    stability,
                )
            )
        picked = dict.fromkeys(methods, 0) | {winner: n_resamples}
        procedures.append(BestOfMethods(float(budget), winner, picked, honest, often, stability))
    return Results(
        DataFacts(sum(counts), len(names), tuple(classes), tuple(counts), "0" * 64),
        Settings(
            tuple(map(float, sets)),
            tuple(methods),
            xi,
            score.name,
            1000,
            n_resamples,
            1 / 3,
            row_groups,
            0,
        ),
        features,
        tuple(METHODS[m] for m in methods),
        replace(score, of_nothing=_of_nothing(score, counts)),
        tuple(selections),
        tuple(procedures),
        {"frugalforest": "0.2", "python": "3.11", "numpy": "2.3", "scikit-learn": "1.7"},
    )


def _stability(often, n_resamples):
    shares = np.array(list(often.values()))
    return nogueira_stability(np.arange(n_resamples)[:, None] < shares * n_resamples)


@cache
def demo():
    """Ten measurements with three features and a fee each, four methods, four budgets."""
    kinds = ["mean", "error", "worst"]
    measurements = ["radius", "texture", "area", "smoothness", "concavity", "symmetry"]
    names = [f"{kind} {m}" for m in measurements for kind in kinds]
    fees = {m: 2 + i % 3 * 2.5 for i, m in enumerate(measurements)}
    features = features_at(
        dict.fromkeys(names, 1.0), {name: name.split()[1] for name in names}, fees
    )
    return make_results(
        {
            5: ["mean radius", "worst radius"],
            10: ["mean radius", "worst radius", "worst texture"],
            20: ["mean radius", "worst radius", "worst texture", "worst area"],
            40: [n for n in names if "worst" in n and "symmetry" not in n],
        },
        [0.12, 0.08, 0.055, 0.05],
        features=features,
        methods=("auc", "pfi", "sts", "forward"),
        winner="sts",
        spread=0.012,
        frequencies={"mean area": 0.9, "worst area": 0.6, "worst symmetry": 0.2},
        substitutes=[
            Substitute("mean radius", "mean area", 0.004),
            Substitute("worst radius", "worst area", -0.002),
            Substitute("worst texture", None, None),
        ],
    )


def _hostile_features():
    names = [*HOSTILE, "smoker", "age", LONG, "postcode"]
    return features_at(
        dict(zip(names, [2, 1.25, 1, 1, 1, 0, 0.333, 1], strict=True)),
        dict.fromkeys(HOSTILE[:2], GROUP),
        {GROUP: 2.5},
        required=["smoker"],
        excluded=["postcode"],
        missing=["smoker", "age"],
        text=["smoker"],
    )


_THREE = {"classes": CLASSES, "counts": (50, 40, 30)}


@cache
def hostile():
    """Names that are markup, three classes, text, missing values, free, required, excluded."""
    return make_results(
        {
            2: ["smoker", "age", LONG],
            4: ["smoker", "age", HOSTILE[2], HOSTILE[3]],
            12: [*HOSTILE, "smoker", "age", LONG],
        },
        [0.4, 0.3, 0.25],
        features=_hostile_features(),
        methods=("auc", "forward"),
        frequencies={HOSTILE[0]: 0.7},
        substitutes=[Substitute(HOSTILE[2], HOSTILE[0], 0.01)],
        **_THREE,
    )


@cache
def single():
    """One budget, one method, one resample, a fixed ξ, the Brier score, grouped rows."""
    return make_results(
        {7: [*HOSTILE[2:], "smoker", "age", HOSTILE[0]]} | {},
        [0.3],
        features=replace_price(_hostile_features(), HOSTILE[0], 1.0),
        n_resamples=1,
        score=BRIER,
        xi=1.0,
        row_groups=True,
        **_THREE,
    )


def replace_price(features, name, price):
    """The price list with another price for one feature."""
    return tuple(
        replace(f, cost=price + f.group_cost, cost_if_group_paid=price) if f.feature == name else f
        for f in features
    )


@cache
def without_resamples():
    """No honest errors."""
    return make_results(
        {4: ["smoker", "age", *HOSTILE[2:]], 12: [*HOSTILE, "smoker", "age", LONG]},
        features=_hostile_features(),
        methods=("auc", "sts"),
        **_THREE,
    )


@cache
def wide():
    """200 features, 30 of them chosen, and budgets far apart."""
    names = [f"marker_{j:03d}" + "_of_a_long_name" * (j % 5) for j in range(200)]
    return make_results(
        {1: names[:1], 40: names[:30]},
        [0.4, 0.3],
        features=features_at(dict.fromkeys(names, 1.0)),
        n_resamples=2,
        frequencies=dict.fromkeys(names[20:60], 0.5),
        counts=(30, 30),
    )


@cache
def everything():
    """All features are bought at the larger budget."""
    names = [f"test {letter}" for letter in "abcdefg"]
    return make_results(
        {3: names[:3], 50: names},
        [0.3, 0.2],
        features=features_at(dict.fromkeys(names, 1.0)),
        methods=("auc", "sts"),
    )


@cache
def noise():
    """Nothing is better than guessing, at any budget."""
    names = [f"noise {j}" for j in range(6)]
    return make_results(
        {2: names[:2], 4: names[:4]},
        [0.52, 0.505],
        features=features_at(dict.fromkeys(names, 1.0)),
        methods=("auc", "forward"),
        counts=(100, 100),
    )


@cache
def five_methods():
    """With one that the package does not know, and that has no ξ."""
    names = [f"sensor {j}" for j in range(8)]
    return make_results(
        {2: names[:2], 5: names[2:7]},
        [0.3, 0.2],
        features=features_at(dict.fromkeys(names, 1.0)),
        methods=tuple(METHODS),
        winner="oracle",
    )


@cache
def judged():
    """One method has the say: its sets are chosen among by rows left out. All buy the same."""
    names = [f"sensor {j}" for j in range(8)]
    found = make_results(
        {2: names[:2], 5: names[2:7]},
        [0.3, 0.2],
        features=features_at(dict.fromkeys(names, 1.0)),
        methods=("oracle", "auc", "sts"),
    )
    judge, *others = found.methods_used
    return replace(found, methods_used=(replace(judge, judged=True), *others))


RESULTS = {
    f.__name__: f
    for f in (
        demo,
        hostile,
        single,
        without_resamples,
        wide,
        everything,
        noise,
        five_methods,
        judged,
    )
}
