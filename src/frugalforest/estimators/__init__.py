"""The scikit-learn estimators that do the whole job: choose, and predict."""

from frugalforest.estimators.classifier import FrugalForestClassifier
from frugalforest.estimators.xi_search import XiSearch

__all__ = ["FrugalForestClassifier", "XiSearch"]
