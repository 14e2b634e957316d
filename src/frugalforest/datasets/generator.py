"""The paper's artificial data: settings A to D.

::

    draw_design ─► CostDesign ─► make_cost_classification
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.datasets._draws import stream, whole_number
from frugalforest.datasets.drawn_costs import COST_RANGE, draw_costs

__all__ = [
    "SETTINGS",
    "CostDesign",
    "Setting",
    "Spread",
    "draw_design",
    "make_cost_classification",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Spread = Literal["variance", "sd"]

# The second arguments of the paper's N(0, 0.5) for effects and N(0, 0.2) for costs. The paper does
# not say whether they are variances, as statisticians write them; `spread` decides.
_EFFECT_SPREAD = 0.5
_COST_SPREAD = 0.2


class Setting(NamedTuple):
    """What sets one of the paper's four artificial settings apart."""

    correlated_data: bool
    correlated_costs: bool


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "A": Setting(correlated_data=False, correlated_costs=False),
        "B": Setting(correlated_data=False, correlated_costs=True),
        "C": Setting(correlated_data=True, correlated_costs=False),
        "D": Setting(correlated_data=True, correlated_costs=True),
    }
)


@dataclass(frozen=True, eq=False)
class CostDesign:
    """All that one draw of the paper's artificial study keeps fixed over its data sets.

    Attributes
    ----------
    mu : array of shape (n_features,)
        Class means of class 1 (class 0 has zeros): the effects first, then zeros.
    block : int array of shape (n_features,)
        The correlation block of each feature, in permuted order.
    rho : array of shape (n_blocks,)
        The correlation of any two features of a block.
    independent_costs, correlated_costs : array of shape (n_features,)
        The costs of settings A and C, and of B and D.

    See Also
    --------
    draw_design : Draw one.
    """

    mu: FloatArray
    block: IntArray
    rho: FloatArray
    independent_costs: FloatArray
    correlated_costs: FloatArray

    def covariance(self) -> FloatArray:
        """Covariance matrix of the features within a class, for settings C and D.

        Variances are one, so it is the correlation matrix too.

        Examples
        --------
        >>> design = draw_design(0, n_features=6, n_relevant=3, n_blocks=2)
        >>> sigma = design.covariance()
        >>> sigma.shape, bool((sigma == sigma.T).all())
        ((6, 6), True)
        """
        same_block = self.block[:, None] == self.block[None, :]
        covariance = np.where(same_block, self.rho[self.block], 0.0)
        np.fill_diagonal(covariance, 1.0)
        return covariance


def draw_design(
    design_seed: int = 0,
    n_features: int = 200,
    n_relevant: int = 100,
    *,
    n_blocks: int = 20,
    spread: Spread = "variance",
) -> CostDesign:
    """Effects, correlation blocks and both kinds of costs, from one seed.

    Each part has its own random stream: `n_blocks`, for one, changes no effect and no cost.

    Parameters
    ----------
    design_seed : int, default=0
    n_features, n_relevant : int, default=200, 100
        The first `n_relevant` features get an effect.
    n_blocks : int, default=20
        Number of blocks of correlated features, all of one size. Must divide `n_features`.
    spread : {"variance", "sd"}, default="variance"
        How to read the second argument of the paper's N(0, 0.5) for the effects and N(0, 0.2) for
        the correlated costs: as a variance, or as a standard deviation.

    Returns
    -------
    CostDesign

    Examples
    --------
    >>> design = draw_design(design_seed=1, n_features=6, n_relevant=2, n_blocks=3)
    >>> (design.mu != 0).tolist()
    [True, True, False, False, False, False]
    >>> sorted(design.block.tolist())
    [0, 0, 1, 1, 2, 2]
    """
    design_seed = whole_number("design_seed", design_seed, 0)
    n_features = whole_number("n_features", n_features, 1)
    n_relevant = whole_number("n_relevant", n_relevant, 0)
    n_blocks = whole_number("n_blocks", n_blocks, 1)
    if n_relevant > n_features:
        raise ValueError(
            f"n_relevant={n_relevant} is more than n_features={n_features}. "
            f"Set `n_relevant` to {n_features} or less."
        )
    if n_features % n_blocks:
        raise ValueError(
            f"n_features={n_features} is not divisible by n_blocks={n_blocks}: the blocks of "
            "correlated features have one size. Set `n_blocks` to a divisor of `n_features`."
        )
    if spread not in ("variance", "sd"):
        raise ValueError(f"spread={spread!r} is unknown. Set `spread` to 'variance' or 'sd'.")

    mu = np.zeros(n_features)
    mu[:n_relevant] = _draw_effects(
        stream("effects", design_seed), n_relevant, _standard_deviation(_EFFECT_SPREAD, spread)
    )
    cost_noise = stream("correlated costs", design_seed).normal(
        0.0, _standard_deviation(_COST_SPREAD, spread), n_features
    )
    return CostDesign(
        mu=mu,
        block=stream("block membership", design_seed).permutation(
            np.arange(n_features, dtype=np.int64) % n_blocks
        ),
        rho=stream("block correlations", design_seed).uniform(0.0, 1.0, n_blocks),
        independent_costs=draw_costs(n_features, design_seed),
        correlated_costs=np.clip(np.abs(mu) + cost_noise, *COST_RANGE),
    )


def make_cost_classification(
    setting: str = "A",
    n_samples: int = 500,
    n_features: int = 200,
    n_relevant: int = 100,
    *,
    n_blocks: int = 20,
    spread: Spread = "variance",
    design_seed: int = 0,
    random_state: int = 0,
) -> tuple[FloatArray, IntArray, FloatArray]:
    """A two-class data set with feature costs, as in the paper's settings A to D.

    ======= =========== ===========
    setting data        costs
    ======= =========== ===========
    A       independent independent
    B       independent correlated
    C       correlated  independent
    D       correlated  correlated
    ======= =========== ===========

    *Correlated costs* grow with the size of a feature's effect. A training set and its test set
    need the same `design_seed` and different `random_state`: with another `design_seed`, the
    effects and the costs are others too.

    Parameters
    ----------
    setting : {"A", "B", "C", "D"}, default="A"
    n_samples, n_features, n_relevant : int, default=500, 200, 100
        The first `n_relevant` features get an effect.
    n_blocks : int, default=20
        Number of blocks of correlated features in C and D, where it must divide `n_features`.
        Unused in A and B.
    spread : {"variance", "sd"}, default="variance"
        How to read the second argument of the paper's N(0, 0.5) for the effects and N(0, 0.2) for
        the correlated costs: as a variance, or as a standard deviation.
    design_seed : int, default=0
        Draws the effects (shared by all settings), the correlation blocks (shared by C and D),
        the independent costs (shared by A and C) and the correlated costs (shared by B and D).
    random_state : int, default=0
        Draws the rows. For equal seeds A and B have the same rows, and so do C and D.

    Returns
    -------
    X : float64 array of shape (n_samples, n_features)
    y : int64 array of shape (n_samples,)
        0 or 1, each with probability one half.
    costs : float64 array of shape (n_features,)
        Between 0.1 and 1.

    See Also
    --------
    draw_design : The effects, blocks and costs behind the data.

    Examples
    --------
    >>> X, y, costs = make_cost_classification("D", n_samples=50, random_state=1)
    >>> X.shape, y.shape, costs.shape
    ((50, 200), (50,), (200,))
    >>> X_test, y_test, same_costs = make_cost_classification("D", n_samples=5000, random_state=2)
    >>> bool((costs == same_costs).all())
    True
    """
    if setting not in SETTINGS:
        raise ValueError(
            f"setting={setting!r} is unknown. Set `setting` to one of {', '.join(SETTINGS)}."
        )
    n_samples = whole_number("n_samples", n_samples, 1)
    random_state = whole_number("random_state", random_state, 0)
    correlated_data, correlated_costs = SETTINGS[setting]
    design = draw_design(
        design_seed,
        n_features,
        n_relevant,
        # A and B have no blocks; one block suits any n_features, and nothing else depends on it.
        n_blocks=n_blocks if correlated_data else 1,
        spread=spread,
    )

    purpose = "correlated rows" if correlated_data else "independent rows"
    rng = stream(purpose, design_seed, random_state)
    y = rng.integers(0, 2, size=n_samples)
    X = rng.standard_normal((n_samples, n_features))
    if correlated_data:
        # sqrt(rho) z + sqrt(1 - rho) e, with one z a block and one e a feature, has variance 1 and
        # covariance rho within the block: exactly N(0, Sigma), without factorising Sigma.
        z = rng.standard_normal((n_samples, n_blocks))
        rho = design.rho[design.block]
        X = np.sqrt(rho) * z[:, design.block] + np.sqrt(1.0 - rho) * X
    X += y[:, None] * design.mu
    return X, y, design.correlated_costs if correlated_costs else design.independent_costs


def _standard_deviation(value: float, spread: Spread) -> float:
    return value if spread == "sd" else float(np.sqrt(value))


def _draw_effects(rng: np.random.Generator, n: int, sd: float) -> FloatArray:
    """N(0, sd) truncated to [-1, 1] by drawing again whatever falls outside."""
    effects = rng.normal(0.0, sd, n)
    while (outside := np.abs(effects) > 1.0).any():
        effects[outside] = rng.normal(0.0, sd, np.count_nonzero(outside))
    return effects
