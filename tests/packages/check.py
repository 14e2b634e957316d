"""Whether the packages in a folder are whole: `make dist` runs this after it built them.

Compares what is in them with what is in the repository, installs the wheels into
empty environments, one for each interpreter here, and runs the demo there.
"""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from interpreters import interpreters

ROOT = Path(__file__).parents[2]
# What the sdist needs so that a wheel can be built from it, and its tests run.
NEEDED = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "CHANGELOG.md")
FOLDERS = ("cpp", "src", "tests", "docs", "examples")
# Studies and stores are of the repository, not of the package.
UNWANTED = ("results/", ".so", ".sqlite", "_build/", "/generated/", "/gallery/")


def tracked(*places):
    """Files of the repository, as git knows them."""
    run = subprocess.run(
        ["git", "ls-files", *places], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(run.stdout.splitlines())


def check_sdist(path):
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = tracked(*NEEDED, *FOLDERS) - names
    assert not missing, f"{path.name} lacks {sorted(missing)}"
    extra = [name for name in names for part in UNWANTED if part in f"/{name}"]
    assert not extra, f"{path.name} holds {extra}"
    return len(names)


def check_wheel(path):
    names = set(zipfile.ZipFile(path).namelist())
    missing = {name.removeprefix("src/") for name in tracked("src")} - names
    assert not missing, f"{path.name} lacks {sorted(missing)}"
    assert any(name.startswith("frugalforest/_core.") and name.endswith(".so") for name in names)
    templates = [name for name in names if name.endswith((".html", ".css", ".js"))]
    assert templates, f"{path.name} has no templates"
    return len(names), len(templates)


def try_wheel(path, interpreter, folder):
    """Install the wheel where nothing else is, and run the demo away from the repository."""
    subprocess.run([interpreter.path, "-m", "venv", folder / "empty"], check=True)
    python = folder / "empty" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", path], check=True)
    where = "import frugalforest; print(frugalforest.__file__)"
    found = subprocess.run(
        [python, "-I", "-c", where], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert found.startswith(str(folder)), f"the package was taken from {found}"
    demo = ["demo", "--resamples", "2", "--trees", "50", "--jobs", "2"]
    # -I: neither the folder nor PYTHONPATH may stand in for what the wheel lacks.
    run = subprocess.run(
        [python, "-I", "-m", "frugalforest", *demo],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    page = (folder / "frugalforest-demo" / "report.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")


def main(dist):
    (sdist,) = dist.glob("*.tar.gz")
    print(f"{sdist.name}: {check_sdist(sdist)} files", flush=True)
    wheels = sorted(dist.glob("*.whl"))
    for wheel in wheels:
        n_files, n_templates = check_wheel(wheel)
        print(f"{wheel.name}: {n_files} files, {n_templates} of them templates", flush=True)
    for interpreter in interpreters():
        (wheel,) = (path for path in wheels if interpreter.tag in path.name)
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(wheel.resolve(), interpreter, Path(folder))
        print(
            f"Python {interpreter.version}: {wheel.name} works in an empty environment.", flush=True
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
