"""A cache and a fork server for all tests of the devices."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from jobs import ADD, SIZES, run_on

from grader.devices.buffers import Arena
from grader.devices.cache import cache_root
from grader.devices.emulator.session import runtime_library
from grader.devices.worker.server import ForkServer


@pytest.fixture(scope="session")
def cache(tmp_path_factory) -> Path:
    """A cache of the tests' own, with the emulator's runtime from the shared one, as that takes long to build."""
    runtime = runtime_library(cache_root()).parent
    own = tmp_path_factory.mktemp("cache") / "kernel-ladder"  # as XDG_CACHE_HOME makes it
    own.mkdir()
    (own / runtime.name).symlink_to(runtime)  # no copy: a second one in this process would stay, for later tests, too
    return own


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture
def arena():
    """Inputs filled, outputs poisoned, one case for each of SIZES."""
    with Arena([(ADD, {"x": (n,), "y": (n,), "z": (n,)}) for n in SIZES]) as arena:
        for case, n in zip(arena.cases, SIZES, strict=True):
            case.fill("x", torch.arange(n, dtype=torch.float32))
            case.fill("y", torch.ones(n))
            case.poison()
        yield arena


@pytest.fixture
def run(server, arena, cache):
    """run(source, **options of Job) -> Evidence."""
    return functools.partial(run_on, server, arena, cache)
