"""Of those who grade on a card, one at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.devices.cuda.card import Card
from grader.devices.worker.job import Cancel, Cancelled
from grader.judge.timing.turn import WAITING, Turn, turn_on

CARD = Card("A card", "90a", 132, 50 << 20, "GPU-1")
HOLDER = """
import sys
from tests.judge.timing.test_turn import CARD
from grader.judge.timing.turn import Turn
turn = Turn(CARD, print)
print(turn.take(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def holder():
    """Another process, whose turn it is."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLDER], text=True, **pipes) as process:
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


def test_a_turn_is_taken_once_and_at_once_where_nobody_grades():
    told = []
    with turn_on(CARD, told.append) as turn:
        assert turn.take() and turn.take()
    assert told == []


def test_another_process_is_waited_for_whatever_ends_it(holder):
    waits, told = threading.Event(), []
    with turn_on(CARD, lambda what: (told.append(what), waits.set())) as turn, ThreadPoolExecutor(2) as threads:
        taken = [
            threads.submit(turn.take) for _ in range(2)
        ]  # as the thread that prepares, and the one that runs cases
        assert waits.wait(10)
        assert not any(each.done() for each in taken)
        holder.kill()
        assert [each.result(10) for each in taken] == [True, True]
    assert {*told} == {WAITING}


def test_nobody_waits_for_another_card(holder):
    with turn_on(Card("A card", "90a", 132, 50 << 20, "GPU-2"), print) as turn:
        assert turn.take()


def test_a_turn_that_ended_is_the_next_ones():
    first, second = Turn(CARD, print), Turn(CARD, print)
    assert first.take()
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(second.take)
        first.end()
        assert waiting.result(10)
    second.end()


def test_a_turn_that_is_given_up_never_comes(holder):
    with turn_on(CARD, print) as turn, ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(turn.take)
        turn.give_up()
        assert waiting.result(10) is False


def test_who_calls_a_grade_off_does_not_wait(holder):
    cancel = Cancel()
    cancel.set()
    with turn_on(CARD, print, cancel) as turn, pytest.raises(Cancelled):
        turn.take()
