"""What if prices were different: the sets to choose from and their errors, for the script."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalforest.findings import Findings, Verdict
from frugalforest.results import Results

__all__ = ["CandidateSet", "candidate_sets"]


@dataclass(frozen=True)
class CandidateSet:
    """A set that a method chose at a budget, for the script: columns by number.

    `error` and `se` are the honest ones: of the whole procedure for the set that it took, of the
    method for the others. `se` is 0 if it is not known, and `better` whether it is better than
    guessing.
    """

    budget: int
    features: str
    cost: float
    score: float
    error: float
    se: float
    better: bool


def candidate_sets(results: Results, findings: Findings) -> list[CandidateSet]:
    """What every method chose at every budget; nothing where there is nothing to choose by.

    At the original prices, the lowest score at each budget is what the page says is bought.
    """
    if not findings.worth_measuring:
        return []
    number = {facts.feature: i for i, facts in enumerate(results.features)}
    found = []
    for i, finding in enumerate(findings.budgets):
        taken = finding.selection
        rows = [s for s in results.selections if s.budget == taken.budget]
        # The one that was taken comes first: ties in score and price are broken that way.
        for row in [taken, *(s for s in rows if s.method != taken.method)]:
            assert row.honest is not None
            found.append(
                CandidateSet(
                    i,
                    " ".join(str(number[name]) for name in row.features),
                    row.cost,
                    row.score,
                    row.honest.error,
                    0.0 if math.isnan(row.honest.se) else row.honest.se,
                    Verdict.of(row.honest, results.data, results.settings) is Verdict.BETTER,
                )
            )
    return found if len({c.features for c in found}) > 1 else []
