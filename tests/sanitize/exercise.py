"""Drives every function of a core built with sanitizers; `run.sh` says how.

    python exercise.py BUILD_DIRECTORY N_THREADS

What comes out is checked elsewhere. Here the point is that all of it runs: every task (two classes,
many, weights), every way to search a node (by size and number of values), missing values, batches,
wrong input, an interrupt, and threads that share data.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np


def load_core(folder: Path) -> ModuleType:
    """The built module."""
    [file] = folder.glob("_core*.so")
    spec = importlib.util.spec_from_file_location("frugalforest._core", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Recorder:
    """Stands for the core and remembers which of its functions were called."""

    def __init__(self, core: ModuleType) -> None:
        self.core = core
        self.called: set[str] = set()

    def __getattr__(self, name: str):
        self.called.add(name)
        return getattr(self.core, name)


def tables(rng):
    """Tables that lead to each way of searching a node."""
    n = 150
    yield "ties and missing", np.where(rng.random((n, 4)) < 0.1, np.nan, rng.integers(0, 5, (n, 4)))
    yield "continuous", rng.normal(size=(n, 3))
    yield "constant and missing columns", np.column_stack([np.zeros(n), np.full(n, np.nan)])
    yield "two rows", np.array([[0.0, 1.0], [1.0, 0.0]])
    yield "one row", np.array([[0.0]])
    yield "many values", np.column_stack([rng.permutation(2500), rng.integers(0, 30, 2500)])
    long = rng.permutation(66_000).astype(float)
    yield "quantile codes", np.where(long % 97 == 0, np.nan, long)[:, None]
    yield "65,535 values and missing ones", np.append(np.arange(65_535.0), [np.nan] * 3)[:, None]


def drive(engine, n_jobs):
    rng = np.random.default_rng(0)
    for (name, X), bins, n_classes, weighted in itertools.product(
        tables(rng), (None, 255), (2, 3, 10), (False, True)
    ):
        n, p = X.shape
        # Sanitizers slow the core down ten times and more. Large tables are there for their codes:
        # few trees, not deep, and only the classes that have code of their own.
        large = n > 10_000
        if large and n_classes == 10:
            continue
        weights = np.where(rng.random(n) < 0.2, 0, rng.random(n)) if weighted else None
        if weighted:
            weights[0] = 1.0
        binned = ", bins" * (bins is not None)
        print(f"  {name}{binned}, {n_classes} classes{', weights' * weighted}", flush=True)
        data = engine.code_table(X, bins=bins)
        target = engine.code_target(rng.integers(0, n_classes, n), n_classes, weights)
        assert data.codes().shape == (p, n)
        limit = 8 if large else None
        settings = [
            # 64 trees are four ranges that threads share.
            engine.ForestSettings(n_trees=2 if large else 8 if n > 1000 else 64, max_depth=limit),
            engine.ForestSettings(3, max_depth=2, min_samples_leaf=3, max_features=None),
            engine.ForestSettings(3, max_depth=limit, bootstrap=False, sample_fraction=0.6),
        ]
        new = rng.normal(size=(1500, p))
        new[::9] = np.nan
        sets = [range(p), [p - 1], [0]]
        for how in settings:
            engine.score_sets(
                data,
                target,
                sets,
                [0, 1, 2**64 - 1],
                how,
                new_rows=new,
                keep_votes=True,
                n_jobs=n_jobs,
            )
            engine.score_sets(data, target, sets[:1], [0], how, n_jobs=n_jobs)
            engine.permutation_gains(data, target, range(p), 1, how, n_jobs=n_jobs)
            engine.forward_errors(data, target, [0], range(1, p), 1, how, n_jobs=n_jobs)
        parts = [engine.ShallowPart([j], 1, 1, seed=j) for j in range(p)]
        parts += [engine.ShallowPart(range(p), 70, depth, 9, first_tree=5) for depth in (2, 5)]
        trees = engine.grow_shallow(data, target, parts[:p] if large else parts, n_jobs=n_jobs)
        tally = engine.TreeTally(trees, target, np.arange(p) % 3 - 1)
        for chosen in ([], [0], range(len(trees))):
            for pruned in (False, True):
                tally.offers(
                    chosen,
                    len(trees),
                    np.arange(p, dtype=float),
                    np.arange(p) % 2 == 0,
                    np.ones(2),
                    unvoted_is_wrong=weighted,
                    undominated_only=pruned,
                )
        if n > 1:
            y = np.arange(n) % min(n_classes, n)
            for voting in ("hard", "soft"):
                forest = engine.Forest(4, max_depth=limit, voting=voting, n_jobs=n_jobs)
                forest.fit(X, y, sample_weight=weights if n > 2 else None).predict(new)


def drive_numbers(engine, n_jobs):
    rng = np.random.default_rng(6)
    for (name, X), bins in itertools.product(tables(rng), (None, 255)):
        print(f"  {name}{', bins' * (bins is not None)}, numbers", flush=True)
        n, p = X.shape
        large = n > 10_000
        data = engine.code_table(X, bins=bins)
        target = engine.code_numbers(rng.normal(size=n))
        new = rng.normal(size=(1500, p))
        new[::9] = np.nan
        for how in (
            engine.ForestSettings(
                2 if large else 8 if n > 1000 else 64, max_depth=8 if large else None
            ),
            engine.ForestSettings(3, max_depth=2, min_samples_leaf=3, max_features=None),
            engine.ForestSettings(3, "third", None if n < 3000 else 8, min_node_size=5),
        ):
            engine.score_number_sets(
                data,
                target,
                [range(p), [p - 1]],
                [0, 2**64 - 1],
                how,
                new_rows=new,
                keep_predictions=True,
                n_jobs=n_jobs,
            )
            engine.permutation_gains(data, target, range(p), 1, how, n_jobs=n_jobs)
            engine.forward_errors(data, target, [0], range(1, p), 1, how, n_jobs=n_jobs)
            forest, _ = engine.grow_number_forest(data, target, range(p), 1, how, n_jobs=n_jobs)
            forest.predict(new, n_jobs)


def filling(n, n_bundles, rng, limit=5.0):
    """Arguments of `engine.Filling`: lines of all signs, and some that weigh nothing."""
    weight = np.where(rng.random(2 * n) < 0.1, 0.0, rng.lognormal(size=2 * n))
    with np.errstate(divide="ignore"):
        slope = np.log(weight)
    return {
        "weight": weight,
        "sign": rng.choice([1.0, 1.0, 0.0, -1.0], 2 * n),
        "height": rng.normal(size=2 * n),
        "slope": slope,
        "tie_order": rng.permutation(2 * n),
        "bundle": rng.integers(-1, n_bundles, n),
        "limit": limit,
        "taken": 0.5,
    }


def drive_filling(engine):
    rng = np.random.default_rng(4)
    for n, n_bundles in [(0, 0), (1, 0), (40, 0), (40, 1), (60, 9), (60, 60)]:
        arguments = filling(n, n_bundles, rng)
        items = engine.Filling(**arguments)
        moves = arguments["weight"] > 0
        lines = (arguments["height"][moves], arguments["slope"][moves])
        list(items.walk([lines, (np.empty(0), np.empty(0))]))
        for xi in (0.0, 100.0, 0.3):
            items.fill(xi)


def drive_wrong_input(core, engine):
    X, y = np.random.default_rng(1).normal(size=(20, 2)), np.arange(20) % 2
    data, target = engine.code_table(X), engine.code_target(y, 2)
    spec = engine.ForestSettings(n_trees=3).spec(data, target, 2)
    u32, u64 = np.uint32, np.uint64
    both = np.array([0, 1], u32)
    arrays, *_ = core.grow_forest(data, target, both, 1, 0, spec, True)
    columns = np.ascontiguousarray(X.T)

    def changed(which, at, value):
        forest = [a.copy() for a in arrays]
        forest[which][at] = value
        return forest

    def make_tally(planes, start):
        nothing = np.zeros(0, u32)
        return core.make_tally(
            planes, target, np.array(start, u32), both, np.zeros(3, u32), nothing, 2
        )

    def make_filling(**changes):
        return engine.Filling(**filling(3, 2, np.random.default_rng(2)) | changes)

    numbers = engine.code_numbers(X[:, 0])
    number_arrays, *_ = core.grow_forest(data, numbers, both, 1, 0, spec, True)

    wrong = [
        lambda: core.make_number_target(np.zeros(0)),
        lambda: core.make_number_target(np.array([np.nan])),
        lambda: core.load_number_forest(*number_arrays[:-2], number_arrays[-2][:-1], np.ones(2), 2),
        lambda: core.load_number_forest(*number_arrays[:-1], np.ones(1), 2),
        lambda: core.load_number_forest(*number_arrays, 2).predict(columns[:1].copy(), 2),
        lambda: make_filling(bundle=np.array([0, 1, 3])),
        lambda: make_filling(bundle=np.array([0, 1])),
        lambda: make_filling(tie_order=np.array([0, 1, 2, 3, 4, 6])),
        lambda: make_filling(tie_order=np.array([0, 1, 2, 3, 4, 4])),
        lambda: make_filling(weight=np.full(6, np.nan)),
        lambda: make_filling(sign=np.ones(6), height=np.full(6, np.nan)),
        lambda: list(make_filling().walk([(np.zeros(2), np.zeros(3))])),
        lambda: core.code_columns(np.zeros((0, 3))),
        lambda: core.code_columns(np.full((1, 3), np.inf)),
        lambda: core.code_columns(np.zeros(3)),
        lambda: core.make_target(np.array([0, 5], np.uint16), 2, None),
        lambda: core.make_target(np.array([0, 1], np.uint16), 2, np.array([1.0, -1.0])),
        lambda: core.make_target(np.array([0, 1], np.uint16), 1, None),
        lambda: core.grow_forest(data, target, np.array([7], u32), 1, 0, spec, True),
        lambda: core.grow_forest(data, target, np.array([0, 0], u32), 1, 0, spec, True),
        lambda: core.grow_forest(data, target, np.array([], u32), 1, 0, spec, True),
        lambda: core.run_batch(
            data,
            target,
            both,
            np.array([0, 9], u64),
            both[1:],
            both[1:].astype(u64),
            spec,
            None,
            True,
            True,
        ),
        lambda: core.load_forest(*changed(5, slice(None), 2), 2),
        lambda: core.load_forest(*changed(0, -1, 10**6), 2),
        lambda: core.load_forest(*changed(1, 0, 99), 2),
        lambda: core.load_forest(*changed(2, 0, 0), 2),
        lambda: core.load_forest(*changed(2, 0, 10**6), 2),
        lambda: core.load_forest(*arrays[:-2], arrays[-2][:-1], arrays[-1], 2),
        lambda: core.load_forest(*arrays, 2).votes(columns[:1].copy(), 2),
        lambda: core.permutation_rises(data, target, np.array([2], u32), 1, 0, spec, np.ones(2)),
        lambda: core.permutation_rises(data, target, both[:1], 1, 0, spec, np.ones(3)),
        lambda: core.forward_errors(data, target, both[:1], 1, np.array([2], u32), 0, spec),
        lambda: core.forward_errors(data, target, both[:1], 1, both, 0, spec),
        lambda: make_tally(np.full((2, 2, 1), 2**63, u64), [0, 1, 2]),
        lambda: make_tally(np.zeros((2, 2, 1), u64), [0, 1, 5]),
        lambda: make_tally(np.zeros((2, 2, 1), u64), [0, 2, 1]),
        lambda: make_tally(np.zeros((2, 2, 1), u64), [0, 1, 2]).offers(
            both + u32(1), 2, np.ones(2), np.ones(2, np.uint8), np.empty(0), 1.0, False, True
        ),
        lambda: make_tally(np.zeros((2, 2, 1), u64), [0, 1, 2]).offers(
            both, 2, np.ones(1), np.ones(2, np.uint8), np.empty(0), 1.0, False, True
        ),
        lambda: core.grow_ensemble(
            data,
            target,
            both,
            np.array([0, 2], u64),
            both[1:],
            both[1:].astype(u64),
            both[1:].astype(u64),
            both,
            both[1:],
            spec,
        ),
    ]
    for i, call in enumerate(wrong):
        try:
            call()
        except (ValueError, TypeError):
            continue
        raise AssertionError(f"wrong input {i} was accepted")


def drive_interrupt(engine, n_jobs):
    X = np.random.default_rng(2).normal(size=(1000, 10))
    data, target = engine.code_table(X), engine.code_target(np.arange(1000) % 2, 2)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        engine.score_sets(
            data, target, [range(10)] * 9, range(9), engine.ForestSettings(100_000), n_jobs=n_jobs
        )
    except KeyboardInterrupt:
        timer.join()
        return
    raise AssertionError("the batch was not interrupted")


def drive_concurrently(engine, n_jobs):
    """Several Python threads on one table, each with threads of its own."""
    X = np.random.default_rng(3).normal(size=(200, 5))
    data, target = engine.code_table(X), engine.code_target(np.arange(200) % 3, 3)

    def work(seed):
        engine.score_sets(
            data, target, [range(5)], [seed], engine.ForestSettings(100), new_rows=X, n_jobs=n_jobs
        )

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main(folder: str, n_jobs: str) -> None:
    # In the place of the installed one, before the engine imports it.
    core = sys.modules["frugalforest._core"] = Recorder(load_core(Path(folder)))
    from frugalforest import engine

    assert core.called, "the installed core would be tested, not the one just built"
    drive(engine, int(n_jobs))
    drive_numbers(engine, int(n_jobs))
    drive_filling(engine)
    drive_wrong_input(core, engine)
    drive_concurrently(engine, int(n_jobs))
    drive_interrupt(engine, int(n_jobs))
    functions = {n for n, f in vars(core.core).items() if callable(f) and not isinstance(f, type)}
    missed = {name for name in functions - core.called if not name.startswith("__")}
    assert not missed, f"exercise.py does not call {sorted(missed)}: add them"


if __name__ == "__main__":
    main(*sys.argv[1:])
