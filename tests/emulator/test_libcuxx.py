"""cuda::pipeline, cuda::barrier and cuda::memcpy_async: results, counts, and what is found when a wait is missing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from grader.devices.build import frontend, rules
from grader.devices.cache import cache_root
from grader.devices.cuda.nvcc import missing_nvcc, nvcc_flags
from tests.nvcc import refusal, refuses
from tests.shared import long_tail

FILE = Path(__file__).parent / "kernels" / "libcuxx.cu"
SOURCE = FILE.read_text()
THREADS, TILES = 64, 5
X = np.arange(THREADS * TILES, dtype=np.float32)


def run(call, name: str, **options):
    return call(name, x=X, z=np.zeros_like(X), tiles=TILES, **options)


@pytest.mark.parametrize("name", long_tail(["run_staged", "run_own", "run_bound"], every=4))
def test_tiles_arrive(call, name):
    z = run(call, name)["z"]
    assert np.array_equal(z, X.reshape(TILES, THREADS)[:, ::-1].reshape(-1))


def test_the_standard_library_of_a_kernel(call):
    z = call("run_standard", z=np.zeros(5, np.int32))["z"]
    assert z.tolist() == [12 - 40, 0x3F800000, 2 + 30 + 2600, 9, 23]


def test_pairs_tuples_and_optionals_are_assigned_to(call):
    z = call("run_assigned", z=np.zeros(5, np.int32))["z"]
    assert z.tolist() == [14321, 8821, 94388, 15143, 512]


def test_threads_wait_for_what_one_of_them_tells(call):
    z = call("run_told", z=np.zeros(42, np.int32))["z"]
    assert z.tolist() == [5, 10] + 40 * [15]


def test_a_warp_copies_and_two_compute(call):
    z = run(call, "run_roles")["z"]
    assert np.array_equal(z, X.reshape(TILES, THREADS)[:, ::-1].reshape(-1))


def test_copies_are_counted_by_their_alignment(call):
    """Of 16 bytes, said by aligned_size_t: a request for each half warp of a tile's 64 floats; of 4 bytes: two."""
    staged, own = run(call, "run_staged").run.counters, run(call, "run_own").run.counters
    assert staged["async_copy_requests"] == TILES and own["async_copy_requests"] == 2 * TILES
    assert staged["global_load_sectors"] == own["global_load_sectors"] == TILES * THREADS * 4 / 32
    assert staged["global_load_requests"] == TILES and own["global_load_requests"] == 2 * TILES
    assert own["async_groups_in_flight"] == 2


WRONG = {
    "unwaited": ("race", "// staged", "with producer_commit() and consumer_wait() of its pipeline"),
    "own_unwaited": ("race", "// own", "with producer_commit() and consumer_wait() of its pipeline"),
    "own_alone": ("race", "// own", "in any order"),
    "bound_unwaited": ("race", "// bound", "tile["),
    "not_begun": ("race", "init(&barrier", "barrier"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_forgotten_is_named(call, name):
    kind, line, said = WRONG[name]
    findings = [each for each in run(call, name, errors=True).run.findings if each.severity == "error"]
    found = [each for each in findings if each.kind == kind]
    lines = [number for number, text in enumerate(SOURCE.splitlines(), 1) if line in text]
    assert found and said in found[0].message, [each.message for each in findings]
    assert any(each.line in lines or re.search(rf"line {lines[0]}\b", each.message) for each in found)


@pytest.mark.parametrize("name, arrived", [("unreleased", "0 of 64"), ("one_too_many", "64 of 65")])
def test_who_waits_for_ever_is_told(call, name, arrived):
    (finding,) = [each for each in run(call, name, errors=True).run.findings if each.severity == "error"]
    assert finding.kind == "deadlock" and f"the cuda::barrier has seen {arrived} arrivals" in finding.message


REFUSED = {
    "a token that is not moved": "barrier.wait(std::move(token))",
    "groups without their header": "#include <cooperative_groups.h>\n",
    "a copy of a pipeline": "auto pipe = cuda::make_pipeline();",
}
IN_PLACE = {
    "a token that is not moved": "barrier.wait(token)",
    "groups without their header": "",
    "a copy of a pipeline": "auto one = cuda::make_pipeline(); auto pipe = one;",
}


def spoilt(name: str) -> str:
    text = SOURCE.replace(REFUSED[name], IN_PLACE[name])
    assert text != SOURCE
    return text


@pytest.mark.slow
@pytest.mark.skipif(not frontend.available(), reason="there is no libclang here")
def test_clang_accepts_the_file_and_refuses_what_nvcc_refuses():
    cache = cache_root()
    frontend.prepare(cache)
    refusals = {name: rules.refusals(frontend.parse(spoilt(name), cache)) for name in REFUSED}
    assert rules.refusals(frontend.parse(SOURCE, cache)) == [] and all(refusals.values()), refusals


@pytest.mark.slow
@pytest.mark.skipif(missing_nvcc() is not None, reason="there is no nvcc here")
def test_nvcc_says_the_same(tmp_path: Path):
    assert refusal(FILE, nvcc_flags()) == ""
    for name in REFUSED:
        file = tmp_path / "kernel.cu"
        file.write_text(spoilt(name))
        assert refuses(file, nvcc_flags()), name
