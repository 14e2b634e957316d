"""What if prices were different: the sets to choose from and their errors, for the script."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalforest.results import Alternative, Results, Selection
from frugalforest.results.findings import Findings, Verdict

__all__ = ["CandidateSet", "candidate_sets"]


@dataclass(frozen=True)
class CandidateSet:
    """A set that could be bought at a budget, for the script: columns by number.

    Of those that fit, the one with the lowest `turn` is bought. `error` and `se` are the honest
    ones: of the whole procedure for the set that it took, of the method for the others. `se` is 0
    if it is not known, and `better` whether it is better than guessing.
    """

    budget: int
    features: str
    cost: float
    turn: float
    error: float
    se: float
    better: bool


def candidate_sets(results: Results, findings: Findings) -> list[CandidateSet]:
    """What could be bought at every budget; nothing where there is nothing to choose by.

    Where sets are judged on rows left out, what that chose for the budget and for less money, the
    most money first, and then what all other ways came to; otherwise what every method chose, the
    lowest score first. At the original prices, the first of its own at each budget is what the page
    says is bought.
    """
    if not findings.worth_measuring:
        return []
    number = {facts.feature: i for i, facts in enumerate(results.features)}
    rows = [
        (i, *turn)
        for i, stretch in enumerate(findings.stretches)
        for turn in _in_turn(results, stretch.finding.selection, i)
    ]
    # What no amount buys comes after all that some amount does.
    last = len(findings.stretches) - 1
    others = (row for row in results.best().alternatives if not row.chosen)
    rows += [(last, 1.0 + place, row) for place, row in enumerate(others)]
    found = []
    for i, turn, row in rows:
        assert row.honest is not None
        found.append(
            CandidateSet(
                i,
                " ".join(str(number[name]) for name in row.features),
                row.cost,
                turn,
                row.honest.error,
                0.0 if math.isnan(row.honest.se) else row.honest.se,
                Verdict.of(row.honest, results) is Verdict.BETTER,
            )
        )
    return found if len({c.features for c in found}) > 1 else []


def _in_turn(
    results: Results, taken: Selection, budget: int
) -> list[tuple[float, Selection | Alternative]]:
    """The one that was taken comes first: what is tied in turn and price is in this order."""
    if taken.alternatives:
        chosen = [row for row in taken.alternatives if row.chosen]
        return [(place / len(chosen) - budget, row) for place, row in enumerate(chosen)]
    rows = [s for s in results.selections if s.budget == taken.budget]
    return [(s.score, s) for s in (taken, *(s for s in rows if s.method != taken.method))]
