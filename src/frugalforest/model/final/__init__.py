"""The model that is fitted on the chosen columns in the end, where it is not the forest alone."""

from frugalforest.model.final._base import Final, Measured
from frugalforest.model.final.estimator import EstimatorFinal, probabilities
from frugalforest.model.final.linear import LinearModel
from frugalforest.model.final.normal_scores import NormalScores
from frugalforest.model.final.own import OwnFinal, blended
from frugalforest.model.final.reading import FINALS, read_final

__all__ = [
    "FINALS",
    "EstimatorFinal",
    "Final",
    "LinearModel",
    "Measured",
    "NormalScores",
    "OwnFinal",
    "blended",
    "probabilities",
    "read_final",
]
