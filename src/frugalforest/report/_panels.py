"""What the page shows for one budget."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.report._charts import Chart, xi_chart, xi_range
from frugalforest.report._diagnosis import DiagnosisView, view_diagnosis
from frugalforest.report._numbers import NumberView, view_numbers
from frugalforest.results import FeatureFacts, Results, Selection, TriedSet
from frugalforest.results.findings import BudgetFinding, Exchange, Stretch
from frugalforest.results.looks import Look
from frugalforest.words.formats import money, spreadsheet_text

__all__ = ["Bar", "Bars", "Block", "Item", "Panel", "TriedRow", "make_panels"]

# Bars shown at once, unless so few are left that folding them away saves no room.
_MOST_BARS = 24
_FEW_BARS = 4
# Width of the slider in pixels, and what a label takes of it.
_PHONE, _DESK = 300.0, 700.0
_CHARACTER, _GAP = 7.5, 14.0


@dataclass(frozen=True)
class Item:
    """A bought feature. `substitute` is an exchange, or in words why there is none."""

    facts: FeatureFacts
    frequency: float | None
    substitute: Exchange | str


@dataclass(frozen=True)
class Block:
    """Bought features that share a fee; the last block has those without one."""

    group: str | None
    fee: float
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True)
class TriedRow:
    """Neighbouring sets of the same price, size and score: from `first` to `last`."""

    first: TriedSet
    last: TriedSet


@dataclass(frozen=True)
class Bar:
    """How often a feature was chosen."""

    feature: str
    share: float
    bought: bool


@dataclass(frozen=True)
class Bars:
    """Those shown at once, those folded away, and how many features were never chosen."""

    first: Sequence[Bar]
    rest: Sequence[Bar]
    n_never: int


@dataclass(frozen=True)
class Panel:
    """All that the page shows for budgets that buy the same set."""

    index: int
    stretch: Stretch
    picked: Sequence[tuple[int, str]]
    blocks: Sequence[Block]
    bars: Bars | None
    methods: Sequence[Selection]
    xi_charts: Sequence[tuple[Selection, Chart]]
    tried: Sequence[tuple[str, Sequence[TriedRow]]]
    shopping_list: str
    diagnosis: DiagnosisView | NumberView | None
    label_on_phone: bool
    label_on_desk: bool

    @property
    def finding(self) -> BudgetFinding:
        """What there is to say."""
        return self.stretch.finding

    @property
    def selection(self) -> Selection:
        """What is bought."""
        return self.finding.selection

    @property
    def amounts(self) -> str:
        """The budgets that buy it."""
        return self.stretch.amounts

    @property
    def xi_moves(self) -> Sequence[str]:
        """The methods for which ξ changes anything at this budget."""
        return [method for method, rows in self.tried if len(rows) > 1]

    @property
    def curves(self) -> Sequence[tuple[Selection, Chart]]:
        """The charts that show anything but a level line."""
        return [(row, chart) for row, chart in self.xi_charts if row.method in self.xi_moves]

    @property
    def level(self) -> Sequence[str]:
        """The methods with ξ for which it changes nothing."""
        return [row.method for row, _ in self.xi_charts if row.method not in self.xi_moves]


def make_panels(
    results: Results, stretches: Sequence[Stretch], looks: Mapping[str, Look]
) -> list[Panel]:
    """One panel for amounts that buy the same set."""
    labels = [money(stretch.first) for stretch in stretches]
    on_phone, on_desk = _every(labels, _PHONE), _every(labels, _DESK)
    return [
        _panel(results, i, stretch, looks, i % on_phone == 0, i % on_desk == 0)
        for i, stretch in enumerate(stretches)
    ]


def _every(labels: Sequence[str], width: float) -> int:
    """Which of the slider's labels to show, each so-manieth, so that they do not overlap."""
    longest = _CHARACTER * max(map(len, labels)) + _GAP
    most = max(1, int(width // longest))
    return max(1, -(-(len(labels) - 1) // most))


def _panel(
    results: Results,
    index: int,
    stretch: Stretch,
    looks: Mapping[str, Look],
    label_on_phone: bool,
    label_on_desk: bool,
) -> Panel:
    finding = stretch.finding
    best = finding.selection
    rows = [s for s in results.selections if s.budget == best.budget]
    facts = {m.name: m for m in results.methods_used}
    with_xi = [row for row in rows if facts[row.method].has_xi]
    largest_xi, scores = xi_range(t for row in with_xi for t in row.tried)
    picked = results.procedure(best.budget).methods_picked
    blocks = _blocks(results.features, finding)
    return Panel(
        index,
        stretch,
        sorted(((n, m) for m, n in picked.items() if n), key=lambda pair: -pair[0]),
        blocks,
        _bars(best),
        rows,
        [
            (
                row,
                xi_chart(
                    row,
                    looks[row.method].label,
                    results.score_used,
                    facts[row.method].exact,
                    largest_xi,
                    scores,
                ),
            )
            for row in with_xi
        ],
        [(row.method, _merged(row.tried)) for row in rows],
        _shopping_list(blocks),
        _view(results, best),
        label_on_phone,
        label_on_desk,
    )


def _view(results: Results, best: Selection) -> DiagnosisView | NumberView | None:
    """What is shown of predictions for cases left out."""
    found = best.diagnosis
    if found is None:
        return None
    if isinstance(found, NumberDiagnosis):
        return view_numbers(found, results.score_used)
    return view_diagnosis(
        found,
        results.data.classes,
        results.positive,
        results.about.prevalence,
        named=bool(results.about.positive),
    )


def _blocks(features: Sequence[FeatureFacts], finding: BudgetFinding) -> list[Block]:
    """The bought features with their prices, those that share a fee together."""
    best = finding.selection
    blocks: dict[str | None, Block] = {}
    for facts in features:
        if facts.feature not in best.features:
            continue
        group = facts.group if facts.group_cost > 0 else None
        block = blocks.setdefault(group, Block(group, facts.group_cost))
        block.items.append(
            Item(
                facts,
                None if best.frequencies is None else best.frequencies[facts.feature],
                finding.exchanges.get(
                    facts.feature,
                    "always in the set" if facts.required or facts.free else "nothing else fits",
                ),
            )
        )
    # Features without a shared fee come last: under no heading they would seem to be in a group.
    return sorted(blocks.values(), key=lambda block: block.group is None)


def _merged(tried: Sequence[TriedSet]) -> list[TriedRow]:
    rows: list[TriedRow] = []
    for t in tried:
        same = (
            rows and rows[-1].last.variant == t.variant and _outcome(rows[-1].last) == _outcome(t)
        )
        if same:
            rows[-1] = replace(rows[-1], last=t)
        else:
            rows.append(TriedRow(t, t))
    return rows


def _outcome(tried: TriedSet) -> tuple[str, int, float, str]:
    # As text: NaN, for a set without a vote, is not equal to itself.
    return tried.variant, tried.n_features, tried.cost, repr(tried.score)


def _bars(best: Selection) -> Bars | None:
    """How often each feature was chosen, most often first; None without resamples."""
    if best.frequencies is None:
        return None
    bars = [
        Bar(name, share, name in best.features)
        for name, share in best.frequencies.items()
        if share > 0 or name in best.features
    ]
    # Sorting is stable: equally frequent features stay in column order.
    bars.sort(key=lambda bar: (-bar.share, not bar.bought))
    n_open = _MOST_BARS if len(bars) > _MOST_BARS + _FEW_BARS else len(bars)
    return Bars(bars[:n_open], bars[n_open:], len(best.frequencies) - len(bars))


def _shopping_list(blocks: Sequence[Block]) -> str:
    """The bought features and fees with their prices: a CSV file as a data link."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["item", "price", "group"])
    for block in blocks:
        if block.group is not None:
            name = spreadsheet_text(f"{block.group} (shared fee)")
            writer.writerow([name, _in_csv(block.fee), ""])
        for item in block.items:
            group = spreadsheet_text(block.group or "")
            price = _in_csv(item.facts.cost_if_group_paid)
            writer.writerow([spreadsheet_text(item.facts.feature), price, group])
    # The mark at the beginning tells spreadsheets that it is UTF-8.
    return "data:text/csv;base64," + base64.b64encode(file.getvalue().encode("utf-8-sig")).decode()


def _in_csv(amount: float) -> str:
    """With the digits of the page, but as a number: commas separate fields."""
    return money(amount).replace(",", "")
