"""The array job's script, run by programs that stand for Slurm's: every part is graded, each grade is noted once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.classroom import slurm
from grader.classroom.ledger import Ledger, Submitted
from grader.course.catalog import UsageError

SIMULATED = Path(__file__).with_name("simulated.py")
# As Slurm does: reads --array, and runs the script once for each number; the second task is ended and queued again.
SBATCH = """#!/bin/bash
set -eu
array=$(sed -n 's/^#SBATCH --array=//p' "$1")
for SLURM_ARRAY_TASK_ID in $(seq "${array%-*}" "${array#*-}"); do
    export SLURM_ARRAY_TASK_ID
    if [ "$SLURM_ARRAY_TASK_ID" = 2 ]; then STOP_AFTER=3 bash "$1" || true; fi
    bash "$1"
done
"""
# As `ladder class grade` does with --part and --jobs, but with simulated grades.
LADDER = f"""#!{sys.executable}
import os, sys
from pathlib import Path
from grader.classroom import slurm
from grader.classroom.executors import grade_here
said = dict(zip(sys.argv[3::2], sys.argv[4::2]))
part = slurm.Part(Path(said["--ledger"]), int(said["--part"]))
left = int(os.environ.get("STOP_AFTER", 1 << 30))
def tell(*_):
    global left
    left -= 1
    if not left:
        os._exit(137)
command = [sys.executable, {str(SIMULATED)!r}, str(Path(said["--ledger"]).with_name("log"))]
grade_here(part, int(said["--jobs"]), None, {{}}, tell, command)
"""


def test_every_part_is_graded_and_noted_once(tmp_path):
    file, count = tmp_path / "a class.sqlite", 20
    for name, text in (("sbatch", SBATCH), ("ladder", LADDER)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    with Ledger(file, new=True) as ledger:
        for number in range(count):
            ledger.add(Submitted(f"person {number}", "01_vector_add", f"{number % 4} {number}", "x.cu", number))
        script = slurm.write_job(ledger, file, 3, [str(tmp_path / "ladder"), "class", "grade"])
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([tmp_path / "sbatch", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "a class.sqlite.parts" / "1.found.jsonl").open("a") as opened:
        opened.write('{"key": "half a li')
    begun = (tmp_path / "log").read_text().splitlines()
    assert len(set(begun)) == count and len(begun) <= count + slurm.CORES  # again only what was at work
    with Ledger(file) as ledger:
        assert slurm.merge(ledger, file) == count and slurm.merge(ledger, file) == 0 and ledger.to_grade() == []
        stars = [(row.result.stars, int(ledger.submitted(row.key).text[0])) for row in ledger.rows()]
    assert len(stars) == count and all(found == said for found, said in stars)


@pytest.mark.parametrize(("device", "cards"), [("cuda", 1), ("emulator", 0)])
def test_a_task_asks_for_a_card_where_it_grades_on_one(tmp_path, device, cards):
    file = tmp_path / "class.sqlite"
    with Ledger(file, new=True) as ledger:
        script = slurm.write_job(ledger, file, 1, ["ladder", "class", "grade", "--device", device])
    head = [line for line in script.read_text().splitlines() if line.startswith("#SBATCH")]
    assert head.count("#SBATCH --gpus-per-task=1") == cards and len(head) == 5 + cards


def test_a_part_of_another_grader_is_refused(tmp_path):
    file = tmp_path / "class.sqlite"
    with pytest.raises(UsageError, match="has no part 1: type `ladder class grade --on slurm` first"):
        slurm.Part(file, 1)
    with Ledger(file, new=True) as ledger:
        slurm.write_job(ledger, file, 1, ["ladder"])
    orders = tmp_path / "class.sqlite.parts" / "1.orders.jsonl"
    orders.write_text(json.dumps({**json.loads(orders.read_text()), "grader": "other"}))
    with pytest.raises(UsageError, match="has changed since"):
        slurm.Part(file, 1)
