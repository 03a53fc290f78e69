"""What nvcc compiles and the emulator does not know has a sentence and a status of its own."""

import pytest

from grader.devices.build.build import build_error
from grader.devices.build.diagnostics import Message
from grader.devices.build.not_emulated import is_not_emulated, missing_header, of_program, unknown_name


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("cuda/ptx", "<cuda/ptx>, a header of CUDA's own, is not emulated: check this on a GPU"),
        ("cudaTypedefs.h", "<cudaTypedefs.h>, a header of CUDA's own, is not emulated: check this on a GPU"),
        ("cooperative_groups/details/sync.h", "is not emulated: include <cooperative_groups.h>"),
        ("crt/sm_90_rt.h", "is not emulated: include <cuda_runtime.h>"),
        ("cuda_awbarrier.h", "is not emulated: include <cuda/barrier>"),
        ("cuda/atomics", ""),
        ("cuda/std/nothing", ""),
        ("cuda_texture_types.h", ""),  # gone from CUDA 13
        ("mine.h", ""),
    ],
)
def test_a_header_of_cudas_own_that_is_not_here_is_told_as_such(header, said):
    assert said in missing_header(header) and bool(said) == is_not_emulated(missing_header(header))


@pytest.mark.parametrize("name", ["CUtensorMap", "cuTensorMapEncodeTiled", "cudaLibrary_t", "cudaIpcMemHandle_t"])
def test_a_name_of_cudas_is_no_slip_in_a_file_or_a_program(name):
    said = f"`{name}` is not emulated: "
    assert unknown_name(name).startswith(said)
    assert of_program(f"'{name}' was not declared in this scope").startswith(said)


@pytest.mark.parametrize("name", ["cudaMaloc", "cudaMemcopy", "tile", "culumn"])
def test_a_slip_stays_one(name):
    assert unknown_name(name) == ""
    assert of_program(text := f"'{name}' was not declared in this scope") == text


def test_what_follows_from_what_is_not_emulated_is_not_told():
    build = build_error([Message("`CUtensorMap` is not emulated: x", 2), Message("'map' was not declared", 3)], "")
    assert build.problem == "not_emulated" and [each.line for each in build.diagnostics] == [2]
    build = build_error([Message("'map' was not declared", 1), Message("`CUtensorMap` is not emulated: x", 2)], "")
    assert build.problem == "build_error" and len(build.diagnostics) == 2


def test_a_files_own_text_makes_no_such_status():
    said = ("static_assert fails: this is not emulated: no", "#error `x` is not emulated: no")
    assert not any(map(is_not_emulated, said))
