"""The rule in words, with the numbers that the code has: for the page, protocols and documents."""

from __future__ import annotations

from frugalforest.choice.bootstrap import N_DRAWS
from frugalforest.choice.judging import OF_OTHER_ROWS
from frugalforest.choice.ways import DEDUCTION, OUT_OF_BAG

__all__ = ["error_in_words", "rule_in_words"]


def rule_in_words() -> str:
    """Which way to a set is taken.

    Examples
    --------
    >>> print(rule_in_words()[:60])
    Of the ways to spend at most the budget, nothing among them,
    """
    errors = "standard error" if DEDUCTION == 1 else "standard errors"
    return (
        "Of the ways to spend at most the budget, nothing among them, the one is taken whose "
        "improvement on measuring nothing (or only what is free or required, if that does better) "
        "on rows that took no part in it is largest after a deduction for chance, "
        f"{DEDUCTION:g} {errors} of the improvement over the rows; the cheaper of equals. Ways are "
        f"compared by their score on the rows left out plus {OUT_OF_BAG:g} times that out of bag. "
        "An error by majority vote is graded for that: half of the log loss of the votes is added, "
        "their shares raised to the power that fits best; other scores have no grades."
    )


def error_in_words() -> str:
    """How what is quoted is corrected for the choice.

    Examples
    --------
    >>> "500 times" in error_in_words()
    True
    """
    return (
        f"Rows are drawn with replacement {N_DRAWS} times, the choice, also of how much to spend, "
        "is made on the rows drawn, and what is taken is tested on the others (Tsamardinos, "
        f"Greasidou and Borboudakis 2018); that counts {OF_OTHER_ROWS:g}, and the error seen the "
        "rest (Efron 1983)."
    )
