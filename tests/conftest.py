"""What several test files share. Its place also makes `reference` importable from the tests."""

import signal
from pathlib import Path

import pytest


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
