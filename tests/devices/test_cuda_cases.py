"""How the cases of a job run on a GPU's memory: here that is the host's, and the kernel adds in Python."""

from __future__ import annotations

import ctypes
from contextlib import nullcontext
from types import SimpleNamespace

import torch
from jobs import ADD

from grader.devices.buffers import Arena, WorkerMemory
from grader.devices.cuda.session import run_cases

SIZES = (5, 300, 1000)


class Device:
    """Of the CUDA runtime what the cases need."""

    def malloc(self, size: int) -> int:
        self.memory = ctypes.create_string_buffer(size)
        return ctypes.addressof(self.memory)

    def copy(self, to: int, source: int, size: int) -> None:
        ctypes.memmove(to, source, size)


def session_of(kernel):
    launches = SimpleNamespace(watched=nullcontext, facts=list)
    return SimpleNamespace(
        cuda=Device(),
        launches=launches,
        arguments=lambda addresses, scalars: (addresses, scalars["n"]),
        call=lambda arguments: kernel(*arguments),
        finish=lambda: None,
    )


def floats(address: int, count: int) -> torch.Tensor:
    return torch.frombuffer((ctypes.c_float * count).from_address(address), dtype=torch.float32)


def run(kernel):
    """The arena's cases, and x + y of each, once such a kernel has run."""
    arena = Arena([(ADD, {name: (n,) for name in "xyz"}) for n in SIZES])
    expected = []
    for number, case in enumerate(arena.cases):
        case.poison()
        case.read("x").copy_(torch.arange(SIZES[number]) + 100.0 * number)
        case.read("y").fill_(0.5)
        expected.append(case.read("x") + 0.5)
    job = {"layout": arena.layout, "cases": [{"name": f"n={n}", "scalars": {"n": n}} for n in SIZES]}
    heard: list[str] = []
    assert (
        run_cases(session_of(kernel), WorkerMemory(arena.fd, arena.layout), job, lambda what, **_: heard.append(what))
        is None
    )
    assert heard == ["running", "case"] * len(SIZES)
    return arena, expected


def add(addresses, n):
    floats(addresses["z"], n).copy_(floats(addresses["x"], n) + floats(addresses["y"], n))


def test_what_each_case_leaves_comes_back():
    arena, expected = run(add)
    with arena:
        for case, right in zip(arena.cases, expected, strict=True):
            assert torch.equal(case.read("z"), right) and case.broken_guard() is None


def test_so_do_the_guards_of_every_buffer():
    for name, side in (("x", -1), ("x", 0), ("z", -1), ("z", 0)):

        def beside(addresses, n, name=name, side=side):
            add(addresses, n)
            ctypes.c_char.from_address(addresses[name] + (side if side else 4 * n)).value = b"\0"

        arena, _ = run(beside)
        with arena:
            found = [case.broken_guard() for case in arena.cases]
        assert [(each.buffer, each.side) for each in found if each] == 3 * [(name, "before" if side else "after")]
