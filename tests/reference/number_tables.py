"""Small tables with a target of numbers, and prices."""

import numpy as np
import pandas as pd

__all__ = ["PRICES", "QUICK", "number_table"]

PRICES = {"dose": 2.0, "age": 1.0, "noise": 1.0, "ward": 3.0, "copy": 2.0, "more noise": 1.0}
QUICK = {"n_trees": 30, "n_resamples": 3, "random_state": 0, "verbose": 0}


def number_table(n_rows=120, seed=0, unit=1.0):
    """A frame whose dose and ward tell most of the target, and the target."""
    rng = np.random.default_rng(seed)
    dose, age, noise, more = rng.normal(size=(4, n_rows))
    ward = rng.integers(3, size=n_rows)
    y = 3 * dose + age + 2 * (ward == 1) + 0.5 * rng.normal(size=n_rows)
    X = pd.DataFrame(
        {
            "dose": dose,
            "age": age,
            "noise": noise,
            "ward": np.array(["north", "south", "west"])[ward],
            "copy": 10 * dose,
            "more noise": np.where(rng.random(n_rows) < 0.1, np.nan, more),
        }
    )
    return X, unit * y
