"""Grades for continuous integration: JUnit's XML as Jenkins, GitLab and GitHub's reporters read it.

A suite for each kernel, a test for each case. There is no standard; this keeps to what all of these readers share: the
elements of Ant's `junitreport`, and one failure a test, as readers ignore further ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from grader.judge.verdict import Grade, TaskGrade
from grader.report.graded import Graded
from grader.report.terminal import plain_text
from grader.report.words import harmless, rung_words

# Attribute: the elements that it counts.
COUNTED = {
    "tests": "testcase",
    "failures": "testcase/failure",
    "errors": "testcase/error",
    "skipped": "testcase/skipped",
}


def dumps(graded: Sequence[Graded]) -> str:
    """The whole document."""
    root = Element("testsuites", name="Kernel Ladder")
    for each in graded:
        root.append(_suite(each))
    for name, elements in COUNTED.items():
        root.set(name, str(len(root.findall(f"testsuite/{elements}"))))
    root.set("time", _seconds(sum(each.grade.seconds.get("total", 0) for each in graded if each.grade)))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _suite(graded: Graded) -> Element:
    grade = graded.grade
    suite = Element("testsuite", name=harmless(f"{graded.lesson}: {graded.kernel}"), file=harmless(graded.kernel))
    if grade:
        suite.set("time", _seconds(grade.seconds.get("total", 0)))
        _properties(suite, grade)
        for task in grade.tasks:
            suite.extend(_tests(task, grade, graded.source))
    if graded.problem:
        suite.append(_test(graded.lesson, "grading", error=graded.problem))
    if graded.again:
        differs = "\n".join(graded.again.differs)
        suite.append(_test(graded.lesson, "hand-in", failure=differs, kind="other_grade"))
    for name, elements in COUNTED.items():
        suite.set(name, str(len(suite.findall(elements))))
    return suite


def _properties(suite: Element, grade: Grade) -> None:
    facts = {"status": grade.status, "stars": grade.stars, "seed": grade.seed, "device": grade.device["name"]}
    facts |= {f"rung of {task.name}": rung_words(task.position) for task in grade.tasks if task.position.rungs}
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        SubElement(properties, "property", name=name, value=str(value))


def _tests(task: TaskGrade, grade: Grade, source: str) -> list[Element]:
    """A test for each case; one for the task itself, if no case can show what is wrong with it."""
    name, tests = f"{grade.lesson}.{task.name}", []
    for case in task.cases:
        failure = "" if case.status == "passed" else case.message or case.status
        tests.append(_test(name, case.name, failure=failure, kind=case.status))
    if task.status != "passed" and not any(case.status == task.status for case in task.cases):
        tests.append(_test(name, "as a whole", failure=task.message or task.status, kind=task.status))
    failures = [failure for test in tests for failure in test.findall("failure")]
    if telling := [failure for failure in failures if failure.get("type") == task.status]:
        telling[0].text = harmless(plain_text(task, grade, source))  # all that is known, once
    if grade.passed:  # then what failed is a bonus task, and the lesson is passed all the same
        for failed in failures:
            failed.tag = "skipped"
    said = "\n".join(filter(None, (task.emulator, task.withheld, task.output)))
    if said and tests:
        SubElement(tests[-1], "system-out").text = harmless(said)
    return tests


def _test(classname: str, name: str, *, failure: str = "", error: str = "", kind: str = "") -> Element:
    """A test that failed or could not be made, if one of these is said, and else passed."""
    test = Element("testcase", classname=classname, name=harmless(name))
    if failure:
        SubElement(test, "failure", type=kind, message=harmless(failure))
    if error:
        SubElement(test, "error", type="not_graded", message=harmless(error))
    return test


def _seconds(value: float) -> str:
    return f"{value:.3f}"
