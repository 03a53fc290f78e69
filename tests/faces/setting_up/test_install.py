"""A whole environment from an index on 127.0.0.1: which torch, what is said, what is kept, and with which program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from package_index import TORCH_TAG, copy_environment

from grader.faces import download, install, torch_build
from grader.faces.download import InstallError

ROOT = Path(__file__).parents[3]
WHEEL = f"torch-2.13.0+cpu-{TORCH_TAG}.whl"


@pytest.fixture
def constraints(tmp_path):
    file = tmp_path / "constraints.txt"
    file.write_text("torch==2.13.0\nhelper==1.0\n")
    return file


def said_by(python, module):
    """What a made-up package says in an environment; "" if it is not there."""
    script = f"import {module}; print({module}.said)"
    return subprocess.run([python, "-c", script], capture_output=True, text=True).stdout.strip()


def kept(kind="cpu"):
    folder = Path(os.environ["XDG_CACHE_HOME"], "kernel-ladder", "wheels", kind)
    return sorted(path.name for path in folder.iterdir())


# ---- which torch ----


@pytest.mark.slow
def test_without_a_driver_torch_alone_comes_from_the_index_of_cpu_builds(torches, python, constraints, capfd):
    install.install(python, ["torch>=2.11"], constraints)
    assert (said_by(python, "torch"), said_by(python, "helper")) == ("cpu", "right")
    assert not any(file in each for each in torches.asked for file in ("simple/torch-", "cpu/helper", "nvidia"))
    out = capfd.readouterr().out
    assert "to fetch, once:\n  torch 2.13.0+cpu: 3 MB\n  the other packages, less" in out
    assert WHEEL in kept() and "helper-1.0-py3-none-any.whl" in kept()


@pytest.mark.whole
def test_with_a_driver_torch_comes_from_where_packages_come_from(torches, python, constraints, capfd, monkeypatch):
    monkeypatch.setattr(torch_build, "has_driver", lambda: True)
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "cuda"
    assert not any("/cpu/" in each for each in torches.asked)
    assert "  torch with its CUDA libraries: about 2.7 GB\n" in capfd.readouterr().out


@pytest.mark.whole
def test_both_builds_are_kept_apart(torches, with_pip, tmp_path, constraints, monkeypatch):
    for number, choice in enumerate(["cpu", "cuda", "cpu"]):
        monkeypatch.setenv("LADDER_TORCH", choice)
        python = copy_environment(with_pip, tmp_path / str(number))
        install.install(python, ["torch>=2.11"], constraints)
        assert said_by(python, "torch") == choice


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("closed", "Connection refused"),
        ("silent", "no answer within 0.2 s"),
        ("another", "has no torch>=2.11,==2.12.0 for cp"),
    ],
)
def test_an_index_that_is_of_no_use_is_left_out_and_a_line_says_why(
    torches, tmp_path, constraints, capfd, monkeypatch, fault, reason
):
    if fault == "closed":
        monkeypatch.setenv("LADDER_TORCH_INDEX", "http://127.0.0.1:9/cpu")
    elif fault == "silent":
        monkeypatch.setattr(torch_build, "PATIENCE", 0.2)
        torches.late = 1.0
    else:
        constraints.write_text("torch==2.12.0\n")
    job = install.Job(install.look_at(Path(sys.executable)), ("torch>=2.11",), constraints, tmp_path, None, {}, True)
    assert install.find_torch(job) is None
    (line,) = capfd.readouterr().out.splitlines()
    assert reason in line and line.endswith("it comes with its CUDA libraries instead")


@pytest.mark.whole
def test_without_that_index_torch_comes_from_where_packages_come_from(torches, python, constraints, capfd, monkeypatch):
    monkeypatch.setenv("LADDER_TORCH_INDEX", "http://127.0.0.1:9/cpu")
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "cuda"
    assert "  torch with its CUDA libraries: about 2.7 GB\n" in capfd.readouterr().out


@pytest.mark.whole
def test_who_asks_for_the_cpu_build_gets_no_other(torches, python, constraints, monkeypatch):
    monkeypatch.setenv("LADDER_TORCH", "cpu")
    monkeypatch.setenv("LADDER_TORCH_INDEX", "http://127.0.0.1:9/cpu")
    with pytest.raises(InstallError, match=r"Connection refused\): try again, or set LADDER_TORCH=default"):
        install.install(python, ["torch>=2.11"], constraints)
    assert not said_by(python, "torch")


@pytest.mark.whole
def test_an_index_of_pytorch_in_the_users_configuration_counts(torches, python, constraints, monkeypatch):
    torches.files[f"pytorch/torch-2.13.0+own-{TORCH_TAG}.whl"] = torches.add(
        "x", "torch", "2.13.0+own", tag=TORCH_TAG, says="the user's own"
    )
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{torches.url}/pytorch")
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "the user's own"
    assert not any("/cpu/" in each for each in torches.asked)


@pytest.mark.whole
def test_a_wheel_that_pip_is_told_about_is_taken_and_no_index_is_asked_for_it(
    torches, python, constraints, tmp_path, monkeypatch, capfd
):
    folder = tmp_path / "my wheels"
    folder.mkdir()
    (folder / WHEEL).write_bytes(torches.files[f"cpu/{WHEEL}"])
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "cpu"
    assert not any("cpu" in each for each in torches.asked)
    assert "torch" not in capfd.readouterr().out


@pytest.mark.whole
def test_a_torch_that_is_installed_stays(torches, python, constraints, capfd):
    install.install(python, ["torch>=2.11"], constraints)
    shutil.rmtree(os.environ["XDG_CACHE_HOME"])
    torches.add("simple", "more", "1.0", says="more")
    torches.asked.clear()
    capfd.readouterr()
    install.install(python, ["torch>=2.11", "more"], constraints)
    assert said_by(python, "more") == "more"
    assert not any("torch" in each for each in torches.asked)
    assert "torch" not in capfd.readouterr().out


# ---- what is kept, and what stops midway ----


@pytest.mark.slow
@pytest.mark.parametrize("offline", [True, pytest.param(False, marks=pytest.mark.whole)])
def test_what_an_earlier_time_has_left_is_enough_without_a_network(
    torches, with_pip, tmp_path, constraints, capfd, offline
):
    install.install(copy_environment(with_pip, tmp_path / "first"), ["torch>=2.11"], constraints)
    torches.close()
    torches.asked.clear()
    capfd.readouterr()
    second = copy_environment(with_pip, tmp_path / "second")
    install.install(second, ["torch>=2.11"], constraints, offline)
    assert (said_by(second, "torch"), said_by(second, "helper")) == ("cpu", "right")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("requirements", "name"),
    [
        (["torch>=2.11"], "torch"),
        pytest.param(["helper"], "helper==1.0", marks=pytest.mark.slow),
        pytest.param(["unpinned>=2"], "unpinned>=2", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_offline_names_what_is_not_there(torches, python, constraints, requirements, name):
    with pytest.raises(InstallError) as error:
        install.install(python, requirements, constraints, offline=True)
    assert str(error.value).startswith(name) and "do this once with a network" in str(error.value)
    assert torches.asked == []


@pytest.mark.whole
def test_offline_names_what_another_package_needs(torches, python, constraints):
    install.install(python, ["torch>=2.11"], constraints)
    subprocess.run([python, "-m", "pip", "uninstall", "-qy", "helper", "torch"], check=True)
    next(Path(os.environ["XDG_CACHE_HOME"]).rglob("helper-*.whl")).unlink()
    with pytest.raises(InstallError, match=r"^helper\S* is not here from an earlier time"):
        install.install(python, ["torch>=2.11"], constraints, offline=True)


@pytest.mark.slow
def test_a_download_that_stops_midway_goes_on_the_next_time(torches, python, constraints, capfd, monkeypatch):
    monkeypatch.setattr(download.time, "sleep", lambda seconds: None)
    torches.cuts = [2_000_000] + [0] * download.TRIES
    with pytest.raises(
        InstallError, match=r"^torch did not arrive \(.+, with 2 MB fetched\): try again, and it goes on"
    ):
        install.install(python, ["torch>=2.11"], constraints)
    capfd.readouterr()
    torches.asked.clear()
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "cpu"
    assert "  torch 2.13.0+cpu: 3 MB, of which 2 MB are here\n" in capfd.readouterr().out
    assert next(each for each in torches.asked if "GET /files/cpu" in each).endswith("bytes=2000000-")


@pytest.mark.whole
def test_what_is_kept_is_not_fetched_again(torches, with_pip, tmp_path, constraints):
    install.install(copy_environment(with_pip, tmp_path / "first"), ["torch>=2.11"], constraints)
    torches.add("simple", "more", "1.0", ("helper",), says="more")
    torches.asked.clear()
    second = copy_environment(with_pip, tmp_path / "second")
    install.install(second, ["torch>=2.11", "more"], constraints)
    assert (said_by(second, "torch"), said_by(second, "more")) == ("cpu", "more")
    assert [each for each in torches.asked if "/files/" in each] == ["GET /files/simple/more-1.0-py3-none-any.whl"]


@pytest.mark.whole
def test_a_cache_that_cannot_be_written_is_done_without(torches, python, constraints, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    install.install(python, ["torch>=2.11"], constraints)
    assert said_by(python, "torch") == "cpu"


@pytest.mark.whole
def test_what_pip_complains_about_is_shown_and_ends_in_one_sentence(torches, python, constraints, capfd):
    with pytest.raises(InstallError, match=r"^the packages could not be installed, for the reason above"):
        install.install(python, ["not-there==1.0"], constraints)
    assert "No matching distribution found for not-there==1.0" in capfd.readouterr().err


PIP_SAYS = """
Collecting numpy
  Downloading numpy-2.4.6.whl.metadata (6 kB)
  Downloading https://files.example/numpy-2.4.6-cp311.whl (17 MB)
Progress 2000000 of 17000000
Progress 17000000 of 17000000
Saved ./numpy-2.4.6-cp311.whl
"""


@pytest.mark.parametrize(
    ("terminal", "pip", "bar"),
    [
        (True, (26, 3), "\r    2 of 17 MB\033[K\r\033[K"),
        (True, (23, 2), ""),
        (False, (26, 3), ""),
    ],
)
def test_on_a_terminal_pip_is_asked_how_far_it_is(tmp_path, monkeypatch, capfd, terminal, pip, bar):
    target = replace(install.look_at(Path(sys.executable)), pip=pip)
    job = install.Job(target, (), None, tmp_path, None, {}, True)
    script = f"import sys; print({PIP_SAYS!r} if 'raw' in sys.argv else {PIP_SAYS!r}.replace('Progress', 'no'))"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    install._fetch_with_pip(job, [sys.executable, "-c", script])
    assert capfd.readouterr() == (f"  numpy-2.4.6-cp311.whl (17 MB)\n{bar}", "")


# ---- uv ----


@pytest.fixture
def uv(tmp_path, monkeypatch):
    """A uv that writes down what it is told, and has nothing in its cache; returns its notes."""
    notes = tmp_path / "notes"
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {notes}\ncase "$*" in *--offline*) exit 1; esac\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return lambda: notes.read_text().splitlines() if notes.exists() else []


@pytest.mark.slow
def test_uv_does_the_work_where_it_is(torches, python, constraints, uv):
    install.install(python, ["torch>=2.11", "helper"], constraints)
    folder = Path(os.environ["XDG_CACHE_HOME"], "kernel-ladder", "wheels", "cpu")
    options = f"--find-links {folder} --constraint {constraints} torch==2.13.0+cpu helper"
    assert uv() == [f"pip install --python {python} {options}"]
    assert kept() == [WHEEL]  # all else is in uv's own cache


@pytest.mark.whole
def test_uv_may_make_no_connection_offline(torches, python, uv):
    with pytest.raises(InstallError):
        install.install(python, ["helper"], offline=True)
    assert [" --offline " in line for line in uv()] == [True]


@pytest.mark.whole
def test_pip_does_the_work_if_pip_alone_is_told_where_packages_are(python, uv, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert install.choose_uv(install.look_at(python), install.pip_configuration(python)) is None
    assert capfd.readouterr().out == "pip does the work and not uv, because pip alone is told about find-links\n"
    settings = tmp_path / "config" / "uv" / "uv.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("")
    assert install.choose_uv(install.look_at(python), install.pip_configuration(python)) == shutil.which("uv")


@pytest.mark.whole
def test_uv_that_chooses_torch_itself_is_let(torches, python, constraints, uv, monkeypatch):
    monkeypatch.setenv("UV_TORCH_BACKEND", "auto")
    install.install(python, ["torch>=2.11"], constraints)
    assert [line.split()[-1] for line in uv()] == ["torch>=2.11"] * 2
    assert torches.asked == []


@pytest.mark.whole
def test_the_real_uv(torches, constraints, tmp_path, monkeypatch, capfd, real_uv):
    monkeypatch.setenv("PATH", f"{Path(real_uv).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    for number, offline in enumerate([False, True]):
        python = tmp_path / str(number) / "bin" / "python"
        subprocess.run([real_uv, "venv", "-q", "--python", sys.executable, python.parents[1]], check=True)
        install.install(python, ["torch>=2.11"], constraints, offline)
        assert (said_by(python, "torch"), said_by(python, "helper")) == ("cpu", "right")
        torches.asked.clear()
        torches.files.clear()
    with pytest.raises(
        InstallError, match=r"^not-there\S* is not here from an earlier time: do this once with a network"
    ):
        install.install(python, ["not-there==1.0"], None, offline=True)
    assert torches.asked == []


# ---- make ----


@pytest.mark.whole
def test_an_environment_that_works_stays_and_one_that_does_not_is_made_anew(with_pip, tmp_path, capfd):
    python = copy_environment(with_pip, tmp_path / "venv")
    (tmp_path / "venv" / "mark").touch()
    assert install.make_environment(tmp_path / "venv") == python
    assert (tmp_path / "venv" / "mark").exists() and capfd.readouterr().out == ""
    next((tmp_path / "venv").rglob("pip/__init__.py")).unlink()
    python.unlink()  # as after an upgrade of the system's Python
    install.make_environment(tmp_path / "venv")
    assert not (tmp_path / "venv" / "mark").exists()
    subprocess.run([python, "-m", "pip", "--version"], check=True)


def test_a_python_without_the_venv_module_needs_uv(tmp_path, monkeypatch, uv):
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    install.make_environment(tmp_path / "venv")
    assert uv() == [f"venv --quiet --clear --python {sys.executable} {tmp_path / 'venv'}"]
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        InstallError, match=r"has no venv module: install it, for example with `sudo apt install python3-venv`"
    ):
        install.make_environment(tmp_path / "venv")


def test_an_environment_with_neither_pip_nor_uv(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    with pytest.raises(InstallError, match=r"has neither pip nor uv: type `.+ -m ensurepip`"):
        install.install(tmp_path / "venv" / "bin" / "python", ["helper"])
    with pytest.raises(InstallError, match=r"does not run \(No such file or directory\)"):
        install.install(tmp_path / "nothing" / "python", ["helper"])


def test_torch_is_no_dependency_of_the_wheel_but_is_set_up():
    project = install.project_requirements(ROOT, [])
    assert "torch>=2.11" in project and any(line.startswith("setuptools") for line in project)
    assert any(line.startswith("ruff") for line in install.project_requirements(ROOT, ["dev"]))
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not any(map(torch_build.is_torch, metadata["dependencies"]))


@pytest.fixture
def checkout(tmp_path):
    """What make needs to set up, in a folder of its own."""
    folder = tmp_path / "checkout"
    (folder / "grader" / "faces").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "grader/__init__.py"):
        shutil.copy(ROOT / name, folder / name)
    for module in (install, torch_build, download):
        shutil.copy(module.__file__, folder / "grader" / "faces")
    return folder


def make(folder, *arguments):
    done = subprocess.run(["make", "-C", folder, ".venv/.ready", *arguments], capture_output=True, text=True)
    first, *_ = [line for line in done.stderr.splitlines() if line.startswith("make: ") and "directory" not in line]
    return done.returncode, first


def test_make_says_what_is_missing_before_anything_is_made(checkout, monkeypatch, tmp_path):
    assert make(checkout, "PYTHON=/not/there/python") == (
        2, "make: there is no Python 3.11 or newer here: install one, or name it with PYTHON=/path/to/python",
    )  # fmt: skip
    for name in ("make", "bash", "sh"):
        (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert make(checkout) == (2, "make: there is no g++: install it, for example with `sudo apt install g++`")
    assert not (checkout / ".venv").exists()


@pytest.mark.slow
def test_make_offline_without_anything_kept_ends_in_one_sentence_and_begins_again(checkout):
    for _ in range(2):
        code, said = make(checkout, "OFFLINE=1", f"PYTHON={sys.executable}")
        assert code == 2 and said.endswith("is not here from an earlier time: do this once with a network")
        assert not (checkout / ".venv" / ".ready").exists()
