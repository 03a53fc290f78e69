"""Grades for continuous integration: JUnit's XML as Jenkins, GitLab and GitHub's reporters read it.

A suite for each kernel, a test for each case. There is no standard; this keeps to what all of these readers share: the
elements of Ant's `junitreport`, and one failure a test, as readers ignore further ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from grader.judge.verdict import Grade, TaskGrade
from grader.report.graded import Graded
from grader.report.terminal import told
from grader.report.words import harmless

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
        _test(suite.append, graded.lesson, "grading", error=graded.problem)
    if graded.again:
        _test(suite.append, graded.lesson, "hand-in", failure="\n".join(graded.again.differs), kind="other_grade")
    for name, elements in COUNTED.items():
        suite.set(name, str(len(suite.findall(elements))))
    return suite


def _properties(suite: Element, grade: Grade) -> None:
    facts = {"status": grade.status, "stars": grade.stars, "seed": grade.seed, "device": grade.device["name"]}
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        SubElement(properties, "property", name=name, value=str(value))


def _tests(task: TaskGrade, grade: Grade, source: str) -> Iterator[Element]:
    """A test for each case; one for the task itself, if no case can show what is wrong with it."""
    name, found = f"{grade.lesson}.{task.name}", []
    for case in task.cases:
        failure = "" if case.status == "passed" else case.message or case.status
        _test(found.append, name, case.name, failure=failure, kind=case.status)
    if task.status != "passed" and not any(case.status == task.status for case in task.cases):
        _test(found.append, name, "as a whole", failure=task.message or task.status, kind=task.status)
    telling = next((test for test in found if test.find(f"failure[@type='{task.status}']") is not None), None)
    if telling is not None:  # all that is known, once
        telling.find("failure").text = harmless(told(task, grade, source))
    for failure in [test.find("failure") for test in found if grade.passed and test.find("failure") is not None]:
        failure.tag = "skipped"  # a bonus task, as the lesson is passed all the same
    if task.output and found:
        SubElement(found[-1], "system-out").text = harmless(task.output)
    yield from found


def _test(add, classname: str, name: str, *, failure: str = "", error: str = "", kind: str = "") -> None:
    test = Element("testcase", classname=classname, name=harmless(name))
    if failure:
        SubElement(test, "failure", type=kind, message=harmless(failure))
    if error:
        SubElement(test, "error", type="not_graded", message=harmless(error))
    add(test)


def _seconds(value: float) -> str:
    return f"{value:.3f}"
