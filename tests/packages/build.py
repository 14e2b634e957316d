"""The sdist, and wheels from it for the interpreters here: `make dist` runs this."""

import subprocess
import sys
import tempfile
from pathlib import Path

from interpreters import VERSIONS, interpreters

ROOT = Path(__file__).parents[2]


def run(*command):
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def build_wheel(sdist, interpreter, dist):
    """Build and repair; auditwheel names the oldest Linux that the wheel runs on."""
    with tempfile.TemporaryDirectory() as folder:
        run(
            *(sys.executable, "-m", "pip", "--python", interpreter.path, "wheel"),
            *("--quiet", "--no-deps", "--wheel-dir", folder, sdist),
        )
        (wheel,) = Path(folder).glob("*.whl")
        assert interpreter.tag in wheel.name, f"{interpreter.version} gave {wheel.name}"
        run("auditwheel", "repair", "--wheel-dir", dist, wheel)


def main(dist):
    dist.mkdir(exist_ok=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", dist)
    (sdist,) = dist.glob("*.tar.gz")
    built = set()
    found = interpreters()
    for interpreter in found:
        if interpreter.tag not in built:
            build_wheel(sdist, interpreter, dist)
            built.add(interpreter.tag)
    missing = [v for v in VERSIONS if v not in {i.version for i in found}]
    if missing:
        print(f"Not here, so not tried: Python {', '.join(missing)}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
