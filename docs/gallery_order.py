"""The order of the examples on the site: what a newcomer needs first."""

FIRST = (
    "quick_start.py",
    "group_prices.py",
    "predict_numbers.py",
    "plots.py",
    "scores.py",
    "pipeline.py",
)


class FirstThingsFirst:
    """A sort key for sphinx-gallery; examples that are not listed follow by name."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> tuple[int, str]:
        """Its place, then its name."""
        return (FIRST.index(filename) if filename in FIRST else len(FIRST), filename)

    def __repr__(self) -> str:
        return type(self).__name__
