"""Whole programs that use more of CUDA than a graded file has, and libraries: what they print, and what is found.

A program is built once, and proves many things. What its last lines do wrong is told with the line.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.warm import run_ladder

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


def line(name: str, words: str) -> int:
    """The line of a program that holds these words."""
    rows = (PROGRAMS / name).read_text().splitlines()
    (number,) = (number for number, row in enumerate(rows, start=1) if words in row)
    return number


@pytest.fixture
def ran():
    """Runs a program of `programs/`: the lines that it prints, what is found as (kind, line), and the sentences."""

    def these(name: str) -> tuple[list[str], list[tuple[str, int | None]], list[str]]:
        done = run_ladder(ROOT, "run", PROGRAMS / name, "--devices", "2", "--json")
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)["findings"]
        printed = [row.rstrip() for row in done.stderr.splitlines()]
        return printed, [(each["kind"], each["line"]) for each in found], [each["message"] for each in found]

    return these


@pytest.mark.whole
def test_memory_of_both_sides_is_read_and_written_by_both_and_waited_for(ran):
    name = "both_sides.cu"
    printed, found, told = ran(name)
    assert printed == ["1998 20 22 3000 1", "6", "0", "1"]
    early, copied, beyond = line(name, "too early: a read"), line(name, "too early: a write"), line(name, "x[i] *= 2")
    nothing = line(name, "none, 4, cudaMemcpyHostToDevice")
    assert found == [("race", early), ("out_of_bounds", nothing), ("race", copied), ("out_of_bounds", beyond)]
    launched = line(name, "twice<<<1, 8>>>(array, 8)")
    assert "host code reads element 3 of array (cudaHostRegister in line" in told[0]
    assert f"which the work of line {launched} writes" in told[0] and "cudaDeviceSynchronize()" in told[0]
    assert told[1] == "the source of a copy or memset is a null pointer: it does nothing"
    assert "host code reads element 1 of pinned (cudaMallocHost in line" in told[2]
    assert "reads element 1000 of managed (cudaMallocManaged in line" in told[3]


@pytest.mark.whole
def test_cub_knows_pairs_sums_that_go_on_and_buffers_in_turn(ran):
    printed, found, told = ran("cub.cu")
    assert printed == ["27 49", "100 8228 0 8001; 5 9 8 15 14", "0 127 53 75", "0 0"]
    assert [kind for kind, _ in found] == ["out_of_bounds"]
    assert "reads element 64 of x (cudaMalloc in line" in told[0]


@pytest.mark.whole
def test_cub_chooses_counts_groups_and_sorts_by_some_bits(ran):
    """What it prints on an H200 (nvcc 13.0)."""
    printed, found, _ = ran("cub_device.cu")
    assert found == [] and printed == [
        "flagged: 5",
        "flagged: 7 9 9 1 8",
        "odd: 7",
        "odd: 7 7 9 9 9 1 1",
        "unique: 6",
        "unique: 7 2 9 4 1 8",
        "partition: 5",
        "partition: 7 9 9 1 8 1 4 9 2 7",
        "odd first: 7",
        "odd first: 7 7 9 9 9 1 1 8 4 2",
        "runs: 6",
        "runs: 7 2 9 4 1 8",
        "lengths: 2 1 3 1 2 1",
        "even: 2 1 1 2 4",
        "even: 1 2 1 1",
        "range: 1 1 4",
        "channels: 0 1 1 1",
        "channels: 1 2",
        "channels: 2 0",
        "sums: 16 0 41",
        "maxima: 7 -2.14748e+09 9",
        "low byte: 258 5 17 300 -300 -1",
        "low byte: 3 5 2 0 4 1",
        "high byte: 300 17 258 5 -1 -300",
        "floats: -1 0.1 2.5 2.6 5 9.9 10",
        "their halves: -1 0.1 2.5 2.6 5 9.9 10",
        "merged: -300 -1 5 17 258 300",
        "merged: 4 1 5 2 3 0",
        "each: 1 1 1 18 18 18 8 2 2 16",
        "cudaSuccess",
    ]


@pytest.mark.whole
def test_cub_sorts_and_exchanges_in_a_block(ran):
    """What it prints on an H200 (nvcc 13.0)."""
    printed, found, _ = ran("cub_sorts.cu")
    assert found == [] and [row.strip() for row in printed] == [
        "-50 -38 -26 -14 -2 10 22 35 47 15 6 -3 4 3 2 -7 -16 -22 8 38 -21 9 47 -20 18 -49",
        "197605835 cudaSuccess",
    ]


@pytest.mark.whole
def test_graphs_keep_to_their_order_and_textures_to_the_guide(ran):
    printed, found, told = ran("graphs.cu")
    assert printed == [
        "renewed 33100",
        "captured 30",
        "host node 3",
        "built 14",
        "9 9 9 9 9.5 10 10.5 11 11.5 12 12.5 13 13.5 14 14.5 15 15.5 16 16 16",
        "18 19 11 10",
        "13 14 15 16 9 10 11 12 13 14 15 16 9 10 11 12",
        "12 11 10 9 9 10 11 12 13 14 15 16 16 15 14 13",
        "0 0 0 0 9 10 11 12 13 14 15 16 0 0 0 0",
        "1 0.2 0 0.4 0 0 0 0",
        "20 23",
        "callback: cudaSuccess",
        "2 devices, 1, cudaErrorInvalidDevice, 26",
    ]
    beside = line("graphs.cu", "// beside the second")
    assert found == [("race", beside)]
    second = line("graphs.cu", "&nodes[1], graph, nodes")
    assert f"which that of line {second}, another node of the graph, " in told[0]


@pytest.mark.slow
def test_numbers_are_the_libraries_own_and_what_is_missing_is_refused_by_name(ran):
    name = "numbers.cu"
    printed, found, told = ran(name)
    assert printed == [
        'GPU Device 0: "Kernel Ladder emulator" with compute capability 9.0',
        "",
        # Random123's known answer for Philox4x32-10 of zeros.
        "64; 6627e8d5 e169c58d bc57ac4c 9b00dbd8; 1; 1 1 1",
        # The ten numbers that cuRAND's documentation prints for seed 1234.
        "0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855",
        "25 31 21 27",
        "99 117 91 105 22 6",
        "1",
        "1 Kernel Ladder emulator 2 9; 331.75 7.5; CUDA_ERROR_INVALID_DEVICE",  # helper_math.h: worked out by hand
    ]
    assert found == [("out_of_bounds", line(name, "past the end")), ("trap", line(name, "refused"))]
    assert "cufftXtSetGPUs is a library's function, which is not emulated" in told[1]


@pytest.mark.slow
def test_thrust_computes_and_its_functors_are_checked(ran):
    name = "thrust.cu"
    printed, found, told = ran(name)
    assert printed == [
        "0 1 2 3 4 5 6 7 28 7",
        "420 615 499",
        "28 10 66",
        "3 13 bdca",
        "338350",
        "0 0 1 1 4 1 6 0 4 5 0",
        "1 63",
        "cudaErrorIllegalAddress",
    ]
    assert found == [("race", line(name, "too early")), ("out_of_bounds", line(name, "past the end"))]
    assert "of the memory that a library allocated, past its end" in told[1]


@pytest.mark.long
@pytest.mark.whole
def test_thrust_parts_ranges_scans_by_keys_and_brings_ranges_together(ran):
    """Worked out by hand; of a shuffle only the elements are asked."""
    name = "thrust_parts.cu"
    printed, found, told = ran(name)
    assert printed == [
        "stencil: 3 5 2 1; 3 5 2 1; 4 8 7 6",
        "odd: 3 5 7 1",
        "parted: 4 8 2 6 3 5 7 1, 4; 3 5 2 1 4 8 7 6, 4; 4 4",
        "copied: 4 8 2 6; 3 5 7 1",
        "by key: 3 7 8 13 15 7 13 1; 0 3 0 8 13 0 7 0; 10 13 10 18 23 10 17 10",
        "unique: 0 1 3 4; 0 1 3 4; 3 8 7 1",
        "together: 1 1 2 3 5 5 9; 1 2 3 5 9; 1 5; 3; 2 3 9",
        "shuffled: 1 2 3 4 5 6 7 8",
        "placeholders: 5 8 16 9 3 14 12 1; 9 5 3 1",
        "equal: 1; 1",
        "zipped: 1 9 5 5",
        "cudaErrorIllegalAddress",
    ]
    assert found == [("out_of_bounds", line(name, "past the end"))]
    assert f"writes element 3 of room (cudaMalloc in line {line(name, '&room, 3')})" in told[0]


@pytest.mark.long
@pytest.mark.whole
def test_thrust_computes_in_a_thread_of_a_kernel(ran):
    """Its accesses are told at the program's line that called it."""
    name = "thrust_in_kernels.cu"
    printed, found, told = ran(name)
    assert printed == ["10210.2051 10210.2051 10210.2051 10210.2051 20", "1 8 40", "cudaErrorIllegalAddress"]
    assert found == [("out_of_bounds", line(name, "past the end"))]
    assert "reads element 21 of x (cudaMalloc in line" in told[0]


@pytest.mark.slow
def test_the_compilers_own_atomics_hand_on_what_their_orders_say(ran):
    name = "ordered.cu"
    printed, found, _ = ran(name)
    assert printed == ["64 63 1 17 13 0 192 32 -0"]
    assert found == [("race", line(name, "too early"))]


@pytest.mark.slow
def test_libcxx_cub_and_small_floats_compute_and_are_checked(ran):
    name = "cxx.cu"
    printed, found, _ = ran(name)
    assert printed == [
        "8064 255 10",
        "63 127 128",
        "63 127 128",
        "63 127 128",
        "1 -0.3125 448 448 0.00195312 18 0 448 1 -0.3125 448 1024 0.000976562 16 0.000976562 57344 5 3.25 58061",
        "2016 1953 1520",
        "18336 4851",
        "191 0",
        "63 63 124 63 126 63",
    ]
    assert found == [("race", line(name, "no barrier between the rounds"))]


@pytest.mark.slow
def test_cublas_by_types_cublaslt_pools_and_small_names_of_thrust(ran):
    """Worked out by hand."""
    name = "typed.cu"
    printed, found, told = ran(name)
    assert printed == ["11 5; 13 18 4; 5 15", "1 0: 4 0 20 6", "0 3", "7 4 5 4 1", "1 13: 4 0 0 0"]
    assert found == [("out_of_bounds", line(name, "const int status = cublasLtMatmul"))]
    made = line(name, "cudaMalloc(&d, rows_of_d")
    assert told[0].startswith(f"cublasLtMatmul writes past the end of d (cudaMalloc in line {made}), which has 8 bytes")


@pytest.mark.slow
def test_host_functions_are_ordered_as_other_work_of_their_streams(ran):
    name = "host_functions.cu"
    printed, found, told = ran(name)
    assert printed == ["528", "528", "528"]
    rows = (PROGRAMS / name).read_text().splitlines()
    nothing = next(number for number, row in enumerate(rows, start=1) if "// nothing" in row)
    assert found == [("race", nothing + 1), ("race", nothing + 2), ("race", nothing + 5)]
    assert (
        "reads element 0 of in (cudaMallocHost in line" in told[0]
        and f"which that of line {nothing}, on another" in told[0]
    )
    assert "writes element 0 of other (cudaMallocManaged in line" in told[2]


@pytest.mark.slow
def test_cub_exchanges_through_the_memory_that_it_is_given(ran):
    """A block that loads in order uses that memory, so a barrier belongs before the next use; a library's kernel of one
    thread leaves nothing out.
    """
    name = "cub_exchange.cu"
    printed, found, told = ran(name)
    assert printed == ["127 511", "511", "8128"]
    assert found == [("race", line(name, "Scan(temp.scan).InclusiveSum(mine, mine);  // too early"))]
    assert "temp[1]" in told[0] and "a __syncthreads() is missing" in told[0]
