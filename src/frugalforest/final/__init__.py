"""The model that is fitted on the chosen columns in the end, where it is not the forest alone."""

from frugalforest.final._base import Final
from frugalforest.final.estimator import EstimatorFinal, probabilities
from frugalforest.final.linear import LinearModel
from frugalforest.final.normal_scores import NormalScores
from frugalforest.final.own import OwnFinal, blended
from frugalforest.final.reading import FINALS, read_final

__all__ = [
    "FINALS",
    "EstimatorFinal",
    "Final",
    "LinearModel",
    "NormalScores",
    "OwnFinal",
    "blended",
    "probabilities",
    "read_final",
]
