"""Scores: what sets are compared by, how decisions follow, and what errors cost."""

from frugalforest.scores.class_weights import ClassWeight, read_class_weight, row_weights
from frugalforest.scores.decisions import BY_VOTES, DecisionRule, decided
from frugalforest.scores.error_costs import ErrorCosts
from frugalforest.scores.grading import best_power, graded_losses
from frugalforest.scores.oob import (
    OobScore,
    needs_shares,
    oob_scores,
    score_batch,
    score_evidence,
    vote_error,
)
from frugalforest.scores.score import (
    AUC,
    ERROR,
    SCORES,
    BalancedError,
    Brier,
    Cost,
    Error,
    LogLoss,
    Score,
    find_score,
    squared_distances,
)

__all__ = [
    "AUC",
    "BY_VOTES",
    "ERROR",
    "SCORES",
    "BalancedError",
    "Brier",
    "ClassWeight",
    "Cost",
    "DecisionRule",
    "Error",
    "ErrorCosts",
    "LogLoss",
    "OobScore",
    "Score",
    "best_power",
    "decided",
    "find_score",
    "graded_losses",
    "needs_shares",
    "oob_scores",
    "read_class_weight",
    "row_weights",
    "score_batch",
    "score_evidence",
    "squared_distances",
    "vote_error",
]
