"""Renews every place that shows the repository's address (`make address`), without running a lesson or a notebook.

Those of README.md and the notebooks are made by docs/readme.py and docs/notebooks.py; the pages beside them are here.
"""

from __future__ import annotations

from pathlib import Path

import nbformat

from docs import address, blocks, changelog, notebooks, readme

ROOT = Path(__file__).parents[1]
CONTACT = """\
contact_links:
  - name: A way around the grader, or out of its sandbox
    url: {page}/security/advisories/new
    about: Please report it in private. SECURITY.md says what is defended and what is not.
  - name: Writing a lesson
    url: {page}/blob/main/docs/authoring.md
    about: What a lesson is made of, and how to find out whether it keeps its promises.
"""


def main() -> None:
    for file, made in pages().items():
        file.write_text(made)
    for file in sorted((ROOT / "notebooks").glob("*.ipynb")):
        nbformat.write(notebooks.reframed(file), file)
    print(f"the address everywhere: {address.page() or 'none, so there is no badge and no link to it'}")


def pages() -> dict[Path, str]:
    """Each file that has links to the repository, but for the notebooks, with its blocks made anew."""
    wanted = {
        "README.md": readme.linked(),
        "CONTRIBUTING.md": {"clone": clone()},
        "SECURITY.md": {"report": report()},
        "CHANGELOG.md": {"versions": versions()},
        ".github/ISSUE_TEMPLATE/config.yml": {"contact": CONTACT.format(page=address.page()) if address.page() else ""},
    }
    return {ROOT / name: blocks.renewed((ROOT / name).read_text(), made) for name, made in wanted.items()}


def clone() -> str:
    """How to get the repository, where it has an address."""
    page = address.page()
    return f"```\ngit clone {page}\ncd {page.rpartition('/')[2]}\n```\n" if page else ""


def report() -> str:
    """The form for a private report."""
    form = address.page("/security/advisories/new")
    return f"The form is [here]({form}).\n" if form else ""


def versions() -> str:
    """Where each version of the changelog is compared with the one before it, as Markdown's link definitions."""
    page = address.page()
    if not page:
        return ""
    numbers = changelog.versions()
    ends = ["HEAD", *(f"v{number}" for number in numbers)]
    names = ["Unreleased", *numbers[:-1]]
    lines = [f"[{name}]: {page}/compare/{ends[i + 1]}...{ends[i]}" for i, name in enumerate(names)]
    return "\n".join([*lines, f"[{numbers[-1]}]: {page}/releases/tag/v{numbers[-1]}"]) + "\n"


if __name__ == "__main__":
    main()
