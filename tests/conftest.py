"""What several test files share. Its place also makes `reference` importable from the tests."""

import shutil
import signal
from pathlib import Path

import pytest

from frugalforest.report import render
from reference.browser import DESK
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


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium; tests that need it are skipped where it is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no `chromium` on the path")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open the page of results; anything the page does that it should not fails the test."""
    contexts, complaints = [], []

    def open_(results, viewport=DESK, address="", **options):
        path = tmp_path / "report.html"
        path.write_text(render(results), encoding="utf-8")
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (complaints.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                request.url.partition("#")[0] == path.as_uri()
                or request.url.startswith("data:")
                or complaints.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri() + address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
