"""Whatever ends a run, at whatever moment: no grade is lost, none is there twice, and the rest is graded next time."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from grader.classroom.executors import JOBS_A_CARD, Grading, cards_here, grade_here, shares
from grader.classroom.ledger import Ledger, Result, Submitted
from grader.course.catalog import UsageError

SIMULATED = Path(__file__).with_name("simulated.py")
RUN = """
import sys
from pathlib import Path
from grader.classroom.executors import Grading, grade_here
from grader.classroom.ledger import Ledger
with Ledger(Path(sys.argv[1])) as ledger:
    grade_here(ledger, 2, None, {}, lambda *_: print(flush=True), [sys.executable, *sys.argv[2:]])
"""


def submitted(number: int, text: str = "") -> Submitted:
    return Submitted(f"person {number}", "01_vector_add", text or f"{number % 4} {number}", "x.cu", number)


def simulated(log: Path) -> list[str]:
    return [sys.executable, str(SIMULATED), str(log)]


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    with Ledger(tmp_path / "class.sqlite", new=True) as opened:
        yield opened


@pytest.mark.slow
def test_killed_at_any_moment_nothing_is_lost_or_there_twice(tmp_path):
    file, log, count = tmp_path / "class.sqlite", tmp_path / "log", 300
    with Ledger(file, new=True) as ledger:
        for number in range(count):
            assert ledger.add(submitted(number)) and not ledger.add(submitted(number))
    moments, graded = random.Random(7), 0
    for _ in range(8):
        command = [sys.executable, "-c", RUN, str(file), str(SIMULATED), str(log)]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for _ in range(moments.randrange(1, 25)):
            run.stdout.readline()
        run.send_signal(signal.SIGKILL)
        graded += 1 + run.communicate()[0].count("\n")
        with Ledger(file) as ledger:
            done = [row for row in ledger.rows() if row.result]
            assert len(done) + len(ledger.to_grade()) == count
    with Ledger(file) as ledger:
        grade_here(ledger, 2, None, {}, lambda *_: None, simulated(log))
        rows = list(ledger.rows())
        texts = [ledger.submitted(row.key).text for row in rows]
    assert len(rows) == count and ledger_size(file) == count
    assert [row.result.stars for row in rows] == [int(text[0]) for text in texts]
    begun = log.read_text().splitlines()
    assert len(set(begun)) == count and len(begun) <= count + 8 * 2  # again only what was at work when it was killed


def ledger_size(file: Path) -> int:
    with sqlite3.connect(file) as opened:
        return opened.execute("SELECT count(*) FROM grades").fetchone()[0]


@pytest.mark.slow
def test_what_dies_or_takes_too_long_stops_nothing(ledger, tmp_path):
    for number, text in enumerate(("die 1", "sleep 2", "3 stars", "die 4", "2 stars")):
        ledger.add(submitted(number, text))
    told = []
    run = (lambda *each: told.append(each), simulated(tmp_path / "log"))
    grade_here(ledger, 2, 10.0, {}, *run)
    results = {ledger.submitted(row.key).text: row.result for row in ledger.rows()}
    statuses = {text: result.status for text, result in results.items()}
    assert statuses == {
        "die 1": "not_graded", "sleep 2": "timeout", "3 stars": "passed", "die 4": "not_graded", "2 stars": "passed",
    }  # fmt: skip
    assert "longer than 10 s" in results["sleep 2"].message and len(told) == 5
    assert [ledger.submitted(key).text for key in ledger.to_grade()] == ["die 1", "die 4"]  # nothing is known of these


def test_each_job_has_cores_of_its_own():
    assert shares({0, 1}, 1) == [[0, 1]] and shares({4, 6}, 2) == [[4], [6]]
    assert shares(range(8), 3) == [[0, 1], [2, 3, 4], [5, 6, 7]]
    assert shares({0, 1}, 5) == [[0], [1], [0], [1], [0]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_process_that_grades_keeps_to_its_cores(ledger, jobs):
    for number in range(4):
        ledger.add(submitted(number))
    says = "import json, os, sys\nfor _ in sys.stdin: "
    says += "print(json.dumps({'status': 'race', 'message': str(sorted(os.sched_getaffinity(0)))}), flush=True)"
    grade_here(ledger, jobs, None, {}, lambda *_: None, [sys.executable, "-c", says])
    allowed = map(str, shares(os.sched_getaffinity(0), jobs))
    assert {row.result.message for row in ledger.rows()} <= set(allowed)


def test_jobs_on_gpus_have_a_card_each_in_turn_and_are_few_for_each(ledger, tmp_path, monkeypatch):
    for number in range(40):
        ledger.add(submitted(number))
    smi = tmp_path / "nvidia-smi"
    smi.write_text("#!/bin/sh\necho GPU-a\necho GPU-b\n")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    says = "import json, os, sys, time\nfor _ in sys.stdin: time.sleep(0.05); "
    says += "told = f'{os.getpid()} {os.environ.get(\"CUDA_VISIBLE_DEVICES\")}'; "
    says += "print(json.dumps({'status': 'race', 'message': told}), flush=True)"
    grade_here(ledger, 16, None, {"device": "cuda"}, lambda *_: None, [sys.executable, "-c", says])
    jobs = {row.result.message for row in ledger.rows()}
    assert sorted(job.split()[1] for job in jobs) == ["GPU-a"] * JOBS_A_CARD + ["GPU-b"] * JOBS_A_CARD


@pytest.mark.parametrize(("said", "cards"), [("", []), ("1", ["1"]), ("GPU-a,GPU-b", ["GPU-a", "GPU-b"])])
def test_cards_that_are_hidden_are_not_used(monkeypatch, said, cards):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", said)
    assert cards_here() == cards


@pytest.mark.slow
def test_one_process_can_be_waited_for(tmp_path):
    grading = Grading(simulated(tmp_path / "log"), {})
    grading.begin(submitted(1, "3 stars"), 7, "")
    assert grading.finish(None).stars == 3
    grading.begin(submitted(2, "sleep"), 7, "")
    assert grading.finish(5.0).status == "timeout"
    grading.begin(submitted(3, "die"), 7, "")
    assert grading.finish(None).status == "not_graded"
    grading.end()


def test_a_grade_that_stands_is_not_changed(ledger):
    ledger.add(submitted(1))
    for result in (Result("not_graded"), Result("passed", 3), Result("race", 0), Result("not_graded")):
        ledger.note(submitted(1), result)
    (row,) = ledger.rows()
    assert row.result.status == "passed" and ledger.to_grade() == []
    ledger.forget_grades()
    assert len(ledger.to_grade()) == 1


def test_what_is_no_ledger_is_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="there is no ledger"):
        Ledger(tmp_path / "none")
    (tmp_path / "text").write_text(json.dumps({}) * 100)
    with pytest.raises(UsageError, match="is no ledger of a class"):
        Ledger(tmp_path / "text")
