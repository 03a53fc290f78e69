"""The repository's address: it stands in pyproject.toml, as `Repository` of [project.urls], and nowhere else.

While it is not there the project has no address yet: no badge and no link to it is rendered anywhere, in README.md, in
the notebooks or in the pages beside them. `make address` renews them all (docs/renew.py).
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
ADDRESS = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
GITHUB = "https://github.com"
COLAB = "https://colab.research.google.com"
BINDER = "https://mybinder.org"
CODESPACES = "https://codespaces.new"


def repository() -> str:
    """The repository's OWNER/NAME on GitHub; empty while the project has none.

    Ends the program with a sentence if what is written there is something else.
    """
    written = tomllib.loads(PROJECT.read_text())["project"].get("urls", {}).get("Repository", "")
    found = ADDRESS.fullmatch(written)
    if written and not found:
        sys.exit(f"pyproject.toml: Repository is {written!r}: write it as https://github.com/OWNER/NAME")
    return found[1] if found else ""


def page(path: str = "") -> str:
    """The address of the repository, or of one of its pages (`/issues`); empty while the project has none."""
    name = repository()
    return f"{GITHUB}/{name}{path}" if name else ""


def image_link(label: str, image: str, target: str) -> str:
    """Markdown of a picture that leads to a page."""
    return f"[![{label}]({image})]({target})"


def colab_badge(name: str) -> str:
    """Markdown that opens the notebook of this name on Colab; empty while the project has no address."""
    if not repository():
        return ""
    target = f"{COLAB}/github/{repository()}/blob/main/notebooks/{name}.ipynb"
    return image_link("Open in Colab", f"{COLAB}/assets/colab-badge.svg", target)


def binder_badge() -> str:
    """Markdown that opens the notebooks on mybinder.org (.binder/); empty while the project has no address."""
    target = f"{BINDER}/v2/gh/{repository()}/main?urlpath=lab/tree/notebooks/00_setup.ipynb"
    return image_link("Open on Binder", f"{BINDER}/badge_logo.svg", target) if repository() else ""


def codespaces_badge() -> str:
    """Markdown that opens the course in an editor (.devcontainer/); empty while the project has no address."""
    label, picture = "Open in GitHub Codespaces", f"{GITHUB}/codespaces/badge.svg"
    return image_link(label, picture, f"{CODESPACES}/{repository()}") if repository() else ""


def ci_badge() -> str:
    """Markdown that says whether the last run of CI on main was green; empty while the project has no address."""
    workflow = page("/actions/workflows/ci.yml")
    return image_link("CI", f"{workflow}/badge.svg?branch=main", workflow) if workflow else ""
