"""The choice by rows left out, row by row: slow and plain."""

import math

CLEARLY = 2


def choose(ways, standard, draws, guess_error):
    """Number of the winner and the error to quote; None if guessing does as well.

    A way is a dictionary: `errors` by row, out-of-bag errors `on_part` and `on_all`, and `cost`.
    The standard is given by its number.
    Without a `guess_error` something must be bought.
    """
    n_rows = len(ways[0]["errors"])
    winner = best(ways, standard, range(n_rows))
    error = corrected_error(ways, standard, draws)
    if guess_error is not None and error >= guess_error:
        return None, guess_error
    return winner, error


def tuned_ways(searches, on_all, on_parts, costs, wrong, tests):
    """A way for each search, and the configuration that it takes on all rows, in their order.

    Configurations have a search, out-of-bag errors on all rows and in each resample, a cost and
    errors by row; `tests` are the rows that each resample leaves out, every row once.
    """
    ways = {}
    for search in set(searches):
        own = [j for j, other in enumerate(searches) if other == search]
        place = min(own, key=lambda j: (on_all[j], costs[j], j))
        errors, on_part = {}, 0
        for out_of_bag, rows in zip(on_parts, tests, strict=True):
            taken = min(own, key=lambda j, oob=out_of_bag: (oob[j], costs[j], j))
            on_part += out_of_bag[taken] / len(tests)
            errors |= {r: wrong[taken][r] for r in rows}
        ways[place] = {
            "errors": [errors[r] for r in sorted(errors)],
            "on_part": on_part,
            "on_all": on_all[place],
            "cost": costs[place],
        }
    return [ways[place] for place in sorted(ways)], sorted(ways)


def best(ways, standard, rows):
    """The winner on some rows (with repetitions); of equal scores the cheaper, then the first."""
    scores, level = {}, mean_error(ways[standard], rows)
    own_margin = CLEARLY * math.sqrt(level * (1 - level) / len(rows))
    for number, way in enumerate(ways):
        fewer = [ways[standard]["errors"][r] * 1.0 - way["errors"][r] for r in rows]
        mean = sum(fewer) / len(rows)
        variance = sum((f - mean) ** 2 for f in fewer) / len(rows)
        lower = score(ways[standard], rows) - score(way, rows)
        clearly_fewer = mean >= CLEARLY * math.sqrt(variance / len(rows)) - 1e-12
        no_more_and_clearly_lower = mean >= -1e-12 and lower >= own_margin - 1e-12
        if number == standard or clearly_fewer or no_more_and_clearly_lower:
            scores[number] = score(way, rows)
    lowest = min(scores.values())
    tied = [number for number, score in scores.items() if score <= lowest + 1e-12]
    return min(tied, key=lambda number: (ways[number]["cost"], number))


def score(way, rows):
    """Error on some of the rows left out, and the mean of the out-of-bag errors."""
    return mean_error(way, rows) + (way["on_part"] + way["on_all"]) / 2


def mean_error(way, rows):
    return sum(way["errors"][r] for r in rows) / len(rows)


def corrected_error(ways, standard, draws):
    """Mean error on the rows not drawn, of the way that wins on those drawn."""
    n_rows = len(ways[0]["errors"])
    errors = []
    for drawn in draws:
        left = [r for r in range(n_rows) if r not in drawn]
        if left:
            winner = ways[best(ways, standard, drawn)]
            errors.append(mean_error(winner, left))
    return sum(errors) / len(errors)
