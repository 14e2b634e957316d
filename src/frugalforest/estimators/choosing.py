"""What the estimators share that choose features and keep the forest on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from frugalforest.choice import Scored, choose_on_resamples, tune
from frugalforest.comparison.options import Options
from frugalforest.comparison.plan import Plan, make_plan
from frugalforest.costs import Budget, CostModel
from frugalforest.engine import ForestSettings, code_table, permutation_gains
from frugalforest.estimators.xi_search import results_table
from frugalforest.evaluation.diagnoses import AnyDiagnosis
from frugalforest.evaluation.parts import Parts, make_parts
from frugalforest.evaluation.resampling import ErrorEstimate, seed_on_all_rows
from frugalforest.evaluation.row_groups import RowGroups, read_row_groups
from frugalforest.methods import METHODS, PAPER_METHODS, Candidate, Origin, allow_any_columns
from frugalforest.methods.criterion import lowest
from frugalforest.model import fit_model, promise
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import forests_for, row_weights
from frugalforest.tables import Outcome, Table, column_checks, copied_rows
from frugalforest.tables.screening import screened
from frugalforest.words.documentation import DocumentedEstimator

__all__ = ["ChoosingForest"]


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
        gains = permutation_gains(
            code_table(self.columns, bins=self.forests.bins),
            forests_for(self.outcome).target(self.outcome, self.sample_weight),
            list(range(n_columns)),
            self.seed,
            self.forests,
            error_weights=self.error_weights,
            n_jobs=n_jobs,
        )
        return np.asarray(gains * self.outcome.unit**2)


class ChoosingForest(DocumentedEstimator, BaseEstimator):  # type: ignore[misc]
    """Chooses features, and keeps the forest on them. What is predicted, subclasses say."""

    costs: object
    budget: float | None
    method: object
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        return allow_any_columns(super().__sklearn_tags__())

    def _choose(
        self,
        table: Table,
        outcome: Outcome,
        row_groups: ArrayLike | None,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """Choose the features and keep their forest."""
        # As in `compare`, with which the choice agrees.
        budget = Budget.read(self.budget)
        tunes_method = isinstance(self.method, str) and self.method == "tune"
        usual = [name for name in PAPER_METHODS if METHODS[name].predicts(outcome.task)]
        methods = usual if tunes_method else self.method
        plan = make_plan(table, outcome, [budget], methods, Options.of(self))
        prices = CostModel.coerce(self.costs, table.names).align(table.names)
        problem = Problem.from_table(
            table,
            outcome,
            screened(prices, column_checks(table, outcome)),
            random_state=seed_on_all_rows(plan.seed),
            forests=plan.forests,
            score=plan.score,
            n_jobs=self.n_jobs,
            sample_weight=row_weights(plan.class_weight, outcome, sample_weight),
        )
        named = None if row_groups is None else read_row_groups(row_groups, table.n_rows)
        groups = RowGroups.of(named, copied_rows(table))
        parts = None
        if plan.search_rows is not None:
            strata = outcome.strata_for(groups is not None and not groups.are_copies)
            parts = make_parts(strata, plan.search_rows, plan.seed, groups)
        if plan.judged_methods and plan.options.n_resamples > 0:
            features = self._judge(problem, plan, parts, groups)
        else:
            features = self._tune(problem, plan, parts)
        promised = promise(problem.score.name, self.honest_error_, outcome)
        self.model_: Any = fit_model(problem, features, plan.final, promised)
        self._importances: NDArray[np.float64] | None = None  # until they are asked for
        self._grown_from = _GrownFrom.of(problem, features)
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Permutation importance of each column of the table; 0 for those that were not bought.

        The rise in out-of-bag error, as a mean over the forest's trees, when a column is shuffled.
        An error counts what `scoring` has it count: the balanced error and the AUC weigh classes,
        costs weigh errors; of numbers it is the mean squared error. It may be below 0. Computed
        when it is first asked for.
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
