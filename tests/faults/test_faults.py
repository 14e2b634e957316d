"""The program that harms runs: it runs, finds nothing, and would find a defect if there was one."""

import subprocess
import sys
from pathlib import Path

import pytest
from harmed import PREDICT, DefectError, Work

HERE = Path(__file__).parent


@pytest.mark.slow
def test_a_few_faults_lead_to_no_defect():
    tried = [sys.executable, str(HERE / "harm_runs.py"), "--share", "0.05", "--seed", "3"]
    ended = subprocess.run(tried, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("no defects\n")


@pytest.mark.slow
def test_another_result_is_a_defect(tmp_path):
    work = Work(*PREDICT, tmp_path)
    work.check_result(work.finished)
    predicted = work.finished / "predicted.csv"
    predicted.write_text(predicted.read_text().replace("yes", "no", 1))
    with pytest.raises(DefectError, match="is another one"):
        work.check_result(work.finished)
    with pytest.raises(DefectError, match="half written"):
        work.check_no_other_result(work.finished)
