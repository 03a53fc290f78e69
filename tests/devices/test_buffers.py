"""Shared buffers: what is filled, poisoned, written beside and left out is seen, byte for byte."""

import ctypes
import itertools
import math

import pytest
import torch

from grader.course.prototype import TYPES, parse_prototype
from grader.devices.buffers import ALIGNMENT, GUARD_BYTES, PAGE, Arena, Breach, WorkerMemory, poison, spans

ADD = parse_prototype("void add(const float* x, const unsigned char* mask, float* z, int n, cudaStream_t stream)")
TORCH_TYPES = sorted(name for name, ctype in TYPES.items() if ctype.torch)


@pytest.fixture
def arena():
    with Arena([(ADD, {"x": (5,), "mask": (2, 3), "z": (5,)}), (ADD, {"x": (1,), "mask": (1,), "z": (1,)})]) as arena:
        for case in arena.cases:
            case.poison()
        yield arena


def views_of(arena):
    arena.worker = WorkerMemory(arena.fd, arena.layout)  # kept: it unmaps when it goes
    return arena.worker.cases


def write(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))


def test_judge_and_worker_see_the_same_memory(arena):
    x = torch.arange(5, dtype=torch.float32)
    arena.cases[0].fill("x", x)
    views = views_of(arena)[0]
    assert ctypes.string_at(views["x"].address, views["x"].bytes) == x.numpy().tobytes()
    assert [(view.name, view.bytes, view.writable) for view in views.values()] == [
        ("x", 20, False),
        ("mask", 6, False),
        ("z", 20, True),
    ]
    write(views["z"].address, (2 * x).numpy().tobytes())
    assert torch.equal(arena.cases[0].read("z"), 2 * x)


def test_every_buffer_has_pages_of_its_own(arena):
    views = sorted((view for case in views_of(arena) for view in case.values()), key=lambda view: view.address)
    assert all(b.address // PAGE > (a.address + a.bytes - 1) // PAGE for a, b in itertools.pairwise(views))
    pairs = itertools.pairwise(views)
    assert all(b.address - (a.address + a.bytes) >= 2 * GUARD_BYTES >= 8192 for a, b in pairs)


def test_every_other_case_has_its_buffers_in_the_opposite_order_and_no_better_aligned_than_cuda_malloc_does(arena):
    other, counted = views_of(arena)
    assert [*sorted(counted, key=lambda name: counted[name].address)] == ["x", "mask", "z"] == [*other]
    assert [*sorted(other, key=lambda name: other[name].address)] == ["z", "mask", "x"]
    assert all(view.address % PAGE == 0 for view in counted.values())
    assert all(view.address % 512 == ALIGNMENT for view in other.values())


def test_a_case_lies_where_its_buffers_and_their_guards_do(arena):
    parts = spans(arena.layout, arena.bytes)
    for case, (first, end) in zip(arena.layout, parts, strict=True):
        assert first == min(each["offset"] for each in case) - GUARD_BYTES
        assert end >= max(each["offset"] + each["bytes"] for each in case) + GUARD_BYTES
    assert parts[0][1] == parts[1][0]


@pytest.mark.parametrize(
    ("buffer", "byte", "found"),
    [
        ("z", 20, Breach("z", "after", 0)),
        ("mask", 6, Breach("mask", "after", 0)),
        ("mask", 7, Breach("mask", "after", 1)),
        ("x", PAGE + GUARD_BYTES - 1, Breach("x", "after", PAGE + GUARD_BYTES - 21)),
        ("z", -1, Breach("z", "before", 1)),
        ("z", -GUARD_BYTES, Breach("z", "before", GUARD_BYTES)),
    ],
)
def test_one_byte_beside_a_buffer_is_seen(arena, buffer, byte, found):
    assert arena.cases[0].broken_guard() is None
    write(views_of(arena)[0][buffer].address + byte, b"\x00")
    assert arena.cases[0].broken_guard() == found
    assert arena.cases[1].broken_guard() is None
    arena.cases[0].poison()
    assert arena.cases[0].broken_guard() is None


def test_unwritten_elements(arena):
    case = arena.cases[0]
    assert case.unwritten("z").all()
    case.read("z")[1:4] = 0.0
    assert case.unwritten("z").tolist() == [True, False, False, False, True]
    case.read("z")[0] = math.nan
    assert not case.unwritten("z")[0]


@pytest.mark.parametrize("name", TORCH_TYPES)
def test_poison_of_every_type(name):
    prototype = parse_prototype(f"void f({name}* y, cudaStream_t s)")
    with Arena([(prototype, {"y": (3, 7)})]) as arena:
        case = arena.cases[0]
        case.poison()
        assert case.read("y").shape == (3, 7) and case.unwritten("y").all()
        case.read("y")[2, 6] = 1
        assert case.unwritten("y").sum() == 20 and not case.unwritten("y")[2, 6]
        assert case.broken_guard() is None


@pytest.mark.parametrize("name", ["float", "double", "half", "__nv_bfloat16"])
def test_floating_poison_is_nan_and_arithmetic_on_it_shows(name):
    value = torch.frombuffer(bytearray(poison(TYPES[name])), dtype=getattr(torch, TYPES[name].torch))
    assert value.isnan()
    assert (value + 0).view(torch.uint8).tolist() != value.view(torch.uint8).tolist()


def test_a_changed_input_is_seen_even_between_nans(arena):
    case = arena.cases[0]
    case.fill("x", torch.tensor([0.0, math.nan, 1.0, 2.0, 3.0]))
    case.fill("mask", torch.zeros(2, 3, dtype=torch.uint8))
    assert case.changed_input() is None
    case.read("mask")[1, 2] = 1
    assert case.changed_input() == ("mask", 5)
    case.read("x")[0] = -0.0
    assert case.changed_input() == ("x", 0)


def test_fill_refuses_what_does_not_fit(arena):
    with pytest.raises(ValueError, match=r"x must be torch.float32 of shape \(5,\)"):
        arena.cases[0].fill("x", torch.zeros(5, dtype=torch.float64))
    with pytest.raises(ValueError, match="x must be"):
        arena.cases[0].fill("x", torch.zeros(6))


def test_tensors_outlive_the_arena():
    with Arena([(ADD, {"x": (5,), "mask": (1,), "z": (5,)})]) as arena:
        arena.cases[0].poison()
        z = arena.cases[0].read("z")
    z.fill_(3.0)
    assert z.sum() == 15.0


def test_without_memfd_a_temporary_file_serves(monkeypatch):
    monkeypatch.delattr("os.memfd_create")
    with Arena([(ADD, {"x": (5,), "mask": (1,), "z": (5,)})]) as arena:
        arena.cases[0].poison()
        write(views_of(arena)[0]["z"].address, bytes(20))
        assert not arena.cases[0].unwritten("z").any()
