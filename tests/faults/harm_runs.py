"""Kills, full disks, dead workers and flipped bytes: ``make faults``.

Every try harms a real run of the command line and looks at what a user is left with. It must be the
result of a run that nothing happened to, byte for byte, or one clear line; never a traceback, never
another result. What went wrong is printed; the exit code is 1 if anything did.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harmed import (
    PREDICT,
    SELECT,
    STUDY,
    DefectError,
    Work,
    children,
    command,
    heading,
    tally,
)

PATIENCE = 120  # seconds until a run counts as hanging
MOST_SHOWN = 5


def finish(work, folder, **options):
    """Run to the end; True if it got there, False if it ended in one line."""
    try:
        ended = subprocess.run(
            command(work.arguments, **options),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise DefectError("hang", f"not done after {PATIENCE} s") from None
    if ended.returncode < 0:
        raise DefectError("crash", f"signal {-ended.returncode}: {ended.stderr[-1000:]}")
    if "Traceback" in ended.stderr:
        raise DefectError("traceback", ended.stderr[-3000:])
    if ended.returncode == 0:
        return True
    if ended.returncode != 2 or ended.stderr.count("\n") != 1:
        raise DefectError(
            "wrong result", f"exit code {ended.returncode}, not one line: {ended.stderr[-2000:]}"
        )
    return False


def start(work, folder, **options):
    return subprocess.Popen(
        command(work.arguments, **options),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill_and_go_on(work, folder, rng):
    """`kill -9` at some moment, to all processes; then the same command again."""
    process = start(work, folder, jobs=rng.choice([1, 2]))
    time.sleep(rng.uniform(0.2, 1.1) * work.seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    work.check_no_other_result(folder)
    if not finish(work, folder):
        raise DefectError("wrong result", "a killed run did not go on")
    work.check_result(folder)


def fill_the_disk(work, folder, rng):
    """No file may grow beyond some size; then there is room again."""
    largest = max(len(content) for content in work.result.values())
    limit = int(largest * rng.uniform(0.02, 1.2))
    if finish(work, folder, most_bytes=limit):
        work.check_result(folder)
        return
    work.check_no_other_result(folder)
    if not finish(work, folder):
        raise DefectError("wrong result", f"after a disk full at {limit} bytes it did not go on")
    work.check_result(folder)


def kill_a_worker(work, folder, rng):
    """One worker process is killed, as the kernel does if memory is short."""
    process = start(work, folder, jobs=2)
    after = time.monotonic() + rng.uniform(0.3, 0.8) * work.seconds
    while process.poll() is None and (time.monotonic() < after or not children(process.pid)):
        time.sleep(0.01)
    if workers := children(process.pid):
        os.kill(rng.choice(workers), signal.SIGKILL)
    try:
        _, error = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise DefectError("hang", f"not done after {PATIENCE} s") from None
    if process.returncode != 0:
        raise DefectError("traceback" if "Traceback" in error else "wrong result", error[-3000:])
    work.check_result(folder)


def flip_a_byte(work, folder, rng):
    """One byte of a file that the program reads again is another."""
    shutil.copytree(work.finished, folder, dirs_exist_ok=True)
    damaged = folder / rng.choice(work.read_again)
    content = bytearray(damaged.read_bytes())
    at = rng.randrange(len(content))
    content[at] ^= rng.randrange(1, 256)
    damaged.write_bytes(content)
    for name in work.result:
        if folder / name != damaged:
            (folder / name).unlink()
    try:
        if finish(work, folder):
            work.check_result(folder)
    except DefectError as defect:
        raise DefectError(defect.kind, f"byte {at} of {damaged.name}: {defect}") from None


FAULTS = {
    "kills": (kill_and_go_on, 30, (SELECT, STUDY)),
    "full disks": (fill_the_disk, 10, (SELECT, STUDY)),
    "dead workers": (kill_a_worker, 10, (SELECT, STUDY)),
    "flipped bytes": (flip_a_byte, 50, (SELECT, STUDY, PREDICT)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of tries")
    parser.add_argument("--seed", type=int, default=None, help="by default another one each time")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    rng = random.Random(seed)
    found = []
    with tempfile.TemporaryDirectory() as place:
        print(f"seed {seed}", flush=True)
        works = [Work(*about, Path(place)) for about in (SELECT, STUDY, PREDICT)]
        print(heading())
        for fault, (harm, number, kinds) in FAULTS.items():
            possible = [work for work in works if work.about in kinds]
            tries, before = max(1, round(options.share * number)), len(found)
            for i in range(tries):
                work = possible[i % len(possible)]
                with tempfile.TemporaryDirectory(dir=place) as inside:
                    folder = Path(inside) / "run"
                    shutil.copytree(work.given, folder)
                    try:
                        harm(work, folder, rng)
                    except DefectError as defect:
                        found.append((fault, work.name, defect))
            print(tally(fault, tries, [d.kind for _, _, d in found[before:]]), flush=True)
    for fault, name, defect in found[:MOST_SHOWN]:
        print(f"\n{fault}, {name}: {defect}")
    if not found:
        print("no defects")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
