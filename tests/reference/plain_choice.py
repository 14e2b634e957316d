"""The choice by rows left out, row by row: slow and plain.

Of the ways to spend at most the budget, nothing among them, the one is taken whose improvement on
the baseline is largest after a deduction for chance; the cheaper of equals.
"""

import math
import statistics
from itertools import product


def quoted(ways, amounts, baseline, draws, deduction, out_of_bag):
    """The winner's set for the last of some amounts, and the error to quote.

    A set has one error, that of the smallest amount that buys it. Nothing has no amount.
    """
    errors = {}
    for amount in amounts:
        among = [way for way in ways if way["cost"] <= amount and way.get("amount", 0) <= amount]
        if among:
            winner, error = choose(among, baseline, draws, deduction, out_of_bag)
            place = among[winner].get("place")
            errors.setdefault(place, error)
    return place, errors[place]


def choose(ways, baseline, draws, deduction, out_of_bag):
    """Number of the winner, and the error of this choice.

    A way is a dictionary: what each row loses in `errors` and, with grades, in `graded`; its graded
    out-of-bag score `oob`; and `cost`. The baseline is a way, too.
    """
    n_rows = len(ways[0]["errors"])
    winner = best(ways, baseline, range(n_rows), deduction, out_of_bag)
    on_others = []
    for drawn in draws:
        left = [r for r in range(n_rows) if r not in drawn]
        if left:
            taken = ways[best(ways, baseline, drawn, deduction, out_of_bag)]
            on_others.append(statistics.fmean(taken["errors"][r] for r in left))
    seen = statistics.fmean(ways[winner]["errors"])
    return winner, 0.632 * statistics.fmean(on_others) + 0.368 * seen


def best(ways, baseline, rows, deduction, out_of_bag):
    """The largest assured improvement on some rows, with repetitions."""
    assured = []
    for way in ways:
        better = [baseline["graded"][r] - way["graded"][r] for r in rows]
        more = out_of_bag * (baseline["oob"] - way["oob"])
        error = math.sqrt(statistics.pvariance(better) / len(ways[0]["errors"]))
        assured.append(statistics.fmean(better) + more - deduction * error)
    equal = [number for number, each in enumerate(assured) if each >= max(assured) - 1e-7]
    return min(equal, key=lambda number: (ways[number]["cost"], number))


def tuned_ways(searches, amounts, on_all, on_parts, costs, losses, tests):
    """A way for each search and amount.

    Configurations have a search, a graded out-of-bag score on all rows and in each resample, a
    cost, and by row a pair of losses, the second graded. `tests` are the rows that each resample
    leaves out, every row once. The `place` of a way is the configuration that it takes on all rows.
    """
    ways = []
    for search, amount in product(sorted(set(searches)), amounts):
        own = [j for j, other in enumerate(searches) if other == search and costs[j] <= amount]
        if not own:
            continue
        place = min(own, key=lambda j: (on_all[j], costs[j], j))
        lost, oob = {}, on_all[place] / 2
        for scores, rows in zip(on_parts, tests, strict=True):
            taken = min(own, key=lambda j, of=scores: (of[j], costs[j], j))
            oob += scores[taken] / len(tests) / 2
            lost |= {r: losses[taken][r] for r in rows}
        errors, graded = ([lost[r][kind] for r in sorted(lost)] for kind in (0, 1))
        way = {"errors": errors, "graded": graded, "oob": oob, "cost": costs[place]}
        ways.append({**way, "amount": amount, "place": place})
    return sorted(ways, key=lambda way: way["place"])
