"""Where the documentation is: for the links that scikit-learn draws in notebooks."""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

__all__ = ["ADDRESS_VARIABLE", "DocumentedEstimator", "documentation_address"]

ADDRESS_VARIABLE = "FRUGALFOREST_DOCS"


def documentation_address() -> str:
    """Address of the documentation site, without a slash at its end; empty if there is none.

    The environment variable FRUGALFOREST_DOCS comes first, for a site that was built by hand or is
    kept inside a company; then the address that the installed package names.
    """
    address: str = os.environ.get(ADDRESS_VARIABLE) or _address_of_package()
    return address.rstrip("/")


@cache
def _address_of_package() -> str:
    try:
        addresses = metadata("frugalforest").get_all("Project-URL") or []
    except PackageNotFoundError:  # used from a folder, without being installed
        return ""
    named: dict[str, str] = dict(entry.split(", ", 1) for entry in addresses)
    return named.get("Documentation", "")


class DocumentedEstimator:
    """An estimator whose picture in a notebook links to its page of the documentation.

    To be named before scikit-learn's `BaseEstimator`, whose attributes these are. Without an
    address there is no link.

    Examples
    --------
    >>> import os
    >>> from frugalforest import AUCSelector
    >>> os.environ["FRUGALFOREST_DOCS"] = "https://docs.example"
    >>> AUCSelector()._get_doc_link()
    'https://docs.example/generated/frugalforest.AUCSelector.html'
    >>> del os.environ["FRUGALFOREST_DOCS"]
    """

    _doc_link_module = "frugalforest"

    @property
    def _doc_link_template(self) -> str:
        address = documentation_address()
        return f"{address}/generated/frugalforest.{{estimator_name}}.html" if address else ""
