"""Data that does not fit: one line with the numbers and a way out, before anything is read.

Only the amount of memory there is is made up.
"""

import numpy as np
import pandas as pd
import pytest

from frugalforest.errors import DataError
from frugalforest.storage import memory
from frugalforest.tables import Encoder, Outcome, Table, read_table, write_table


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1_900_000)


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(40_000, 5)), columns=list("abcde"))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_text_file_is_refused_by_its_cells(name, frame, tmp_path, little_memory, monkeypatch):
    write_table(frame, tmp_path / name)
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / name)
    assert str(caught.value) == (
        f"{name} (3.93 MB of text, some 200,000 cells) would take about 19.9 MB of memory, and "
        "1.9 MB are free. Take some of its rows or columns, or save it as Parquet, which takes a "
        "fifth of that."
    )
    monkeypatch.setattr(memory, "free_memory", lambda: 21_000_000)
    assert len(read_table(tmp_path / name)) == 40_000


def test_what_a_text_file_takes_is_estimated_well(frame, tmp_path):
    """Within a third of what is traced, from one digit to eighteen."""
    import tracemalloc

    from frugalforest.storage.delimited import read_delimited

    for digits in (0, 4, 17):
        write_table(frame.round(digits), tmp_path / "t.csv")
        estimates = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "frugalforest.storage.delimited.check_fits",
                lambda _, n, *__, e=estimates: e.append(n),
            )
            patch.setattr("frugalforest.storage.delimited._PART", 2**16)
            tracemalloc.start()
            text = read_delimited(tmp_path / "t.csv")
            taken = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
        assert len(text.rows) == 40_000
        assert 2 / 3 < estimates[0] / taken < 3 / 2, (digits, estimates, taken)


def test_a_parquet_file_is_refused_by_its_footer(frame, tmp_path, little_memory, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    frame["name"] = "somebody"
    frame.to_parquet(tmp_path / "t.parquet")
    with monkeypatch.context() as patch:
        patch.setattr(parquet, "read_table", None)  # it is not read
        with pytest.raises(DataError) as caught:
            read_table(tmp_path / "t.parquet")
    assert str(caught.value).endswith(
        " MB: 40,000 rows and 6 columns) would take about 6.4 MB of memory, and 1.9 MB are free. "
        "Take some of its rows or columns."
    )
    monkeypatch.setattr(memory, "free_memory", lambda: 7_000_000)
    assert len(read_table(tmp_path / "t.parquet")) == 40_000


def test_a_spreadsheet_is_refused_by_what_it_unpacks_to(frame, tmp_path, little_memory):
    pytest.importorskip("openpyxl")
    frame[:8000].to_excel(tmp_path / "t.xlsx", index=False)
    message = (
        r"t\.xlsx \(.* MB unpacked\) would take about .* of memory, and 1.9 MB are free\. Take"
    )
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / "t.xlsx")


def test_many_texts_for_many_classes_are_refused(little_memory):
    table = Table.read([[f"text {i // 2}"] for i in range(10_000)], ["street"])
    few = Outcome.read([i % 2 for i in range(10_000)])
    many = Outcome.read([i % 500 for i in range(10_000)])
    assert len(Encoder.fit(table, few).orders["street"]) == 5000
    with pytest.raises(DataError) as caught:
        Encoder.fit(table, many)
    assert str(caught.value) == (
        "column 'street' with 5,000 different texts, for 500 classes, would take about 80 MB of "
        "memory, and 1.9 MB are free. Merge rare texts or rare classes, or leave the column out."
    )


def test_a_table_whose_numbers_do_not_fit_is_refused(frame, little_memory):
    table, outcome = Table.read(frame), Outcome.read(np.arange(len(frame)) % 2)
    with pytest.raises(DataError) as caught:
        Encoder.fit(table, outcome).transform(table.select(list("abcde")).rows(np.arange(40_000)))
    assert str(caught.value) == (
        "a table of 40,000 rows and 5 columns, as numbers for forests, would take about 2 MB of "
        "memory, and 1.9 MB are free. Take some of its rows or columns, or work on fewer resamples "
        "at the same time (jobs)."
    )


# --- how much there is --------------------------------------------------------------------------


def group(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(str(content))


def test_there_is_some_memory_and_less_than_the_machine_has():
    assert 10_000_000 < memory.free_memory() < 1e15


def test_a_group_of_processes_may_have_less(tmp_path):
    own = tmp_path / "own"
    own.write_text("0::/batch/job7\n")
    root = tmp_path / "cgroup"
    stat = {"memory__stat": "anon 5\ninactive_file 300\n"}
    group(root / "batch/job7", memory__max="max", memory__current=10, **stat)
    group(root / "batch", memory__max=5000, memory__current=1000, **stat)
    assert memory._of_groups(root, own) == [4300]


def test_older_kernels_tell_it_in_other_files(tmp_path):
    own = tmp_path / "own"
    own.write_text("5:devices:/\n4:memory:/job7\n0::/\n")
    root = tmp_path / "cgroup"
    group(
        root / "memory/job7",
        memory__limit_in_bytes=900,
        memory__usage_in_bytes=1000,
        memory__stat="inactive_file 50\n",
    )
    assert memory._of_groups(root, own) == [0]


def test_without_groups_the_machine_alone_counts(tmp_path):
    assert memory._of_groups(tmp_path / "none", tmp_path / "neither") == []
