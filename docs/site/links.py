"""The links of a built site: each leads to a file and an anchor that are there, and no page asks another host."""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {("img", "src"), ("img", "srcset"), ("script", "src"), ("source", "srcset"), ("iframe", "src")}


class Page(HTMLParser):
    """What a page links to, what a browser fetches for it, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        if "href" in found:
            (self.fetched if tag == "link" and found.get("rel") != "canonical" else self.links).append(found["href"])
        self.fetched.extend(value for name, value in found.items() if (tag, name) in FETCHED)


def broken(site: Path) -> list[str]:
    """A sentence for each link of the pages that leads nowhere, and for each fetch from another host."""
    read = cache(Page)
    said = []
    for file in sorted(site.rglob("*.html")):
        page, name = read(file), file.relative_to(site)
        said += [f"{name} fetches {each}" for each in page.fetched if urlsplit(each).netloc]
        for link in {*page.links, *page.fetched}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
            if not target.is_file():
                said.append(f"{name}: {link} is not there")
            elif target.suffix == ".html" and parts.fragment and unquote(parts.fragment) not in read(target).anchors:
                said.append(f"{name}: {link} has no such anchor")
    return said


def check(site: Path) -> None:
    """Ends the program with code 1 after a sentence for each link that is broken."""
    if said := broken(site):
        sys.exit("\n".join(said))
