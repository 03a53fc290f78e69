"""What CHANGELOG.md says of a version. `python -m docs.changelog v0.1.0` prints it, for the release of that tag.

It refuses a tag that is not pyproject.toml's version, and a version without a section or a date. Needs no package.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)


def main(*tags: str) -> None:
    if len(tags) != 1:
        sys.exit("changelog: name the tag: python -m docs.changelog v0.1.0")
    print(notes(tags[0]))


def notes(tag: str) -> str:
    """The release notes of a tag such as v0.1.0. Ends the program with a sentence if that release cannot be made."""
    version = project_version()
    if tag != f"v{version}":
        sys.exit(f"changelog: the tag is {tag} and pyproject.toml's version is {version}: change one of them")
    found = section(version)
    if not found:
        sys.exit(f"changelog: CHANGELOG.md says nothing of {version}: write it below `## [{version}] - YYYY-MM-DD`")
    return found


def project_version() -> str:
    """The version in pyproject.toml."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return version


def versions() -> list[str]:
    """The versions that have been released, the newest first."""
    return [match[1] for match in HEADING.finditer(CHANGELOG.read_text())]


def section(version: str) -> str:
    """What stands under the heading of this version; empty if there is no such heading, or nothing under it."""
    text = CHANGELOG.read_text().partition("<!-- begin versions -->")[0]
    for match in HEADING.finditer(text):
        if match[1] == version:
            return re.split(r"^## ", text[match.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
