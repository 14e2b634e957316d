"""The model that a selection leaves behind: the chosen columns, and a forest fitted on them.

A model file is a pickle: loading one runs what is in it, so load only files that you trust.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import InconsistentVersionWarning

from frugalforest.encoding import Encoder, Table
from frugalforest.errors import DataError
from frugalforest.tables import clean_column, did_you_mean, text_column, whole_file

__all__ = ["FittedModel"]

_FORMAT = "frugalforest model"
_FORMAT_VERSION = 1


@dataclass(frozen=True)
class FittedModel:
    """scikit-learn's forest on the chosen columns of a table.

    Attributes
    ----------
    features : tuple of str
        The columns that it needs.
    encoder : Encoder
        The order of the categories of those that hold text.
    forest : RandomForestClassifier
    about : mapping
        Where it comes from: target, budget, cost, method, seed, versions, hash of the data.

    Examples
    --------
    >>> frame = pd.DataFrame({"colour": ["red", "blue"] * 10, "weight": range(20)})
    >>> labels = np.array([1, 0] * 10)
    >>> model = FittedModel.fit(frame, labels, np.array(["no", "yes"]), ["colour"], 10, 0)
    >>> model.predict(pd.DataFrame({"colour": ["red", "green"]}))["predicted"][0]
    'yes'
    """

    features: tuple[str, ...]
    encoder: Encoder
    forest: Any
    about: Mapping[str, Any]

    @classmethod
    def fit(
        cls,
        frame: pd.DataFrame,
        labels: NDArray[np.intp],
        classes: NDArray[Any],
        features: Sequence[str],
        n_trees: int,
        seed: int,
        n_jobs: int | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Self:
        """Fit the forest on all rows of a clean table, see `frugalforest.tables.clean_frame`."""
        table = Table.read(frame[list(features)])
        encoder = Encoder.fit(table, labels, len(classes))
        # Threads change no result, but a number of them kept in the file would be used elsewhere.
        forest = RandomForestClassifier(n_trees, random_state=seed % 2**32, n_jobs=n_jobs)
        forest.fit(encoder.transform(table), classes[labels]).set_params(n_jobs=None)
        return cls(tuple(features), encoder, forest, dict(about or {}))

    def predict(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Predicted class of each row (`predicted`) and the shares of the classes (`share_…`).

        Other columns are ignored. A category that was not there in training is missing.
        """
        shares = self.forest.predict_proba(self.encoder.transform(self._table(frame)))
        classes = self.forest.classes_
        return pd.DataFrame(
            {
                "predicted": classes[shares.argmax(axis=1)],
                **{f"share_{name}": shares[:, k] for k, name in enumerate(classes)},
            }
        )

    def unseen(self, frame: pd.DataFrame) -> dict[str, list[str]]:
        """Categories of each text column that were not there in training."""
        found = {}
        for name, order in self.encoder.orders.items():
            texts = {t for t in text_column(frame[name]) if t is not None}
            if new := sorted(texts - set(order)):
                found[name] = new
        return found

    def _table(self, frame: pd.DataFrame) -> Table:
        given = [str(name) for name in frame.columns]
        missing = [name for name in self.features if name not in given]
        if missing:
            shown = ", ".join(f"{name!r}{_nearest(name, given)}" for name in missing)
            raise DataError(
                f"the table lacks {shown}. The model needs the columns "
                f"{', '.join(map(repr, self.features))}."
            )
        # Categories stay text even if those in this table look like numbers.
        return Table(
            self.features,
            tuple(
                text_column(frame[name])
                if name in self.encoder.orders
                else clean_column(frame[name])
                for name in self.features
            ),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model. The file appears whole or not at all."""
        content = {
            "format": _FORMAT,
            "format_version": _FORMAT_VERSION,
            "features": list(self.features),
            "orders": {name: dict(order) for name, order in self.encoder.orders.items()},
            "forest": self.forest,
            "about": dict(self.about),
        }
        with whole_file(path) as draft:
            joblib.dump(content, draft, compress=3)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote. Load only files that you trust: they are pickles."""
        file = Path(path)
        if not file.is_file():
            raise DataError(f"there is no file {str(file)!r}: check the path.")
        try:
            with warnings.catch_warnings():
                # The versions are in `about`, for whoever wants to compare them.
                warnings.simplefilter("ignore", InconsistentVersionWarning)
                content = joblib.load(file)
        except Exception:
            # A file that is no pickle fails in as many ways as there are bytes.
            content = None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise DataError(
                f"{file.name} is no model of frugalforest, is damaged, or was written with a "
                "scikit-learn that this one cannot read. Give a model-….joblib file that "
                "`frugalforest select` wrote."
            )
        if content["format_version"] > _FORMAT_VERSION:
            raise DataError(f"{file.name} was written by a newer frugalforest: update to read it.")
        return cls(
            tuple(content["features"]),
            Encoder(content["orders"]),
            content["forest"],
            content["about"],
        )


def _nearest(name: str, names: Sequence[str]) -> str:
    hint = did_you_mean(name, names)
    return f" ({hint.strip()})" if hint else ""
