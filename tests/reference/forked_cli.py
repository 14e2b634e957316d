"""The command line in a process of its own that need not import everything again.

Starting Python with scikit-learn takes 1.5 s, which is most of the time that a refused input takes.
A server that has imported the package forks instead. Exit code, output and folder are real.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from frugalforest.cli import main

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["frugalforest.cli"])


def run_forked(*arguments, cwd):
    """What `frugalforest` with these arguments prints and returns."""
    arguments = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "stdout"), Path(folder, "stderr")]
        process = SERVER.Process(target=_child, args=(arguments, cwd, files))
        process.start()
        process.join(60)
        assert process.exitcode is not None, "it does not end"
        texts = [file.read_text(encoding="utf-8") for file in files]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


def _child(arguments, cwd, files):
    os.chdir(cwd)
    for stream, file in zip((1, 2), files, strict=True):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), stream)
    sys.argv = ["frugalforest", *arguments]
    main()
