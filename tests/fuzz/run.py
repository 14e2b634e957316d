"""Random command lines and calls, for as long as one likes: ``make fuzz SECONDS=600``.

Each driver tries cases in a process of its own, so that a crash or a hang ends that process and not
the run. What is found is printed with the case that led to it; the exit code is 1 if anything was.
"""

import argparse
import multiprocessing
import queue
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from defects import DefectError, heading, tally  # noqa: E402

DRIVERS = {"command line": ("command_line", "cases"), "Python calls": ("calls", "calls")}
# A try that takes longer is given up by its process after 60 seconds, if that still can.
SILENCE = 150
MOST_SHOWN = 5


def try_cases(driver, seed, seconds, most, reports):
    """Try random cases until time or tries are over; report each: what it is, what it came to."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    warnings.simplefilter("ignore")
    module, strategy = DRIVERS[driver]
    module = __import__(module)
    end = time.monotonic() + seconds
    left = iter(range(most))

    class OverError(BaseException):
        pass

    def attempt(case):
        if time.monotonic() > end or next(left, None) is None:
            raise OverError
        reports.put(("trying", repr(case)))
        try:
            module.check(case)
        except DefectError as defect:
            reports.put((defect.kind, str(defect)))
        else:
            reports.put(("fine", ""))

    run = settings(
        max_examples=1000,
        deadline=None,
        database=None,
        # No shrinking: the case as it was drawn is shown, and the time is for others.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    try:
        while time.monotonic() < end:
            seeded(seed)(run(given(getattr(module, strategy)())(attempt)))()
            seed += 1
    except OverError:
        pass


def watch(driver, seed, seconds, most):
    """Tries and defects of a driver; a new process goes on where one crashed or hung."""
    tries, found = 0, []
    context = multiprocessing.get_context("spawn")
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and tries < most:
        reports = context.Queue()
        process = context.Process(
            target=try_cases, args=(driver, seed, left, most - tries, reports)
        )
        process.start()
        case, heard = "(none yet)", time.monotonic()
        while True:
            try:
                kind, text = reports.get(timeout=0.5)
            except queue.Empty:
                if not process.is_alive():
                    break
                if time.monotonic() - heard > SILENCE:
                    process.kill()
                    process.join()
                    found.append(("hang", f"no answer for {SILENCE} s", case))
                    break
                continue
            heard = time.monotonic()
            if kind == "trying":
                case, tries = text, tries + 1
            elif kind != "fine":
                found.append((kind, text, case))
        process.join()
        if process.exitcode and found[-1:] != [("hang", f"no answer for {SILENCE} s", case)]:
            found.append(("crash", f"exit code {process.exitcode}", case))
        seed += 1_000_003
    return tries, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--tries", type=int, default=10**9, help="of each driver, at most")
    parser.add_argument("--driver", choices=DRIVERS, action="append", help="by default all")
    parser.add_argument("--seed", type=int, default=None, help="by default another one each time")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    print(f"seed {seed}, {options.seconds:g} seconds", flush=True)
    everything = []
    print(heading())
    drivers = options.driver or [*DRIVERS]
    for driver in drivers:
        tries, found = watch(driver, seed, options.seconds / len(drivers), options.tries)
        print(tally(driver, tries, [kind for kind, _, _ in found]), flush=True)
        everything += [(driver, *defect) for defect in found]
    for driver, kind, text, case in everything[:MOST_SHOWN]:
        print(f"\n{driver}: {text or kind}\ncase: {case[:3000]}")
    if not everything:
        print("no defects")
    return 1 if everything else 0


if __name__ == "__main__":
    sys.exit(main())
