"""What several test files share. Its place also makes `reference` importable from the tests."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def datasets_dir() -> Path:
    """Folder of the real data sets, kept beside the repository; tests that need it are skipped."""
    folder = Path(__file__).parents[2] / "shared" / "datasets"
    if not folder.is_dir():
        pytest.skip(f"no data folder {folder}")
    return folder
