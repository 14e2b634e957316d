"""What a comparison comes to: each fact worked out once, for terminal, page, pictures, notebook.

`Findings.of(results)` has the facts and, as plain text, the sentences that say them. Everything
about money goes by what is spent, not by the budget.
"""

from frugalforest.results.findings._budget import (
    BudgetFinding,
    Exchange,
    MoneyStep,
    PassedOver,
    Stretch,
    Verdict,
)
from frugalforest.results.findings._facts import Facts, Knee
from frugalforest.results.findings._findings import Findings

__all__ = [
    "BudgetFinding",
    "Exchange",
    "Facts",
    "Findings",
    "Knee",
    "MoneyStep",
    "PassedOver",
    "Stretch",
    "Verdict",
]
