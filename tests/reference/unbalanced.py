"""One ill in five, and two columns at one price: the best by the error is not the best otherwise.

The mark is there for a quarter of the ill and for nobody else: whoever names the likeliest class
errs for 15 %, but hardly knows more of the others. By the level nobody is called ill for certain,
so that way 20 % are got wrong, yet nearly all of the ill are at the high one, where half are ill.

======================  ======  =======
population value          mark    level
======================  ======  =======
error                    0.150    0.200
balanced error           0.375    0.163
1 − AUC                  0.375    0.163
Brier score              0.126    0.111
log loss                 0.414    0.335
cost (10 for a miss)     0.800    0.332
======================  ======  =======
"""

import numpy as np
import pandas as pd
from sklearn import metrics

ERROR_COSTS = {("ill", "well"): 10, ("well", "ill"): 1}
CLASSES = ["ill", "well"]


def draw_unbalanced(n_rows, seed, n_noise=2):
    """A table of a mark, a level and noise, and who is ill."""
    rng = np.random.default_rng(seed)
    high = rng.random(n_rows) < 0.4
    ill = rng.random(n_rows) < np.where(high, 0.47, 0.02)
    X = pd.DataFrame({"mark": (ill & (rng.random(n_rows) < 0.25)).astype(int), "level": high * 1})
    for j in range(n_noise):
        X[f"noise{j}"] = rng.integers(0, 2, n_rows)
    return X, np.where(ill, "ill", "well")


def arguments(scoring):
    """What to give beside the table."""
    costs = ERROR_COSTS if scoring == "cost" else None
    return {"scoring": scoring, "error_costs": costs}


def loss_on(model, X, y, scoring):
    """The score of what a model says of new rows, by scikit-learn."""
    said, share = model.predict(X), model.predict_proba(X)[:, 0]
    if scoring == "error":
        return 1 - metrics.accuracy_score(y, said)
    if scoring == "balanced_error":
        return 1 - metrics.balanced_accuracy_score(y, said)
    if scoring == "auc":
        return 1 - metrics.roc_auc_score(y == "ill", share)
    if scoring == "brier":
        return metrics.brier_score_loss(y == "ill", share)
    if scoring == "log_loss":  # of shares smoothed alike, or one that is 0 would cost no end
        return metrics.log_loss(y == "ill", np.clip(share, 1e-3, 1 - 1e-3))
    missed, alarm = (said == "well") & (y == "ill"), (said == "ill") & (y == "well")
    return float(np.mean(10 * missed + alarm))
