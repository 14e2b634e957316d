"""The signature and the documentation that a function or an estimator has by its options."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from textwrap import wrap
from typing import Any, TypeVar

from frugalforest.comparison.options import Options

__all__ = ["takes_options"]

Taker = TypeVar("Taker", bound=Callable[..., Any])

_OPTIONS = {each.name: each for each in fields(Options)}


def takes_options(*names: str, **defaults: Any) -> Callable[[Taker], Taker]:
    """Give what takes ``**options`` their signature, and their words for ``{options}``.

    Parameters
    ----------
    *names : str
        Its parameters from the first option on, which may have some of its own among them. By
        default all options, by keyword only.
    **defaults
        Where they are not the usual ones.

    Examples
    --------
    >>> @takes_options("bins", "n_resamples", n_resamples=10)
    ... def f(x, **options):
    ...     return options
    >>> f(3, "exact")
    {'bins': 'exact', 'n_resamples': 10}
    """

    def decorate(taker: Taker) -> Taker:
        function: Any = vars(taker)["__init__"] if isinstance(taker, type) else taker
        *own, _ = signature(function).parameters.values()
        by_name = {each.name: each for each in own if each.kind == Parameter.KEYWORD_ONLY}
        kind = Parameter.POSITIONAL_OR_KEYWORD if names else Parameter.KEYWORD_ONLY
        taken = [
            by_name.pop(name).replace(kind=kind)
            if name in by_name
            else Parameter(
                name,
                kind,
                default=defaults.get(name, _OPTIONS[name].default),
                annotation=_OPTIONS[name].type,
            )
            for name in names or _OPTIONS
        ]
        others = [each for each in own if each.kind != Parameter.KEYWORD_ONLY]
        full = signature(function).replace(parameters=[*others, *taken, *by_name.values()])

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = full.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__qualname__}() {error}") from None
            bound.apply_defaults()
            return function(**bound.arguments)

        call.__signature__ = full  # type: ignore[attr-defined]
        words = [_words(each.name, each.default) for each in taken if each.name in _OPTIONS]
        taker.__doc__ = (taker.__doc__ or "").replace("    {options}", "\n".join(words))
        if isinstance(taker, type):
            taker.__init__ = call  # type: ignore[misc]
            return taker
        call.__doc__ = taker.__doc__
        return call  # type: ignore[return-value]

    return decorate


def _words(name: str, default: object) -> str:
    """An option as documentation has it, indented as in a docstring."""
    about = _OPTIONS[name].metadata
    shown = "optional" if default is None else f"default={_quoted(default)}"
    text = wrap(about["doc"], 92, break_on_hyphens=False)
    return "\n".join([f"    {name} : {about['kind']}, {shown}", *(f"        {t}" for t in text)])


def _quoted(default: object) -> str:
    return json.dumps(default) if isinstance(default, str) else repr(default)
