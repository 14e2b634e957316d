"""The linear model of the final blend, from its definition: slow, and short."""

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm, rankdata


def normal_scores(column):
    """Of the ranks of a column's values, for few distinct ones; the median where one is missing."""
    known = ~np.isnan(column)
    ranks = (rankdata(column[known]) - 0.5) / known.sum()
    scores = np.clip(norm.ppf(ranks), -3, 3)
    middle, spread = scores.mean(), scores.std()
    order = np.argsort(column[known])
    of_median = np.interp(np.median(column[known]), column[known][order], scores[order])
    found = np.full(len(column), (of_median - middle) / spread)
    found[known] = (scores - middle) / spread
    return found


def shares(intercepts, slopes, Z):
    """The softmax of the log odds."""
    raised = np.exp(intercepts + Z @ slopes)
    return raised / raised.sum(axis=1, keepdims=True)


def fit(Z, labels, n_classes, weight=None):
    """Intercepts and slopes with the least penalized log loss, by a general minimizer."""
    weight = np.ones(len(Z)) if weight is None else weight * len(Z) / weight.sum()
    penalty = max(1.0, Z.shape[1] / 5)
    split = n_classes

    def loss(flat):
        found = shares(flat[:split], flat[split:].reshape(-1, n_classes), Z)
        surprise = -np.log(found[np.arange(len(Z)), labels])
        # All intercepts can rise alike: the last term keeps them where they are.
        free = flat[:split].mean() ** 2
        return weight @ surprise + penalty * (flat[split:] ** 2).sum() + free

    start = np.zeros(n_classes * (1 + Z.shape[1]))
    flat = minimize(loss, start, method="BFGS", options={"gtol": 1e-6}).x
    return flat[:split], flat[split:].reshape(-1, n_classes)


def left_out(Z, labels, n_classes):
    """What the model says of each row that is left out, each fitted anew."""
    found = np.empty((len(Z), n_classes))
    for i in range(len(Z)):
        kept = np.arange(len(Z)) != i
        found[i] = shares(*fit(Z[kept], labels[kept], n_classes), Z[i : i + 1])[0]
    return found
