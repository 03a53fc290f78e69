"""How the rooms of the grader hang together: which of them an emulated grade enters, and which way imports run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import structure

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50  # with its parameters and its docstring
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def python(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=structure.ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_an_emulated_grade_imports_nothing_of_a_gpu():
    code = "import sys; from grader.grade import grade; "
    code += "assert grade('01', reference=True, device='emulator').passed; print(*sys.modules, sep='\\n')"
    loaded = python(code).splitlines()
    assert "grader.judge.weigh" in loaded
    assert [name for name in loaded if name.startswith(("grader.devices.cuda", "grader.judge.timing"))] == []


def test_ladder_alone_loads_nothing_that_builds_or_runs_a_kernel():
    """It has 0.2 s, and more than half of that is Python and rich."""
    code = "import sys; from grader.faces import cli; assert cli.run([]) == 0; print('loaded', *sys.modules, sep='\\n')"
    loaded = python(code).partition("loaded\n")[2].splitlines()
    assert "grader.report.overview" in loaded
    slow = ("grader.devices.emulator.symbols", "grader.devices.build.recipe", "importlib.metadata", "numpy", "torch")
    assert [name for name in slow if name in loaded] == []


@pytest.mark.whole
def test_an_emulated_grade_enters_few_files_and_goes_straight_through_them():
    code = "from benchmarks.hops import trace; found = trace('01'); print(len(found.files), found.hops.total())"
    files, hops = map(int, python(code).split())
    assert files <= 33 and hops <= 490  # some 15 of them for each of 17 cases, or of 18: the seed draws some


@pytest.mark.parametrize("pattern", ["**/*.py", "**/*.cpp", "**/*.h"])
def test_no_file_is_longer_than_one_can_oversee(pattern):
    lines = {file: len(file.read_text().splitlines()) for file in structure.PACKAGE.glob(pattern)}
    assert [str(file) for file, count in lines.items() if count > MOST_LINES] == []


@pytest.mark.slow
def test_no_function_is_longer_than_a_screen():
    trees = {file: structure.syntax(file) for file in structure.PACKAGE.rglob("*.py")}
    functions = [
        (file.name, each) for file, tree in trees.items() for each in ast.walk(tree) if isinstance(each, FUNCTION)
    ]
    lines = {f"{file}: {each.name}": each.end_lineno - each.lineno + 1 for file, each in functions}
    assert len(lines) > 1000 and [name for name, count in lines.items() if count > MOST_LINES_OF_A_FUNCTION] == []


def test_nor_is_a_lesson():
    lines = {file: len(file.read_text().splitlines()) for file in structure.ROOT.glob("*lessons/**/*.py")}
    assert lines and [str(file) for file, count in lines.items() if count > MOST_LINES] == []


def test_there_are_few_rooms_and_few_ways_between_them():
    """Those to and from devices/build, which both kinds of builds share, are not counted."""
    assert len(structure.FLOOR_OF) <= 20
    assert len([arrow for arrow in structure.arrows() if "devices.build" not in arrow]) <= 80


def test_no_two_files_import_each_other():
    modules = structure.modules()
    named = {
        name: {_module(each, modules) for each in structure.imports(file)} - {name} for name, file in modules.items()
    }
    left = dict(named)
    while free := [name for name, below in left.items() if not below & left.keys()]:
        for name in free:
            del left[name]
    assert {name: sorted(below & left.keys()) for name, below in left.items()} == {}


def _module(name: str, modules: dict[str, Path]) -> str:
    """Of what is imported, `grader.course.catalog.Entry`: grader.course.catalog."""
    return name if name in modules else name.rpartition(".")[0]


def test_every_module_is_in_a_room():
    outside = {name for name in structure.modules() if not structure.room(name)}
    assert outside == {"grader", "grader.devices"}


def test_imports_run_down():
    floors = structure.FLOOR_OF
    assert [f"{above} imports {below}" for above, below in structure.arrows() if floors[below] <= floors[above]] == []


def test_the_page_names_files_and_members_that_are_there():
    page = structure.PAGE.read_text()
    folders = [structure.ROOT, structure.PACKAGE, *(each for each in structure.PACKAGE.rglob("*") if each.is_dir())]
    folders += [structure.ROOT / "docs" / "site"]
    named = set(re.findall(r"`([\w/]+\.(?:py|cpp|h|js|css|cu|json|md))`", page))
    assert len(named) > 100
    assert sorted(name for name in named if not any((folder / name).is_file() for folder in folders)) == []
    runtime = {file.name: file.read_text() for file in structure.PACKAGE.glob("devices/emulator/runtime/*.h")}
    for record, member in re.findall(r"`([A-Z]\w+)\.(\w+)`", page):
        found = [re.search(rf"struct {record} {{.*?^}};", text, re.DOTALL | re.MULTILINE) for text in runtime.values()]
        assert any(each and re.search(rf"\b{member}\b", each[0]) for each in found), f"{record}.{member}"


def test_the_picture_shows_the_rooms_as_they_are():
    page = structure.PAGE.read_text()
    assert structure.renewed(page) == page, "type `make readme`"
