"""The choice by rows left out, row by row: slow and plain."""

import math
import statistics

CLEARLY = 2
CLEARLY_BY_BOTH = 1.5
LIKELY = 0.75


def choose(ways, standard, draws, guesses):
    """Number of the winner and the error to quote; None if guessing does about as well.

    A way is a dictionary: `errors` by row, its out-of-bag error `oob`, the same `graded` and
    `graded_oob`, and `cost`. The standard is given by its number.
    `guesses` are the errors of guessing by row; without them something must be bought.
    """
    n_rows = len(ways[0]["errors"])
    winner = best(ways, standard, range(n_rows))
    error = corrected_error(ways, standard, draws)
    quoted = 0.632 * error + 0.368 * mean_error(ways[winner], range(n_rows))
    if guesses is None:
        return winner, quoted
    guess_error = sum(guesses) / n_rows
    gains = [g - e for g, e in zip(guesses, ways[winner]["errors"], strict=True)]
    mean = sum(gains) / n_rows
    variance = sum((gain - mean) ** 2 for gain in gains) / n_rows
    others = [
        mean_error(way, range(n_rows)) for way in ways if way["errors"] != ways[winner]["errors"]
    ]
    margin = LIKELY * math.sqrt(variance / n_rows)
    if others and statistics.median(others) < guess_error:
        margin = 0
    if error >= guess_error - margin:
        return None, guess_error
    return winner, quoted


def answers(chosen):
    """For each of ascending amounts, whose choice is taken, and the error to quote.

    What is chosen for an amount is a pair: its error, corrected, and what each row loses. None if
    nothing is bought.
    """
    bought, answer, lowest, found = [], (None, None), None, []
    for number, here in enumerate(chosen):
        if here is not None:
            lower = all(here[0] < error - 1e-12 for error, _ in bought)
            bought.append(here)
            if lower:
                lowest = number, here
            is_taken = lower or not clearly_worse(here, lowest[1])
            answer = number if is_taken else lowest[0], lowest[1][0]
        found.append(answer)
    return found


def clearly_worse(here, lowest):
    """Whether the difference of the errors is two standard errors over the rows, or more."""
    more = [h - o for h, o in zip(here[1], lowest[1], strict=True)]
    margin = CLEARLY * math.sqrt(statistics.pvariance(more) / len(more))
    return here[0] - lowest[0] >= margin - 1e-12


def between(chosen, more):
    """The answer for the last of ascending amounts, where `more` is that for a larger amount."""
    number, error = answers(chosen)[-1]
    if more[0] is None or number is None:
        return None, None
    return number, max(error, more[1])


def tuned_ways(searches, on_all, on_parts, costs, losses, tests):
    """A way for each search, and the configuration that it takes on all rows, in their order.

    Configurations have a search, pairs of out-of-bag errors on all rows and in each resample, a
    cost, and pairs of losses by row; the second of a pair is graded. `tests` are the rows that each
    resample leaves out, every row once.
    """
    ways = {}
    for search in set(searches):
        own = [j for j, other in enumerate(searches) if other == search]
        place = min(own, key=lambda j: (on_all[j][1], costs[j], j))
        lost, oob = {}, [on_all[place][0] / 2, on_all[place][1] / 2]
        for out_of_bag, rows in zip(on_parts, tests, strict=True):
            taken = min(own, key=lambda j, oob=out_of_bag: (oob[j][1], costs[j], j))
            for kind in (0, 1):
                oob[kind] += out_of_bag[taken][kind] / len(tests) / 2
            lost |= {r: losses[taken][r] for r in rows}
        ways[place] = {
            "errors": [lost[r][0] for r in sorted(lost)],
            "graded": [lost[r][1] for r in sorted(lost)],
            "oob": oob[0],
            "graded_oob": oob[1],
            "cost": costs[place],
        }
    return [ways[place] for place in sorted(ways)], sorted(ways)


def best(ways, standard, rows):
    """The winner on some rows (with repetitions); of equal scores the cheaper, then the first."""
    scores, level = {}, mean_error(ways[standard], rows)
    own_margin = CLEARLY_BY_BOTH * math.sqrt(level * (1 - level) / len(rows))
    for number, way in enumerate(ways):
        fewer = [ways[standard]["errors"][r] * 1.0 - way["errors"][r] for r in rows]
        mean = sum(fewer) / len(rows)
        variance = sum((f - mean) ** 2 for f in fewer) / len(rows)
        lower = both_errors(ways[standard], rows) - both_errors(way, rows)
        clearly_fewer = mean >= CLEARLY * math.sqrt(variance / len(rows)) - 1e-12
        fewer_and_clearly_lower = (
            mean >= math.sqrt(variance / len(rows)) - 1e-12 and lower >= own_margin - 1e-12
        )
        if number == standard or clearly_fewer or fewer_and_clearly_lower:
            graded = sum(way["graded"][r] for r in rows) / len(rows)
            scores[number] = graded + way["graded_oob"]
    lowest = min(scores.values())
    tied = [number for number, score in scores.items() if score <= lowest + 1e-12]
    winner = min(tied, key=lambda number: (ways[number]["cost"], number))
    cheaper_and_alike = [
        number
        for number, way in enumerate(ways)
        if way["errors"] == ways[winner]["errors"]
        and way["oob"] <= ways[winner]["oob"] + 1e-12
        and way["cost"] < ways[winner]["cost"]
    ]
    return min(cheaper_and_alike, default=winner, key=lambda n: (ways[n]["cost"], n))


def both_errors(way, rows):
    """Error on some of the rows left out, and out of bag."""
    return mean_error(way, rows) + way["oob"]


def mean_error(way, rows):
    return sum(way["errors"][r] for r in rows) / len(rows)


def corrected_error(ways, standard, draws):
    """Mean error on the rows not drawn, of the way that wins on those drawn."""
    n_rows = len(ways[0]["errors"])
    errors = []
    for drawn in draws:
        left = [r for r in range(n_rows) if r not in drawn]
        if left:
            errors.append(mean_error(ways[best(ways, standard, drawn)], left))
    return sum(errors) / len(errors)
