"""The run of a program as files: a page for people, and JUnit's XML for continuous integration."""

from __future__ import annotations

from html import escape
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from rich.console import Console

from grader.report.pages import page
from grader.report.program import Run, scene, summary, tell, tell_lines, title
from grader.report.words import harmless

NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"  # what the page lets itself load
_STYLE = "body{max-width:60em;margin:2em auto;padding:0 1em;font-family:sans-serif;background:#fff;color:#111}"
_STYLE += "pre{white-space:pre-wrap;overflow-wrap:anywhere}"


def html(run: Run) -> str:
    """One page that needs nothing else."""

    def show(console: Console) -> None:
        tell(run, console, notes=True)
        if run.counted and run.lines:
            console.print()
            tell_lines(run, console)

    name = escape(harmless(run.program))
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{NOTHING_ELSE}">'
    body = f"<h1>{name}</h1>\n{harmless(page(show).html)}"
    return f"<!doctype html>\n<html lang=en>{head}<title>{name}</title><style>{_STYLE}</style>\n{body}\n</html>\n"


def junit(run: Run) -> str:
    """A test for each kernel, which fails with its first finding, and one for the program itself."""
    name = harmless(Path(run.program).name)
    suite = Element("testsuite", name=name)
    for kernel in dict.fromkeys(
        [*(each["name"] for each in run.kernels), *(each.kernel or "" for each in run.findings)]
    ):
        test = SubElement(suite, "testcase", classname=name, name=harmless(kernel or "host code"))
        found = [each for each in run.findings if (each.kernel or "") == kernel]
        if found:
            failure = SubElement(
                test, "failure", type=found[0].kind, message=harmless(f"{scene(found[0])}: {title(found[0])}")
            )
            failure.text = harmless("\n".join(f"{scene(each)}: {each.message}" for each in found))
    ended = SubElement(suite, "testcase", classname=name, name="exit code")
    if run.exit_code:
        said = harmless(run.ended or f"the program's exit code is {run.exit_code}")
        SubElement(ended, "failure", type="exit_code", message=said).text = harmless(summary(run))
    for what, elements in (("tests", "testcase"), ("failures", "testcase/failure")):
        suite.set(what, str(len(suite.findall(elements))))
    root = Element("testsuites", name="Kernel Ladder")
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'
