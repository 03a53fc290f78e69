"""Sphinx's settings for the site: `make site` runs it on the pages that docs/site/sources.py lays out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

project = html_title = "Kernel Ladder"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "furo"
html_static_path = [str(Path(__file__).with_name("look.css"))]
html_css_files = ["look.css"]
html_copy_source = False
html_show_copyright = False
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_disable_syntax = ["myst_line_comment"]  # a line that begins with "% of" is text
myst_heading_anchors = 6  # as GitHub makes them, for links from page to page
# What docutils does not know of LaTeX, in words that it knows.
OTHER_WORDS = {r"\dots": r"\ldots", r"\Big(": r"\Bigl(", r"\Big)": r"\Bigr)"}
suppress_warnings = ["misc.highlighting_failure"]  # templates in a kernel's comment, and the like


def visit_math(writer: Any, node: nodes.Element) -> None:
    """A formula as MathML, which browsers draw themselves: it needs no script and no font."""
    displayed = isinstance(node, nodes.math_block)
    formula = node.astext()
    for word, other in OTHER_WORDS.items():
        formula = formula.replace(word, other)
    writer.body.append(latex2mathml.tex2mathml(formula, as_block=displayed))
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Sphinx calls it."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
