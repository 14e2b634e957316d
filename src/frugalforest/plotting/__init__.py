"""Pictures of a comparison, in the manner of scikit-learn's Display classes.

`FrontierDisplay`: error against money. `XiCurveDisplay`: selection score against ξ.
`SelectionFrequencyDisplay`: how often each feature was chosen. `RocDisplay`, `ReliabilityDisplay`
and `ConfusionDisplay`: what is predicted for cases left out. Each is made by `from_comparison`,
keeps its numbers as attributes, and draws with `plot`. Colours of text and axes are those of the
style in use; matplotlib is loaded when something is drawn.
"""

from frugalforest.plotting._confusion import ConfusionDisplay
from frugalforest.plotting._frequency import SelectionFrequencyDisplay
from frugalforest.plotting._frontier import FrontierCurve, FrontierDisplay
from frugalforest.plotting._reliability import ReliabilityDisplay
from frugalforest.plotting._roc import RocDisplay
from frugalforest.plotting._xi import XiCurveDisplay

__all__ = [
    "ConfusionDisplay",
    "FrontierCurve",
    "FrontierDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "SelectionFrequencyDisplay",
    "XiCurveDisplay",
]
