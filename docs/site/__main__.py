"""`make site`: the course as a static site in build/site/, made by Sphinx from the repository's own pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site import links, sources

CONF = Path(__file__).parent
BUILD = sources.ROOT / "build"

# What the theme leaves out: names, levels, and the focus that scrolling with the keyboard needs.
FINISH = {
    r'<span class="[wnpo]">([^<]*)</span>': r"\1",  # blanks, names, punctuation, operators: half of a page
    r'role="heading">': 'role="heading" aria-level="2">',
    r'<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    r'<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    r"<pre(?=[ >])": '<pre tabindex="0"',
    r'<div class="(table|math)-wrapper': r'<div tabindex="0" class="\1-wrapper',
    r"<th([^>]*)>(?:<p></p>)?</th>": r"<td\1></td>",
    r'(<article role="main"[^>]*>)(?=\s*<noscript>)': r"\1<h1>Search</h1>",
}


def main() -> None:
    """Ends with a sentence if a page or a link is broken."""
    site = BUILD / "site"
    build(site)
    links.check(site)
    print(f"{site / 'index.html'}: open it in a browser")


def build(site: Path) -> None:
    """Builds the site into the folder `site`; what Sphinx needs besides goes beside it."""
    shutil.rmtree(site, ignore_errors=True)
    laid_out = site.with_name(f"{site.name}-sources")
    sources.lay_out(laid_out)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-c", CONF, "-d", f"{site}-cache", laid_out, site]
    subprocess.run([str(part) for part in command], check=True)
    for page in site.rglob("*.html"):
        page.write_text(finished(page.read_text()))


def finished(page: str) -> str:
    """A page of Sphinx's, smaller, and as readers of screens and users of a keyboard need it."""
    for pattern, made in FINISH.items():
        page = re.sub(pattern, made, page)
    return page


if __name__ == "__main__":
    main()
