"""What a learning system wants to be given, so that it grades with this grader: made of a checkout, as one archive.

Gradescope: a ZIP file with `setup.sh` and `run_autograder` at its root ("Autograder Specifications"). PrairieLearn: the
folder of a question, whose image is built from the repository's Containerfile ("External grading").
"""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.course import content
from grader.course.catalog import Entry, UsageError

IMAGE = "kernel-ladder"
_SECONDS = 600  # that PrairieLearn gives a hand-in: the slowest lesson takes tens of seconds on one core
_FIXED = (1980, 1, 1, 0, 0, 0)  # the time of all files: the same checkout gives the same archive

SETUP = """\
#!/usr/bin/env bash
# Runs once, as root, while Gradescope builds the image.
set -euo pipefail
root=${{AUTOGRADER:-/autograder}}
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends g++ make python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    apt-get install -y --no-install-recommends python3.11 python3.11-venv
if [ "$(g++ -dumpversion | cut -d. -f1)" -lt 12 ]; then
    apt-get install -y --no-install-recommends g++-12
    ln -sf /usr/bin/g++-12 /usr/local/bin/g++
fi
cd "$root/source/kernel-ladder"
LADDER_TORCH=cpu make .venv/.ready
if [ -e ../hidden.toml ]; then chmod 600 ../hidden.toml; fi
mkdir -p "$root/cache"
XDG_CACHE_HOME="$root/cache" .venv/bin/ladder check {label} --reference --device emulator
"""
RUN = """\
#!/usr/bin/env bash
# Runs for each hand-in: submission/ is what was handed in, results/results.json what comes of it.
root=${{AUTOGRADER:-/autograder}}
cd "$root/source/kernel-ladder" || exit 1
hidden=../hidden.toml
[ -e "$hidden" ] || hidden=
XDG_CACHE_HOME="$root/cache" exec .venv/bin/python -m grader.classroom.harness gradescope {label} "$root" "$hidden"
"""
QUESTION = """\
<pl-question-panel>
  <p>{summary}</p>
  <p>Kernel Ladder, lesson {label}: {title}.</p>
</pl-question-panel>
<pl-file-editor file-name="{name}.cu" source-file-name="starter.cu" ace-mode="ace/mode/c_cpp"></pl-file-editor>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""


def gradescope(entry: Entry, hidden: str) -> bytes:
    """The ZIP file for "Configure Autograder". Raises UsageError without a checkout."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            _add(archive, name, text.format(label=entry.label).encode(), executable=True)
        if hidden:
            _add(archive, "hidden.toml", hidden.encode())
        for name, file in sources():
            _add(archive, f"kernel-ladder/{name}", file.read_bytes())
    return out.getvalue()


def prairielearn(entry: Entry) -> dict[str, str]:
    """The files of a question's folder, by name."""
    info = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"kernel-ladder/{entry.name}")),
        "title": entry.lesson.title,
        "topic": "CUDA",
        "tags": [],
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": IMAGE,
            "entrypoint": f"/opt/kernel-ladder/.venv/bin/python -m grader.classroom.harness prairielearn {entry.label}",
            "timeout": _SECONDS,
            "enableNetworking": False,
        },
    }
    words = {"summary": entry.lesson.summary, "label": entry.label, "title": entry.lesson.title, "name": entry.name}
    question = QUESTION.format(**words)
    starter = entry.starter.read_text()
    return {"info.json": json.dumps(info, indent=2) + "\n", "question.html": question, "starter.cu": starter}


def sources() -> Iterator[tuple[str, Path]]:
    """What `make` installs the grader from, by name. Raises UsageError if this is no checkout."""
    root = content.PACKAGE.parent
    if not content.is_checkout(root):
        raise UsageError("this needs a checkout of Kernel Ladder, from which the grader is installed over there")
    names = ["pyproject.toml", "README.md", "Makefile", *content.names(root)]
    package = (file for file in content.PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    names += sorted(file.relative_to(root).as_posix() for file in package)
    for name in dict.fromkeys(names):
        yield name, root / name


def _add(archive: zipfile.ZipFile, name: str, data: bytes, executable: bool = False) -> None:
    info = zipfile.ZipInfo(name, _FIXED)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if executable else 0o100644) << 16
    archive.writestr(info, data)
