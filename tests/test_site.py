"""The site that `make site` builds: every page is there, every link leads somewhere, and a browser has no complaint."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from docs.site import links
from grader.course import catalog, reading
from tests.browser import Browser
from tests.shared import run_folder

ROOT = Path(__file__).parents[1]
AXE = ROOT / "build" / "axe.min.js"  # of the npm package axe-core; .github/workflows/site.yml fetches it
MOST_BYTES = 500_000  # of a page with its styles and scripts, before its figures
FIGURES = (".png", ".svg")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The whole site, built once for all workers."""
    pytest.importorskip("furo", reason="needs the packages of the extra `site`")
    from docs.site.__main__ import build

    folder = run_folder(tmp_path_factory.getbasetemp()) / "site"
    with FileLock(f"{folder}.lock"):
        if not (built := folder.with_name("site-built")).exists():
            build(folder)
            built.touch()
    return folder


@pytest.mark.slow
def test_every_page_is_there_and_every_link_leads_somewhere(site):
    assert links.broken(site) == []
    for entry in catalog.entries(ROOT):
        page = (site / "lessons" / f"{entry.name}.html").read_text()
        for task in entry.lesson.tasks:
            for number, rung in enumerate(task.ladder, 1):
                title = f"rung-{number}-{rung.name.replace('_', '-')}"
                assert re.search(rf'<section id="(?:[\w-]+-)?{title}">', page), f"{entry.name} has no {title}"
        for source in entry.rungs:
            assert entry.task_of(source) or source.name in page
        assert page.count("<details>") == page.count("</details>") >= len(entry.rungs)
        assert 'class="next-page"' in page and 'class="prev-page"' in page
    notebook = (site / "notebooks" / "01_vector_add.html").read_text()
    assert "<math" in notebook and 'alt="20 elements, blocks of 8 threads: the last 4 threads' in notebook
    assert "x[1], past its end: x has 1 element" in notebook  # an output, as it is stored
    assert 'href="../lessons/01_vector_add.html#rung-3-float4"' in notebook  # a folded solution
    assert ' class="source">' in notebook and "background:#" not in notebook  # dark on a dark page
    divergence = (site / "notebooks" / "02_warp_divergence.html").read_text()
    assert re.search(r"The 71\s% hold the code around", divergence)  # MyST would take such a line for a comment
    assert (site / "searchindex.js").stat().st_size > 50_000


@pytest.mark.slow
def test_what_ladder_read_opens_is_there(site):
    for label in ("00", "03", "07"):
        for each in reading.sections(catalog.find(label, ROOT)):
            page, _, anchor = each.address.partition("#")
            assert f'id="{anchor}"' in (site / page).read_text(), each.address


def test_the_link_checker_finds_what_is_broken(tmp_path):
    (tmp_path / "there.html").write_text('<h1 id="a">A</h1>')
    (tmp_path / "page.html").write_text(
        '<a href="there.html#a"></a><a href="there.html#b"></a><a href="gone.html"></a><a href="#top"></a>'
        '<a href="https://example.org"></a><img src="gone.png"><script src="https://example.org/x.js"></script>'
        '<link rel="stylesheet" href="//example.org/x.css">'
    )
    assert sorted(links.broken(tmp_path)) == [
        "page.html fetches //example.org/x.css",
        "page.html fetches https://example.org/x.js",
        "page.html: #top has no such anchor",
        "page.html: gone.html is not there",
        "page.html: gone.png is not there",
        "page.html: there.html#b has no such anchor",
    ]


SOME = ["index", "lessons/03_coalescing", "lessons/08_flash_attention", "notebooks/01_vector_add",
        "notebooks/08_flash_attention", "docs/grading", "sliders", "search"]  # fmt: skip


def faults_of(browser, site, name):
    """What is wrong with a page, wide and light, narrow and dark: what it fetches from elsewhere, bytes too many,
    a width that does not fit, messages, what axe-core finds.
    """
    for width, scheme in ((1200, "light"), (360, "dark")):
        browser.open(site / f"{name}.html", width, scheme=scheme)
        fetched = [each for each in browser.requests if not each.startswith("data:")]
        yield from (f"{name} fetches {each}" for each in fetched if not each.startswith(site.as_uri()))
        total = sum(size(each) for each in fetched if each.startswith(site.as_uri()) and not each.endswith(FIGURES))
        if total >= MOST_BYTES:
            yield f"{name} takes {total:,} bytes"
        if not browser.value("document.documentElement.scrollWidth <= innerWidth"):
            yield f"{name} is too wide for {width} pixels"
        yield from (f"{name}, {scheme}: {each}" for each in [*browser.complaints, *violations(browser)])


@pytest.mark.slow
def test_every_page_keeps_the_budget(site, browser):
    names = sorted(str(page.relative_to(site).with_suffix("")) for page in site.rglob("*.html"))
    assert len(names) > 30
    assert [wrong for name in names if name not in SOME for wrong in faults_of(browser, site, name)] == []


@pytest.mark.slow
def test_in_a_browser(site, browser):
    assert [wrong for name in SOME for wrong in faults_of(browser, site, name)] == []
    for name, places in (("sliders", 6), ("notebooks/03_coalescing", 3)):  # the same script on both
        browser.open(site / f"{name}.html", 1200)
        found = "[...document.querySelectorAll('.slider')].filter((each) => each.querySelector('svg')).length"
        assert browser.value(found) == places
    browser.open(site / "sliders.html", 1200)
    browser.value("document.querySelector('[data-slider=banks] input').focus()")
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", windowsVirtualKeyCode=39)
    said = waited_for(browser, "document.querySelector('[data-slider=banks] .says').textContent")
    assert said.endswith("1 wavefront, where 1 would do.")  # rows of 33 words: a key away from 32 wavefronts
    browser.ask("Page.navigate", url=f"{(site / 'search.html').as_uri()}?q=coalescing")
    assert waited_for(browser, "document.querySelector('#search-results li')?.textContent").count("oalescing")


def size(address: str) -> int:
    return Path(re.sub(r"[?#].*", "", address.removeprefix("file://"))).stat().st_size


def violations(browser: Browser, rules: Mapping[str, Any] | None = None) -> list[str]:
    """What axe-core finds, where it is here; with these `rules` besides those that it has on."""
    if not AXE.exists():
        return []
    browser.value(f"{AXE.read_text()};0")
    asked = json.dumps({"preload": False, "rules": rules or {}})
    run = f"axe.run({asked}).then((found) => found.violations.map((each) => each.id + each.nodes[0].html))"
    return browser.ask("Runtime.evaluate", expression=run, awaitPromise=True, returnByValue=True)["result"]["value"]


def waited_for(browser: Browser, expression: str) -> str:
    """What an expression gives once it gives something."""
    promise = f"""new Promise((done) => {{
        const look = () => {{ const found = {expression}; found ? done(found) : setTimeout(look, 50); }};
        setTimeout(() => done("nothing"), 60000);
        look();
    }})"""
    answer = browser.ask("Runtime.evaluate", expression=promise, awaitPromise=True, returnByValue=True)
    return answer["result"]["value"]
