"""FrugalForestClassifier: choose the features, then keep the forest on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from frugalforest.choice import Scored, choose_on_resamples, tune
from frugalforest.comparison.options import Options, takes_options
from frugalforest.comparison.plan import Plan, make_plan
from frugalforest.costs import Budget, CostModel
from frugalforest.engine import (
    ForestSettings,
    code_table,
    permutation_gains,
)
from frugalforest.estimators.xi_search import results_table
from frugalforest.evaluation.diagnoses import AnyDiagnosis
from frugalforest.evaluation.parts import Parts, make_parts
from frugalforest.evaluation.resampling import ErrorEstimate, seed_on_all_rows
from frugalforest.evaluation.row_groups import RowGroups, read_row_groups
from frugalforest.methods import (
    PAPER_METHODS,
    Candidate,
    Origin,
    allow_any_columns,
    read_rows,
)
from frugalforest.methods.criterion import lowest
from frugalforest.model import fit_model, promise
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import forests_for, row_weights
from frugalforest.tables import Outcome, column_checks, copied_rows
from frugalforest.tables.screening import screened
from frugalforest.words.documentation import DocumentedEstimator

__all__ = ["FrugalForestClassifier"]


@dataclass(frozen=True)
class _GrownFrom:
    """What the fitted forest was grown from, kept for its importances: the chosen columns only."""

    columns: NDArray[np.float64]
    outcome: Outcome
    seed: int
    forests: ForestSettings
    sample_weight: NDArray[np.float64] | None
    error_weights: NDArray[np.float64] | None

    @classmethod
    def of(cls, problem: Problem, features: FeatureSet) -> Self:
        outcome = problem.outcome
        columns = np.empty((outcome.n_rows, 0))
        if features:
            chosen = problem.table.select([problem.table.names[j] for j in features])
            columns = problem.encoder.select(chosen.names).transform(chosen)
        seed, forests = problem.forest_seed, problem.forests
        weight = problem.sample_weight
        return cls(columns, outcome, seed, forests, weight, problem.error_weights)

    def importances(self, n_jobs: int | None) -> NDArray[np.float64]:
        n_columns = self.columns.shape[1]
        if not n_columns:
            return np.zeros(0)
        return permutation_gains(
            code_table(self.columns, bins=self.forests.bins),
            forests_for(self.outcome).target(self.outcome, self.sample_weight),
            list(range(n_columns)),
            self.seed,
            self.forests,
            error_weights=self.error_weights,
            n_jobs=n_jobs,
        )


@takes_options(
    "xi",
    "scoring",
    "n_trees",
    "n_resamples",
    "bins",
    "search_rows",
    "final",
    "random_state",
    "n_jobs",
    "error_costs",
    "class_weight",
    "min_samples_leaf",
    n_resamples=10,
    random_state=None,
)
class FrugalForestClassifier(
    ClassifierMixin,  # type: ignore[misc]
    DocumentedEstimator,
    BaseEstimator,  # type: ignore[misc]
):
    """A random forest on the features that a budget can buy.

    Chooses the features with `auto`, which pools several methods and decides by rows left out, or
    with the methods given. The fitted forest is the one by which the chosen set was scored. Columns
    that cannot help (empty, constant, copies of cheaper ones) are not bought; if nothing helps,
    nothing is, and the commonest class is predicted.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    method : str, Method, a sequence of them, or "tune", default="auto"
        How features are chosen: a name of `frugalforest.methods.METHODS`, or a method with
        parameters of its own. With several, the one whose set has the lowest score; "tune" means
        the four methods of the paper.
    {options}
    n_jobs : int or None
        Threads. Results do not depend on it.

    Attributes
    ----------
    selected_features_ : ndarray
        Names of the chosen columns, or their indices if the table has no names.
    support_ : ndarray of bool
    total_cost_ : float
    method_, xi_
        What chose them.
    selection_score_ : float
        Out-of-bag score of the chosen set: lower than the error to expect on new data.
    honest_error_ : ErrorEstimate or None
        Error to expect on new data (or what `scoring` asks for; of the AUC, 1 − AUC), with an
        interval; of `auto` with resamples only.
    diagnosis_ : Diagnosis or None
        What was predicted for cases left out of the choice: confusion matrix, sensitivity,
        specificity and more, with intervals; where there is an honest error and something is
        bought.
    selection_ : dict of ndarrays
        Everything that was tried: method, xi, features, n_features, total_cost, score; and, unless
        the choice was by rows left out, oob_error and brier.
    model_ : FittedModel or FinalModel
        The chosen columns and the forest on them, which can be saved, or the final model.
    feature_importances_ : ndarray of shape (n_features,)
        Permutation importance of each column; 0 for those that were not bought.
    classes_ : ndarray

    Notes
    -----
    Of scikit-learn's `check_estimator`, these do not hold. A row of weight 2 is not that row twice,
    as in scikit-learn's own forests: rows are drawn, and weights are in the trees. Class weights
    choose splits, and little else, since leaves are pure. And columns of a frame go by name: other
    columns and another order are welcome in `predict`, where scikit-learn wants an error.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> costs = dict.fromkeys(X.columns, 1.0) | {"worst area": 5.0}
    >>> model = FrugalForestClassifier(costs, budget=3, method="auc", n_trees=100, random_state=0)
    >>> model.fit(X, y).total_cost_
    3.0
    >>> model.predict(X[model.selected_features_]).shape
    (569,)
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        method: object = "auto",
        *,
        n_jobs: int | None = None,
        **options: Any,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.method = method
        self.n_jobs = n_jobs
        for name, value in options.items():
            setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        return allow_any_columns(super().__sklearn_tags__())

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        row_groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the features and keep their forest.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, text, categories or dates; empty, None or NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes, and at most 20 or one for ten rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights in the impurity and in the leaves of all forests. Rows of weight 0 are out of
            bag in every tree. Scores, honest errors, the AUC filter, the linear surrogate and a
            final model are not weighted.
        row_groups : array-like of shape (n_rows,), optional
            Rows of one group (a patient, a batch) are never on both sides of a split, and intervals
            are over groups. Copies of a row are kept together in any case. In a pipeline or a
            search it is routed as metadata: ``set_fit_request(row_groups=True)``.

        Returns
        -------
        self
        """
        # As in `compare`, with which the choice agrees.
        budget = Budget.read(self.budget)
        table, outcome = read_rows(self, X, y, self.costs)
        tunes_method = isinstance(self.method, str) and self.method == "tune"
        methods = PAPER_METHODS if tunes_method else self.method
        plan = make_plan(table, outcome, [budget], methods, Options.of(self))
        own_weight = None
        if sample_weight is not None:
            own_weight = _check_sample_weight(
                sample_weight, outcome.labels, ensure_non_negative=True
            )
        prices = CostModel.coerce(self.costs, table.names).align(table.names)
        problem = Problem.from_table(
            table,
            outcome,
            screened(prices, column_checks(table, outcome)),
            random_state=seed_on_all_rows(plan.seed),
            forests=plan.forests,
            score=plan.score,
            n_jobs=self.n_jobs,
            sample_weight=row_weights(plan.class_weight, outcome, own_weight),
        )
        named = None if row_groups is None else read_row_groups(row_groups, table.n_rows)
        groups = RowGroups.of(named, copied_rows(table))
        parts = None
        if plan.search_rows is not None:
            parts = make_parts(outcome.strata, plan.search_rows, plan.seed, groups)
        if plan.judged_methods and plan.options.n_resamples > 0:
            features = self._judge(problem, plan, parts, groups)
        else:
            features = self._tune(problem, plan, parts)
        self.classes_ = outcome.classes
        promised = promise(problem.score.name, self.honest_error_, outcome.counts.tolist())
        self.model_ = fit_model(problem, features, plan.final, promised)
        self._importances: NDArray[np.float64] | None = None  # until they are asked for
        self._grown_from = _GrownFrom.of(problem, features)
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Permutation importance of each column of the table; 0 for those that were not bought.

        The rise in out-of-bag error, as a mean over the forest's trees, when a column is shuffled.
        An error counts what `scoring` has it count: the balanced error and the AUC weigh classes,
        costs weigh errors. It may be below 0. Computed when it is first asked for.
        """
        check_is_fitted(self)
        if self._importances is None:
            importances = np.zeros(len(self.support_))
            importances[self.support_] = self._grown_from.importances(self.n_jobs)
            self._importances = importances
        return self._importances.copy()

    def _tune(self, problem: Problem, plan: Plan, parts: Parts | None) -> FeatureSet:
        """The set with the lowest out-of-bag score, on the rows that are searched."""
        searched = problem
        if parts is not None:
            searched = problem.on_rows(parts.search, problem.seed)
        (budget,) = plan.budgets
        tuned = [tune(searched, method, [budget])[budget] for method in plan.methods]
        winner = lowest([t.best.score.value for t in tuned], [t.best.candidate.cost for t in tuned])
        assert winner is not None  # because each method's own choice has a score
        candidate = tuned[winner].best.candidate
        self._keep(Scored(candidate, problem.scores([candidate.features])[0]), problem.n_features)
        tables = [results_table(t.tried) for t in tuned]
        names = [method.name for method in plan.methods]
        self.selection_ = {
            "method": np.repeat(names, [len(t["xi"]) for t in tables]),
            **{key: np.concatenate([t[key] for t in tables]) for key in tables[0]},
        }
        self.honest_error_: ErrorEstimate | None = None
        self.diagnosis_: AnyDiagnosis | None = None
        return candidate.features

    def _judge(
        self, problem: Problem, plan: Plan, parts: Parts | None, groups: RowGroups | None
    ) -> FeatureSet:
        """The set that does best on rows left out, or none."""
        (budget,), method = plan.budgets, plan.judged_methods[0]
        pool, judged = choose_on_resamples(
            problem,
            method,
            [budget],
            plan.options.n_resamples,
            final=plan.final,
            parts=parts,
            groups=groups,
            seed=plan.seed,
        )
        found = judged[budget]
        features, xi = pool.chosen(found.place)
        candidate = Candidate.from_set(problem.prices, budget, features, Origin(method.name, xi))
        self._keep(Scored(candidate, problem.scores([features])[0]), problem.n_features)
        self.selection_ = pool.to_table(budget)
        self.honest_error_ = found.honest
        self.diagnosis_ = found.diagnosis
        return features

    def _keep(self, best: Scored, n_features: int) -> None:
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[list(best.candidate.features)] = True
        names = getattr(self, "feature_names_in_", np.arange(n_features))
        self.selected_features_ = names[self.support_]
        self.total_cost_ = best.candidate.cost
        self.method_ = best.candidate.origin.method
        self.xi_ = best.candidate.origin.xi
        self.selection_score_ = best.score.value

    def _rows(self, X: Any) -> Any:
        """A table like the one in `fit`, or a frame that holds the chosen columns, checked."""
        check_is_fitted(self)
        if hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            given = {str(name) for name in X.columns}
            if not set(self.selected_features_) <= given:
                validate_data(self, X, skip_check_array=True, reset=False)
            return X if not self.model_.features else self.model_.read(X)
        array = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        return array if not self.model_.features else self.model_.read(array[:, self.support_])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row with the lowest expected loss: the likeliest, for the error.

        A frame needs only the chosen columns, in any order.
        """
        rows = self._rows(X)
        return self.model_.predict(rows, self.n_jobs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class shares of each row: of votes, or of leaves if sets are not compared by the error.

        A frame needs only the chosen columns.
        """
        rows = self._rows(X)
        return self.model_.predict_proba(rows, self.n_jobs)
