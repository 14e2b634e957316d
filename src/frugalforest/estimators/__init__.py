"""The scikit-learn estimators that do the whole job: choose, and predict."""

from frugalforest.estimators.classifier import FrugalForestClassifier
from frugalforest.estimators.regressor import FrugalForestRegressor
from frugalforest.estimators.xi_search import XiSearch

__all__ = ["FrugalForestClassifier", "FrugalForestRegressor", "XiSearch"]
