"""`Comparison`: what `compare` returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from frugalforest.comparison.coherence import check_coherent, checksum, score_of
from frugalforest.comparison.hashes import hash_data
from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import seed_on_all_rows
from frugalforest.model import AnyModel, FinalModel, fit_model, promise
from frugalforest.model.final import FINALS, read_final
from frugalforest.problem import Problem
from frugalforest.results import Results, Selection
from frugalforest.results.findings import Findings
from frugalforest.results.frontier import MoneyBuys, cheapest_within, find_knee, money_buys
from frugalforest.scores import forests_for, row_weights
from frugalforest.storage.files import whole_file
from frugalforest.storage.records import from_plain, to_plain
from frugalforest.tables import read_outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from frugalforest.plotting import FrontierDisplay

__all__ = ["Comparison"]

_FORMAT = "frugalforest comparison"
_FORMAT_VERSION = 3


@dataclass(frozen=True, repr=False)
class Comparison(Results):
    """Methods at budgets, with honest errors: the result of `compare`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalforest import compare
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = compare(X, y, budgets=[1, 2], methods=["auc"], n_trees=20, n_resamples=2)
    >>> result
    Comparison(methods=('auc',), budgets=(1.0, 2.0))
    """

    def __repr__(self) -> str:
        return f"Comparison(methods={self.methods}, budgets={self.budgets})"

    def _repr_html_(self) -> str:
        from frugalforest.report import render_summary

        return render_summary(self)

    def knee(self) -> Selection | None:
        """The budget from which on money buys less, or None if there is no such bend."""
        point = find_knee(self.frontier())
        return None if point is None else self.best(point.budget)

    @property
    def recommended(self) -> Selection | None:
        """The cheapest set within one standard error of the lowest honest error.

        Along the whole frontier up to the largest budget. One that is not shown to be better than
        guessing is passed over for one that is. None without honest errors.
        """
        return Findings.of(self).recommended

    def cheapest_good(self) -> Selection:
        """`recommended`, or an error if there are no honest errors."""
        self.frontier()  # says so if there is no honest error
        assert self.recommended is not None  # because there are honest errors
        return self.recommended

    def cheapest(self, max_error: float) -> Selection | None:
        """The cheapest set with at most this honest error, or None."""
        point = cheapest_within(self.frontier(), max_error)
        return None if point is None else self.best(point.budget)

    def money_buys(self) -> list[MoneyBuys]:
        """Fall in honest error, and per unit of money spent, from each budget to the next.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from frugalforest import compare
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = compare(X, y, budgets=[1, 3], methods=["auc"], n_trees=20, n_resamples=2)
        >>> for step in result.money_buys():
        ...     print(f"{step.budget:g} to {step.next_budget:g}: {step.spent:g} more is spent")
        1 to 3: 2 more is spent
        """
        return money_buys(self.frontier())

    def plot(self, *, ax: Axes | None = None, methods: Any = None) -> FrontierDisplay:
        """Draw error against money; see `frugalforest.plotting`, which has more pictures.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        methods : str or iterable of str, optional
            Methods of the comparison, or "best"; all by default.

        Returns
        -------
        FrontierDisplay
            With the axes (`ax_`), the figure (`figure_`) and the numbers (`curves`).

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from frugalforest import compare
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = compare(X, y, budgets=[1, 2], methods=["auc"], n_trees=20, n_resamples=2)
        >>> result.plot().ax_.get_ylabel()
        'Honest error (% of new cases)'
        """
        # Loaded when something is drawn: most comparisons run without a picture.
        from frugalforest.plotting import FrontierDisplay

        return FrontierDisplay.from_comparison(self, ax=ax, methods=methods)

    def to_frame(self) -> Any:
        """One row for each budget and method, as a pandas data frame.

        `error`, `low` and `high` are the honest error, or what else `scoring` asked for, the lower
        the better: of the AUC, 1 − AUC. Where that is what errors cost, `total` is the price of the
        set with it.
        """
        import pandas as pd

        return pd.DataFrame([self._row(selection) for selection in self.selections])

    def _row(self, selection: Selection) -> dict[str, Any]:
        honest = selection.honest
        return {
            "budget": selection.budget,
            "method": selection.method,
            "winner": self.procedure(selection.budget).method == selection.method,
            "n_features": len(selection.features),
            "cost": selection.cost,
            "xi": np.nan if selection.xi is None else selection.xi,
            "oob_error": selection.oob_error,
            "brier": selection.brier,
            "error": np.nan if honest is None else honest.error,
            "low": np.nan if honest is None else honest.low,
            "high": np.nan if honest is None else honest.high,
            **({"total": self._total(selection)} if self.score_used.is_cost else {}),
            "stability": np.nan if selection.stability is None else selection.stability,
            "features": selection.features,
        }

    @staticmethod
    def _total(selection: Selection) -> float:
        return np.nan if selection.honest is None else selection.cost + selection.honest.error

    def fit(
        self,
        X: Any,
        y: Any,
        budget: float | None = None,
        *,
        about: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        final: object = None,
    ) -> AnyModel:
        """The model to use at a budget (the largest by default): the one that was measured.

        Parameters
        ----------
        X, y
            The table and the target that were compared on.
        budget : float, optional
        about : mapping, optional
            What to note in the model's file.
        n_jobs : int or None
            Threads. The model does not depend on it.
        final : scikit-learn classifier, optional
            What was compared with, if it was one.

        Raises
        ------
        DataError
            If they are not.
        """
        amounts = [self.budgets[-1] if budget is None else budget]
        noted = None if about is None else lambda _: about
        return next(self.fit_each(X, y, amounts, about=noted, n_jobs=n_jobs, final=final))

    def fit_each(
        self,
        X: Any,
        y: Any,
        budgets: Iterable[float],
        *,
        about: Callable[[Selection], Mapping[str, Any]] | None = None,
        n_jobs: int | None = None,
        final: object = None,
    ) -> Iterator[AnyModel]:
        """The models of several budgets, one after the other: the table is read and coded once.

        Parameters
        ----------
        X, y, n_jobs, final
            As in `fit`.
        budgets : iterable of float
        about : callable, optional
            What to note in the file of a selection's model.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from frugalforest import compare
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = compare(X, y, budgets=[1, 3], methods=["auc"], n_trees=20, n_resamples=2)
        >>> [len(model.features) for model in result.fit_each(X, y, result.budgets)]
        [1, 3]
        """
        own = [each for each in FINALS.values() if each and each.name == self.settings.final]
        last = own[0] if own and final is None else read_final(final)
        if ("" if last is None else last.name) != self.settings.final:
            raise ValueError(
                f"the comparison was made with final={self.settings.final or None}: give the same."
            )
        outcome = read_outcome(y, self.data.task)
        problem = Problem.from_table(
            X,
            outcome,
            random_state=seed_on_all_rows(self.settings.seed),
            forests=replace(
                forests_for(outcome).default,
                n_trees=self.settings.n_trees,
                min_samples_leaf=self.settings.min_samples_leaf,
                bins=self.settings.bins,
            ),
            score=score_of(self),
            n_jobs=n_jobs,
            sample_weight=row_weights(self.settings.class_weight, outcome),
        )
        if hash_data(problem.table, problem.outcome) != self.data.sha256:
            raise DataError(
                "these are not the table and the target that were compared on: give the same, with "
                "all columns."
            )
        for chosen in map(self.best, budgets):
            features = tuple(problem.table.names.index(name) for name in chosen.features)
            promised = promise(self.settings.scoring, chosen.honest, outcome)
            noted = {} if about is None else about(chosen)
            model = fit_model(problem, features, last, {**promised, **noted})
            if not isinstance(model, FinalModel) and model.forest is not None:
                # The promise of this method: what is handed over is what was measured.
                assert model.oob_error == chosen.oob_error
            yield model

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the comparison as one self-contained HTML page. It appears whole or not at all."""
        from frugalforest.report import render

        with whole_file(path) as draft:
            draft.write_text(render(self), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dicts, lists, text and numbers: `save` adds a checksum."""
        return {"format": _FORMAT, "format_version": _FORMAT_VERSION, **to_plain(self)}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the comparison as JSON. The file appears whole or not at all."""
        document = self.to_dict()
        document = {"checksum": checksum(document), **document}
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        with whole_file(path) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a comparison that `save` wrote.

        A file that was changed is refused. One without its line "checksum" is read if its parts
        belong together.
        """
        file = Path(path)
        no_comparison = f"{file.name} is no saved comparison"
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise DataError(f"{no_comparison} ({error}).") from None
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DataError(f"{no_comparison}.")
        written_as = document.get("format_version")
        if not isinstance(written_as, int):
            raise DataError(f"{no_comparison}: it has no format version.")
        if written_as > _FORMAT_VERSION:
            raise DataError(
                f"{file.name} was written by a newer frugalforest (format {written_as}, this one "
                f"reads {_FORMAT_VERSION}): update to read it."
            )
        if written_as < _FORMAT_VERSION:
            raise DataError(
                f"{file.name} was written by an older frugalforest (format {written_as}, this one "
                f"reads {_FORMAT_VERSION}): run the comparison again."
            )
        if document.get("checksum", checksum(document)) != checksum(document):
            raise DataError(
                f"{file.name} was changed after it was written: its checksum differs. Make it "
                'again, or remove the line "checksum" if the change was meant.'
            )
        result = from_plain(cls, document, file.name)
        check_coherent(result, file.name)
        return result
