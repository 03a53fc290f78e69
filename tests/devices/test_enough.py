"""Once a case that ran is wrong, those that take long need not run."""

import pytest
from jobs import KERNEL

from grader.devices.worker import running


def test_a_worker_is_ended_once_a_case_is_wrong_and_the_next_takes_long(run):
    asked = []
    slow = KERNEL.replace("    add<<<", "    if (n == 31) for (;;) usleep(1000);\n    add<<<")
    found = run("#include <unistd.h>\n" + slow, seconds=1, enough=lambda found: asked.append(len(found.cases)) or True)
    assert asked == [1] and [case.name for case in found.cases] == ["n=1"]
    assert found.cut and found.problem is None


@pytest.mark.slow
def test_it_is_not_ended_while_an_earlier_case_is_called_again(run, monkeypatch):
    """Half of a second call would lie in that case's outputs."""
    monkeypatch.setattr(running, "LONG", 0.9)  # by then the cases themselves are done on a busy machine, too
    waits = "    static int calls;\n    if (++calls > 4) for (;;) usleep(1000);\n"
    slow = KERNEL.replace("    add<<<", f"{waits}    add<<<")
    found = run("#include <unistd.h>\n" + slow, seconds=2, enough=lambda found: True)
    assert not found.cut and len(found.cases) == 3


def test_as_long_as_no_case_is_wrong_all_of_them_run(run, monkeypatch):
    monkeypatch.setattr(running, "LONG", 0.0)
    asked = []
    found = run(KERNEL, enough=lambda found: asked.append(len(found.cases)))
    assert len(found.cases) == 3 and not found.cut
    assert set(asked) <= {0, 1, 2, 3}
