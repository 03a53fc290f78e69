"""What is kept for later runs: only what was sure, and only for the grader that made it."""

from __future__ import annotations

import json
import random
import re
import subprocess

import pytest

from grader import grade
from grader.devices.emulator.checked import FACTS
from tests import shared
from tests.shared import Kept, Once, long_tail


def tiers(values):
    """Which mark each has: "" for none."""
    marked = [getattr(value, "marks", ()) for value in values]
    return [marks[0].name if marks else "" for marks in marked]


def test_of_a_long_table_some_run_always_and_some_with_the_slow():
    assert tiers(long_tail("abcdef", every=3, slow=2)) == ["", "slow", "whole", "", "slow", "whole"]
    assert tiers(long_tail("abcdef", every=3, slow=1)) == ["", "slow", "slow", "", "slow", "slow"]
    assert tiers(long_tail("abcdef", every=4, slow=3)) == ["", "slow", "whole", "whole", "", "slow"]
    assert tiers(long_tail("aaabbb", every=8, slow=8, of=str)) == ["", "slow", "whole", "slow", "whole", "whole"]
    assert [getattr(each, "values", each) for each in long_tail([("a", 1), ("b", 2)], every=2)] == [("a", 1), ("b", 2)]
    named = long_tail([pytest.param("a", 1, id="first"), pytest.param("b", 2, id="second")], every=2)
    assert [(each.values, each.id) for each in named] == [(("a", 1), "first"), (("b", 2), "second")]


def test_what_only_the_whole_of_the_tests_has_is_none_of_the_fast_ones(request):
    class Item:
        def __init__(self, *marks):
            self.marks = list(marks)

        def get_closest_marker(self, name):
            return next((mark for mark in self.marks if mark.name == name), None)

        def add_marker(self, mark):
            self.marks.append(mark)

    items = [Item(), Item(pytest.mark.slow), Item(pytest.mark.whole), Item(pytest.mark.long)]
    request.config.pluginmanager.get_plugin(str(shared.ROOT / "tests/conftest.py")).pytest_collection_modifyitems(items)
    names = [{mark.name for mark in item.marks} for item in items]
    assert names == [{"long"}, set(), {"slow"}, {"whole", "slow"}]


@pytest.mark.parametrize(("slow", "left_out"), [("", "not slow"), ("1", "not whole"), ("2", "")])
def test_make_runs_as_many_as_it_is_asked_for(slow, left_out):
    command = ["make", "-n", "-o", ".venv/.ready-dev", "-C", shared.ROOT, "test", f"SLOW={slow}"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.findall(r' -m "(.*?)"', told) == [left_out] * bool(left_out)


@pytest.fixture
def run(tmp_path):
    """run() is a new run of the tests; what it keeps is there for the next."""
    runs = iter(range(9))

    def begin() -> Kept:
        return Kept(Once(tmp_path / f"run{next(runs)}"), tmp_path / "kept")

    return begin


def test_a_later_run_takes_what_was_sure(run):
    assert run()(["key"], lambda: 1, lambda found: True) == 1
    assert run()(["key"], lambda: 2, lambda found: True) == 1
    assert run()(["another"], lambda: 2, lambda found: True) == 2


def test_what_was_not_sure_is_known_to_its_own_run_alone(run):
    first = run()
    assert [first(["key"], lambda value=value: value, lambda found: False) for value in (1, 2)] == [1, 1]
    assert run()(["key"], lambda: 3, lambda found: False) == 3


def test_what_raises_is_not_kept(run):
    with pytest.raises(ZeroDivisionError):
        run()(["key"], lambda: 1 // 0, lambda found: True)
    assert run()(["key"], lambda: 1, lambda found: True) == 1


def test_another_grader_works_it_out_again(run, monkeypatch):
    assert run()(["key"], lambda: 1, lambda found: True) == 1
    monkeypatch.setattr(shared, "decided_by", lambda: "another")
    assert run()(["key"], lambda: 2, lambda found: True) == 2


def test_a_changed_file_of_the_grader_makes_it_another(tmp_path, monkeypatch):
    file = tmp_path / "grader" / "judge" / "compare.py"
    file.parent.mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "shared.py").touch()
    monkeypatch.setattr(shared, "ROOT", tmp_path)
    found = set()
    for text in ("allowed = 1", "allowed = 2"):
        file.write_text(text)
        shared.decided_by.cache_clear()
        found.add(shared.decided_by())
    shared.decided_by.cache_clear()
    assert len(found) == 2


def test_fresh_takes_nothing_from_an_earlier_run(tmp_path, monkeypatch):
    monkeypatch.setenv(shared.FRESH, "1")
    assert shared.kept_results(Once(tmp_path)).folder.parent == tmp_path
    assert shared.kept_folder(tmp_path / "base", "builds").is_relative_to(tmp_path)


def test_a_grade_whose_checking_build_is_of_the_plain_text_is_noticed(tmp_path, monkeypatch):
    file, asked, grade_task = tmp_path / "kernel.cu", [], grade.grade_task
    file.write_text(
        "struct Pair { float a, b; };\n"
        "__global__ void k(const float* x, float* z, int n) {\n"
        "    Pair pairs[2] = {};\n"
        f"    pairs[n % 2] = Pair{{x[0], {random.random()}}};\n"
        "    z[0] = pairs[n % 2].a;\n"
        "}\n"
        'extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {\n'
        "    k<<<1, 1, 0, stream>>>(x, z, n);\n"
        "}\n"
    )
    monkeypatch.setattr("grader.grade.grade_task", lambda *what: asked.append(what[1]) or grade_task(*what))
    assert grade.grade("01", file, device="emulator", seed=1).status == "not_written"
    submission = asked[0]
    prototypes = [each.signature for each in submission.tasks]
    library = shared.emulated_library(submission.source, submission.filename, prototypes, shared.cache_root())
    facts = library.with_name(FACTS)
    assert shared.beside(library, submission.filename) and not shared.checks_plain_text(submission)
    facts.write_text(json.dumps(json.loads(facts.read_text()) | {"is_plain": True}))
    try:
        assert shared.checks_plain_text(submission)
    finally:
        facts.unlink()
