"""Who competes in the study, and what tables and figures call them.

A *contestant* is a method with a strategy for ξ: ``sts`` is tuned, ``sts-0`` ignores cost (ξ = 0),
``sts-1`` is the plain ratio (ξ = 1). Methods with one ξ only, such as ``fs-0``, are contestants as
they are.
"""

from __future__ import annotations

from typing import NamedTuple

from frugalforest.study.design import study_methods

__all__ = ["Look", "contestant_of", "label_of", "look_of"]

_SUFFIX = {"agnostic": "-0", "simple": "-1", "tuned": ""}


class Look(NamedTuple):
    """How a method is shown."""

    label: str
    colour: str


def contestant_of(method: str, strategy: str) -> str:
    """The contestant's name in tables: the method's, with the fixed ξ if there is one.

    Examples
    --------
    >>> contestant_of("sts", "tuned"), contestant_of("sts", "agnostic")
    ('sts', 'sts-0')
    >>> contestant_of("fs-1", "simple")
    'fs-1'
    """
    return method if study_methods()[method].only_xi is not None else method + _SUFFIX[strategy]


def look_of(contestant: str) -> Look:
    """The look of the contestant's method; `label_of` tells its strategies apart.

    Examples
    --------
    >>> look_of("pfi-0").colour == look_of("pfi").colour
    True
    """
    spec = study_methods()[_method_and_xi(contestant)[0]]
    return Look(spec.label or spec.method.label, spec.colour or spec.method.colour)


def label_of(contestant: str) -> str:
    """The contestant's name in figures.

    Examples
    --------
    >>> label_of("pfi"), label_of("pfi-0"), label_of("fs-1")
    ('pFI', 'pFI-0', 'FS-1')
    """
    _, xi = _method_and_xi(contestant)
    return look_of(contestant).label + (f"-{xi}" if xi else "")


def _method_and_xi(contestant: str) -> tuple[str, str]:
    """The method, and the fixed ξ of its strategy, empty if it has none."""
    if contestant in study_methods():
        return contestant, ""
    method, _, xi = contestant.rpartition("-")
    return method, xi
