"""Scores: what sets are compared by, how decisions follow, and what errors cost."""

from frugalforest.scores.asked import read_scoring, settled_task
from frugalforest.scores.base import NUMBER_SCORES, SCORES, Score, register_score
from frugalforest.scores.class_weights import ClassWeight, read_class_weight, row_weights
from frugalforest.scores.decisions import BY_VOTES, DecisionRule, decided
from frugalforest.scores.error_costs import ErrorCosts
from frugalforest.scores.forests import Forests, ScoredForests, forests_for
from frugalforest.scores.grading import best_power, graded_losses
from frugalforest.scores.numbers import (
    AbsoluteError,
    NumberScore,
    RootSquaredError,
    SquaredError,
    Unexplained,
    find_number_score,
)
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
    BalancedError,
    Brier,
    ClassScore,
    Cost,
    Error,
    LogLoss,
    as_class_score,
    check_scoring,
    find_score,
    squared_distances,
)

__all__ = [
    "AUC",
    "BY_VOTES",
    "ERROR",
    "NUMBER_SCORES",
    "SCORES",
    "AbsoluteError",
    "BalancedError",
    "Brier",
    "ClassScore",
    "ClassWeight",
    "Cost",
    "DecisionRule",
    "Error",
    "ErrorCosts",
    "Forests",
    "LogLoss",
    "NumberScore",
    "OobScore",
    "RootSquaredError",
    "Score",
    "ScoredForests",
    "SquaredError",
    "Unexplained",
    "as_class_score",
    "best_power",
    "check_scoring",
    "decided",
    "find_number_score",
    "find_score",
    "forests_for",
    "graded_losses",
    "needs_shares",
    "oob_scores",
    "read_class_weight",
    "read_scoring",
    "register_score",
    "row_weights",
    "score_batch",
    "score_evidence",
    "settled_task",
    "squared_distances",
    "vote_error",
]
