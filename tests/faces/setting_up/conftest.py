from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from package_index import TORCH_TAG, PackageIndex, copy_environment

from grader.faces import torch_build


@pytest.fixture
def index():
    """An index on 127.0.0.1 with nothing in it."""
    index = PackageIndex()
    yield index
    index.close()


@pytest.fixture
def torches(index, monkeypatch):
    """The index with torch: in `simple` with CUDA, in `cpu` its CPU build and something that must not be taken.

    pip, uv and we are told that these are the world's; there is no driver.
    """
    index.add("simple", "torch", "2.13.0", ("helper", "nvidia-libraries"), TORCH_TAG, says="cuda")
    index.add("simple", "nvidia_libraries", "13.0")
    index.add("simple", "helper", "1.0", says="right")
    index.add("cpu", "torch", "2.13.0+cpu", ("helper",), TORCH_TAG, says="cpu", padding=3_000_000)
    index.add("cpu", "torch", "2.14.0+cpu", ("helper",), TORCH_TAG, says="too new")
    index.add("cpu", "helper", "9.0", says="a stranger's")
    monkeypatch.setenv("LADDER_TORCH_INDEX", f"{index.url}/cpu")
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"{index.url}/simple")
    monkeypatch.setattr(torch_build, "has_driver", lambda: False)
    return index


@pytest.fixture(autouse=True)
def world(tmp_path, monkeypatch):
    """A user of their own: no configuration of pip or uv, an empty cache, and no uv."""
    for name in [*os.environ]:
        if name.startswith(("PIP_", "UV_", "LADDER_TORCH")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(
        "PATH", os.pathsep.join(folder for folder in os.get_exec_path() if not Path(folder, "uv").exists())
    )
    return tmp_path


@pytest.fixture(scope="session")
def with_pip(tmp_path_factory):
    """An environment with pip and nothing else, to be copied."""
    folder = tmp_path_factory.mktemp("with_pip") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture
def python(with_pip, tmp_path):
    """The Python of a fresh environment."""
    return copy_environment(with_pip, tmp_path / "venv")


@pytest.fixture(scope="session")
def real_uv(with_pip, tmp_path_factory):
    """uv itself: the one of this machine, else from where pip takes packages from."""
    if uv := shutil.which("uv"):
        return uv
    python = copy_environment(with_pip, tmp_path_factory.mktemp("with_uv") / "venv")
    if subprocess.run([python, "-m", "pip", "install", "-q", "uv"], capture_output=True).returncode:
        pytest.skip("there is no uv, and pip cannot fetch it")
    return str(python.with_name("uv"))
