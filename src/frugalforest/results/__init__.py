"""What a comparison found: as types (`found`), error against money, and findings said in words."""

from frugalforest.results.found import (
    About,
    Alternative,
    BestOfMethods,
    ColumnNotice,
    DataFacts,
    FeatureFacts,
    MethodFacts,
    NumberFacts,
    Results,
    Selection,
    SelectionStep,
    Settings,
    Substitute,
    TriedSet,
)
from frugalforest.scores.facts import ScoreFacts

__all__ = [
    "About",
    "Alternative",
    "BestOfMethods",
    "ColumnNotice",
    "DataFacts",
    "FeatureFacts",
    "MethodFacts",
    "NumberFacts",
    "Results",
    "ScoreFacts",
    "Selection",
    "SelectionStep",
    "Settings",
    "Substitute",
    "TriedSet",
]
