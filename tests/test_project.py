"""What those who join rely on: workflows and pages that name what is there, and one place for the address.

GitHub's workflows cannot run here; what can be known without them is asked here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

from docs import address, badges, blocks, changelog, notebooks, readme, renew
from grader.devices.build import toolchain
from grader.faces import cli

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
PAGES = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ".github/pull_request_template.md")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

MAKE = re.compile(r"(?:^|[\s&;])make ([a-z.][\w./-]*)")
LADDER = re.compile(r"(?:^|\s|bin/)ladder ([a-z-]+)")
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
PATH = re.compile(r"\.?[\w-]+(?:/[\w.-]+)+/?|[\w-]+/|[\w-]+\.(?:py|md|yml|toml|cu|h|cpp)|\.[a-z]+-[a-z-]+(?:\.yaml)?")
EXAMPLES = re.compile(r"NN|NAME|K_idea|what_is_wrong|OWNER")  # names that the reader replaces
SPANS = re.compile(r"```\w*\n(.*?)```|`([^`]+)`", re.DOTALL)
EXAMPLE = "https://github.com/someone/kernels"

each_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def read(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text())


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in read(file)["jobs"].values() for step in job["steps"]]


def targets() -> set[str]:
    return set(re.findall(r"^([\w./-]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


# ---- workflows ----


def test_there_are_the_workflows_that_the_pages_name():
    assert [file.stem for file in WORKFLOWS] == ["ci", "notebooks", "release", "site"]


@each_workflow
def test_a_workflow_may_do_little_and_ends(file):
    workflow = read(file)
    assert workflow[True], "on: is true in YAML 1.1"
    assert workflow["permissions"] in ({}, {"contents": "read"})
    assert workflow["concurrency"]["group"].endswith("${{ github.ref }}")
    for job in workflow["jobs"].values():
        assert 0 < job["timeout-minutes"] <= 90
        assert job["runs-on"] == "${{ matrix.machine.runner }}" or job["runs-on"].startswith("ubuntu-")


def test_only_a_release_and_the_site_may_write():
    asked = {name: job.get("permissions") for file in WORKFLOWS for name, job in read(file)["jobs"].items()}
    assert {name: rights for name, rights in asked.items() if rights} == {
        "build": {"contents": "read"},
        "pypi": {"id-token": "write"},
        "github": {"contents": "write"},
        "pages": {"contents": "read"},
        "publish": {"pages": "write", "id-token": "write"},
    }


def test_an_action_has_one_major_version_everywhere():
    used = {step["uses"] for file in WORKFLOWS for step in steps(file) if "uses" in step}
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", action) for action in used)
    assert len({action.partition("@")[0] for action in used}) == len(used)


@each_workflow
def test_a_workflow_calls_what_is_there(file):
    for command in (step["run"] for step in steps(file) if "run" in step):
        for target in MAKE.findall(command):
            assert target in targets(), f"{file.name}: there is no `make {target}`"
        for module in re.findall(r"python -m (docs\.\w+)", command):
            assert (ROOT / f"{module.replace('.', '/')}.py").exists()


def test_the_tests_run_on_every_python_that_is_promised():
    matrix = read(GITHUB / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    minors = [int(version.removeprefix("3.")) for version in matrix["python"]]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert PROJECT["project"]["requires-python"] == f">=3.{minors[0]}"
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py3{minors[0]}"
    assert f"Python 3.{minors[0]} to 3.{minors[-1]}" in (ROOT / "CONTRIBUTING.md").read_text().replace("\n", " ")
    assert {machine["name"] for machine in matrix["machine"]} == {"x86-64", "aarch64"}  # as README.md promises


def test_dependabot_looks_where_something_is():
    updates = {
        update["package-ecosystem"]: update["directory"] for update in read(GITHUB / "dependabot.yml")["updates"]
    }
    assert updates == {"github-actions": "/", "pip": "/"}
    assert (ROOT / "constraints.txt").exists()


# ---- doors that need no installation: .devcontainer/, .binder/, Colab ----


def test_the_container_opens_with_watch_and_the_site():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    commands = [container[f"{when}Command"] for when in ("onCreate", "postStart", "postAttach")]
    assert set(re.findall(r"(?<=[ ])([\w./-]+)(?= )", commands[0].partition(" PYTHON")[0] + " ")) <= targets()
    for command in LADDER.findall(" ".join(commands)):
        assert command in cli.ladder.commands
    lesson = commands[0].split()[-1]
    assert commands[2].endswith(f"ladder watch {lesson}") and "make .venv/.ready-dev site" in commands[0]
    assert "--directory build/site" in commands[1] and f"http.server {container['forwardPorts'][0]}" in commands[1]
    started, page = container["customizations"]["codespaces"]["openFiles"]
    assert Path(started).stem.startswith(f"{lesson}_")  # what is watched is what the editor opens
    assert (ROOT / page).exists() and (ROOT / "lessons" / Path(started).stem / "starter.cu").exists()


def test_binder_installs_what_the_notebooks_need():
    folder = ROOT / ".binder"
    build = (folder / "postBuild").read_text()
    assert os.access(folder / "postBuild", os.X_OK)
    compiler = (folder / "apt.txt").read_text().strip()
    assert f"command -v {compiler})" in build and int(compiler.removeprefix("g++-")) >= toolchain.OLDEST_COMPILER
    python = (folder / "runtime.txt").read_text().strip().removeprefix("python-")
    assert PROJECT["project"]["requires-python"] <= f">={python}"
    extras = re.search(r"--editable '\.\[(.*)\]'", build)[1].split(",")
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"]) and "torch" in extras
    assert (ROOT / re.search(r"--constraint (\S+)", build)[1]).exists()


def test_colab_gets_a_compiler_that_will_do():
    version = re.search(r"install -y g\+\+-(\d+)", notebooks.INSTALL)[1]
    assert int(version) >= toolchain.OLDEST_COMPILER
    assert f"ln -sf /usr/bin/g++-{version} /usr/local/bin/g++" in notebooks.INSTALL


def test_each_door_is_tried_from_a_clean_clone_with_its_own_python():
    script = (ROOT / ".ci" / "try-doors").read_text()
    assert os.access(ROOT / ".ci" / "try-doors", os.X_OK)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "try-doors"], check=True)
    doors = read(GITHUB / "workflows" / "ci.yml")["jobs"]["doors"]["strategy"]["matrix"]["door"]
    pythons = {each["name"]: each["python"] for each in doors}
    assert all(f"\n{name})\n" in script for name in pythons) and len(pythons) == 3
    assert f"python-{pythons['binder']}" == (ROOT / ".binder" / "runtime.txt").read_text().strip()
    image = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())["image"]
    assert f":{pythons['devcontainer']}-" in image
    listed = (ROOT / ".ci" / "colab.txt").read_text()
    assert f"Python {pythons['colab']}," in listed and "\ntorch==" in listed
    done = subprocess.run([ROOT / ".ci" / "try-doors", "window"], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no door window" in done.stderr


# ---- forms and settings ----


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_asks_each_question_once_and_needs_an_answer(form):
    fields = [field for field in read(form)["body"] if field["type"] != "markdown"]
    names = [field["id"] for field in fields]
    assert len(set(names)) == len(names)
    assert any(field.get("validations", {}).get("required") for field in fields)
    for text in re.findall(r"`ladder ([a-z-]+)", form.read_text()):
        assert text in cli.ladder.commands


def test_editors_and_hooks_agree_with_ruff():
    editor = (ROOT / ".editorconfig").read_text()
    assert f"max_line_length = {PROJECT['tool']['ruff']['line-length']}" in editor
    hooks = {hook["id"]: hook for repo in read(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}
    assert all(hooks[name]["entry"].startswith(".venv/bin/ruff ") for name in ("ruff-check", "ruff-format"))
    assert read(ROOT / ".clang-format")["IndentWidth"] == 4


def test_the_hooks_find_nothing_to_change():
    """Nothing at the end of a line, one new line at the end of a file."""
    folders = ("grader", "lessons", "kernels", "tests", "docs", "benchmarks", "examples", "cards", ".github", ".ci")
    kinds = {".py", ".cu", ".cuh", ".h", ".cpp", ".md", ".toml", ".yml", ".js", ".css"}
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if file.suffix in kinds]
    others = [ROOT / "benchmarks" / "results", ROOT / "benchmarks" / "corpus" / "files"]  # git ignores the second
    files = [file for file in files if not any(map(file.is_relative_to, others))]
    texts = {file: file.read_bytes() for file in [*files, *ROOT.glob("*.md")]}
    wrong = re.compile(rb"[ \t]+$|\r|\n\n\Z|[^\n]\Z", re.MULTILINE)
    assert len(texts) > 500 and [str(file) for file, text in texts.items() if wrong.search(text)] == []


def test_the_wheel_is_tried_by_something_that_runs():
    assert os.access(ROOT / ".ci" / "try-wheel", os.X_OK)
    subprocess.run(["bash", "-n", ROOT / ".ci" / "try-wheel"], check=True)


# ---- pages ----


def spans(text: str) -> list[str]:
    """What stands in backticks, and each line of a block of code."""
    found = [block.splitlines() if block else [span] for block, span in SPANS.findall(text)]
    return [" ".join(line.split()) for lines in found for line in lines]


def paths(page: Path) -> list[tuple[str, bool]]:
    """The paths in backticks, and whether each is there. In a table a name belongs to the row's folder."""
    known = {file.name for folder in ("grader", "docs", "lessons", ".github") for file in (ROOT / folder).rglob("*")}
    found = []
    for line in page.read_text().splitlines():
        row = re.match(r"\| `([\w/]+/)`", line)
        for path in filter(PATH.fullmatch, re.findall(r"`([^`]+)`", line)):
            places = [page.parent / path, ROOT / path, *([ROOT / row[1] / path] if row else [])]
            anywhere = "/" not in path and not row and path in known
            found.append((path, anywhere or any(place.exists() for place in places)))
    return found


@each_page
def test_a_page_names_what_is_there(page):
    for span in spans(page.read_text()):
        for target in MAKE.findall(span):
            assert target in targets(), f"{page.name}: there is no `make {target}`"
        for command in LADDER.findall(span):
            assert command in cli.ladder.commands, f"{page.name}: there is no `ladder {command}`"
        for path in re.findall(r"\b(?:tests|notebooks)/[\w./]+", span):
            assert EXAMPLES.search(path) or (ROOT / path).exists(), f"{page.name}: {path} is not there"
    missing = [path for path, there in paths(page) if not there and not EXAMPLES.search(path)]
    assert not missing, f"{page.name} names what is not there: {missing}"


def test_the_paths_of_a_page_are_found(tmp_path):
    """The test above looks at something: it knows a folder's name in a table's row, and misses what is not there."""
    page = tmp_path / "page.md"
    page.write_text("`make lint` in `grader/nowhere.py`\n| `grader/faces/` | `cli.py`, `gone.py` |\n")
    assert paths(page) == [("grader/nowhere.py", False), ("grader/faces/", True), ("cli.py", True), ("gone.py", False)]
    assert {path for path, _ in paths(ROOT / "CONTRIBUTING.md")} >= {"grader/grade.py", "worker/", "trace.h"} - {
        "trace.h"
    }


@each_page
def test_a_page_links_to_what_is_there(page):
    for target in LINK.findall(page.read_text()):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), f"{page.name}: {target} is not there"
        headings = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in slugs, f"{page.name}: {target} has no such heading"


# ---- the changelog and a release ----


def test_the_changelog_knows_the_version_and_what_is_to_come():
    version, text = changelog.project_version(), changelog.CHANGELOG.read_text()
    assert "### Added" in changelog.section(version)
    assert text.index("## [Unreleased]") < text.index(f"## [{version}]")
    dates = re.findall(r"^## \[\d.*(\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert dates == sorted(dates, reverse=True) and len(dates) == len(changelog.versions())
    assert "begin versions" not in changelog.section(changelog.versions()[-1])


def test_a_release_needs_the_version_as_its_tag(tmp_path, monkeypatch):
    version = changelog.project_version()
    assert changelog.notes(f"v{version}") == changelog.section(version)
    with pytest.raises(SystemExit, match=f"the tag is v99.0.0 and pyproject.toml's version is {version}"):
        changelog.notes("v99.0.0")
    page = tmp_path / "CHANGELOG.md"
    page.write_text("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a thing\n")
    monkeypatch.setattr(changelog, "CHANGELOG", page)
    with pytest.raises(SystemExit, match=f"CHANGELOG.md says nothing of {version}"):
        changelog.notes(f"v{version}")


def test_the_release_notes_need_no_package():
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        "import sys; sys.path.insert(0, '.'); from docs import changelog; changelog.main(*sys.argv[1:])",
    ]
    done = subprocess.run([*command, f"v{changelog.project_version()}"], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == changelog.section(changelog.project_version()), done.stderr


# ---- the repository's address ----


@pytest.fixture
def at(tmp_path, monkeypatch):
    """at(URL) is a project with that address, at("") one without any."""

    def write(url: str) -> None:
        project = tmp_path / "pyproject.toml"
        urls = f'[project.urls]\nRepository = "{url}"\n' if url else ""
        project.write_text(f'[project]\nversion = "{changelog.project_version()}"\n{urls}')
        monkeypatch.setattr(address, "PROJECT", project)

    return write


def test_the_pages_show_the_address_that_the_project_has():
    for file, made in renew.pages().items():
        assert file.read_text() == made, "type `make address`"


def test_without_an_address_nothing_leads_to_the_repository(at):
    at("")
    assert address.repository() == address.page() == address.page("/issues") == ""
    assert address.colab_badge("01_vector_add") == address.ci_badge() == ""
    assert address.binder_badge() == address.codespaces_badge() == ""
    for file, made in renew.pages().items():
        assert not re.search(r"colab\.research|git clone http|github\.com/(?!OWNER/NAME)", made), file.name
    assert "Colab" not in readme.lessons() and badges.row().startswith("[![Python")
    shown = notebooks.framed(nbformat.read(ROOT / "notebooks" / "01_vector_add.ipynb", as_version=4), "01_vector_add")
    assert shown.cells[0].source.startswith("# 01") and "colab" not in [cell.id for cell in shown.cells]


def test_with_an_address_badges_and_links_lead_there(at):
    at(EXAMPLE)
    made = {file.name: text for file, text in renew.pages().items()}
    assert (
        "https://colab.research.google.com/github/someone/kernels/blob/main/notebooks/00_setup.ipynb"
        in made["README.md"]
    )
    assert f"({EXAMPLE}/actions/workflows/ci.yml)" in made["README.md"] and "runs in the browser" in made["README.md"]
    binder = "(https://mybinder.org/v2/gh/someone/kernels/main?urlpath=lab/tree/notebooks/00_setup.ipynb)"
    assert binder in made["README.md"] and "(https://codespaces.new/someone/kernels)" in made["README.md"]
    assert (ROOT / binder.partition("/tree/")[2].rstrip(")")).exists()
    assert f"git clone {EXAMPLE}\ncd kernels\n" in made["CONTRIBUTING.md"]
    assert f"]({EXAMPLE}/security/advisories/new)" in made["SECURITY.md"]
    assert f"[Unreleased]: {EXAMPLE}/compare/v{changelog.versions()[0]}...HEAD" in made["CHANGELOG.md"]
    assert f"[{changelog.versions()[-1]}]: {EXAMPLE}/releases/tag/" in made["CHANGELOG.md"]
    links = yaml.safe_load(made["config.yml"])["contact_links"]
    assert all(link["url"].startswith(EXAMPLE) and link["name"] and link["about"] for link in links)
    for link in links:
        _, _, path = link["url"].partition("/blob/main/")
        assert not path or (ROOT / path).exists()


def test_an_address_that_comes_and_goes_leaves_a_notebook_as_it_was(at, tmp_path):
    original = ROOT / "notebooks" / "01_vector_add.ipynb"
    copy = tmp_path / original.name
    at("")
    copy.write_bytes(original.read_bytes())
    nbformat.write(notebooks.reframed(copy), copy)
    without = copy.read_text()
    at(EXAMPLE)
    nbformat.write(notebooks.reframed(copy), copy)
    shown = nbformat.read(copy, as_version=4)
    nbformat.validate(shown)
    code = [cell for cell in shown.cells if cell.cell_type == "code"]
    assert (
        shown.cells[0].source.startswith("[![Open in Colab](")
        and f"git clone -q --depth 1 {EXAMPLE} " in code[0].source
    )
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    nbformat.write(notebooks.reframed(copy), copy)
    at("")
    nbformat.write(notebooks.reframed(copy), copy)
    assert copy.read_text() == without


@pytest.mark.parametrize("written", [EXAMPLE, f"{EXAMPLE}/", f"{EXAMPLE}.git"])
def test_an_address_may_be_written_as_people_do(at, written):
    at(written)
    assert address.page() == EXAMPLE


@pytest.mark.parametrize(
    "written", ["github.com/someone/kernels", "https://github.com/someone", "https://example.org/a/b"]
)
def test_what_is_no_address_is_refused_in_a_sentence(at, written):
    at(written)
    with pytest.raises(SystemExit, match=r"Repository is .*: write it as https://github.com/OWNER/NAME"):
        address.repository()


def test_a_block_is_made_anew_in_markdown_and_in_yaml():
    text = "a\n<!-- begin one -->\nold\n<!-- end one -->\n# begin two\n# end two\nb\n"
    made = blocks.renewed(text, {"one": "", "two": "new: 1\n"})
    assert made == "a\n<!-- begin one -->\n<!-- end one -->\n# begin two\nnew: 1\n# end two\nb\n"
    with pytest.raises(AssertionError, match="no block three"):
        blocks.renewed(text, {"three": ""})
