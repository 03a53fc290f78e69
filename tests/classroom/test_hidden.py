"""A teacher's own sizes: what the file says is graded, and each slip in it is one sentence."""

from __future__ import annotations

import pytest

from grader.classroom.hidden import read
from grader.classroom.ledger import Ledger
from grader.course import catalog
from grader.course.catalog import UsageError

ADD = "[01_vector_add.vector_add]\n"
WRONG = {
    "seed": "is no TOML",
    "seed = -1": "needs a `seed` from 0",
    "[01]": "`01`, which is no lesson: write it as NN_name",
    "[01_vector_add.vector]\ncases = [{n = 1}]": "names 01_vector_add.vector, and there is no such task",
    ADD + "cases = 3": r"needs `cases = \[{...}\]` in \[01_vector_add.vector_add\]",
    ADD + "cases = []": "needs `cases",
    ADD + "cases = [{m = 3}]": "has `m`, which vector_add does not have",
    ADD + 'cases = [{variant = "x"}]': "hidden cases of 01_vector_add are wrong: .*no value for n",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_slip_is_one_sentence(text):
    with pytest.raises(UsageError, match=WRONG[text]):
        read(text, catalog.entries())


def test_the_ledger_keeps_them_and_grades_anew_when_they_change(tmp_path):
    file = tmp_path / "class.sqlite"
    with Ledger(file, new=True) as ledger:
        own, graders = ledger.seed, {ledger.grader}
        ledger.hide(f"seed = 5\n{ADD}cases = [{{n = 7}}]")
        graders.add(ledger.grader)
        with pytest.raises(UsageError):
            ledger.hide("seed = no")
    with Ledger(file) as ledger:
        assert ledger.seed == 5 and ledger.grader in graders
        ledger.hide(f"{ADD}cases = [{{n = 8}}]")
        assert ledger.seed == own and ledger.grader not in graders
    entry = catalog.find("01")
    graded = read(f"{ADD}cases = [{{n = 8}}]", [entry]).entry(entry)
    assert [case.name for case in graded.lesson.tasks[0].cases][-2:] == ["n=8", "n=100003"]
