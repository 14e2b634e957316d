"""Data to choose features on: the paper's generator, its six real sets, three priced sets.

::

    make_cost_classification   settings A to D, from a draw_design
    load_real                  the six sets of Table 2, from OpenML or a folder, checked against it
    load_priced                three medical sets with real prices, from a folder
    draw_costs                 uniform costs for a table that has no prices

"The paper" is Jagdhuber, Lang and Rahnenführer, arXiv 2008.06298. A random stream is keyed by what
it is for and by its seed, so no draw depends on the order or the size of another.
"""

from frugalforest.datasets._folder import DATA_DIR_VARIABLE, DataSet
from frugalforest.datasets.drawn_costs import COST_RANGE, draw_costs
from frugalforest.datasets.generator import (
    SETTINGS,
    CostDesign,
    Setting,
    Spread,
    draw_design,
    make_cost_classification,
)
from frugalforest.datasets.priced import PRICED_SETS, PricedDataSet, load_priced
from frugalforest.datasets.real import REAL_SETS, RealSet, load_real

__all__ = [
    "COST_RANGE",
    "DATA_DIR_VARIABLE",
    "PRICED_SETS",
    "REAL_SETS",
    "SETTINGS",
    "CostDesign",
    "DataSet",
    "PricedDataSet",
    "RealSet",
    "Setting",
    "Spread",
    "draw_costs",
    "draw_design",
    "load_priced",
    "load_real",
    "make_cost_classification",
]
