"""What several test files share. Its place also makes `reference` importable from the tests."""

import signal
from pathlib import Path

import pytest

from reference.patients import PRICED, PRICES, QUICK, patients, run


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_interrupts():
    """Some tests press Ctrl-C, here or in a child; a script's background jobs start ignoring it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def datasets_dir() -> Path:
    """Folder of the real data sets, kept beside the repository; tests that need it are skipped."""
    folder = Path(__file__).parents[2] / "shared" / "datasets"
    if not folder.is_dir():
        pytest.skip(f"no data folder {folder}")
    return folder


@pytest.fixture
def folder(tmp_path):
    """A folder with the patients, their price list, and files that cannot be read."""
    patients().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "prices.csv").write_text(PRICES)
    for name in ("broken.parquet", "broken.xlsx", "table.doc"):
        (tmp_path / name).write_bytes(b"nothing")
    return tmp_path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One run of `select`: its folder and what it printed."""
    folder = tmp_path_factory.mktemp("finished")
    patients().to_csv(folder / "data.csv", index=False)
    (folder / "prices.csv").write_text(PRICES)
    result = run(*PRICED, "--budget", 4, "--budget", "7.5", "--out", "out", *QUICK, cwd=folder)
    assert result.returncode == 0, result.stderr
    return folder, result
