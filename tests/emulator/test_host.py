"""The host side of CUDA: memory, errors, launches by function, attributes, streams and events, printf."""

from __future__ import annotations

import math
import os
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from grader.devices.cache import cache_root
from grader.devices.emulator.first_lines import FIRST_HEADER
from grader.devices.emulator.session import compile_flags, runtime_library
from grader.devices.emulator.translate import translate

SOURCE = (Path(__file__).parent / "kernels" / "host.cu").read_text()


def floats(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.float32)


def test_allocate_copy_set_free(call):
    z = call("memory", x=floats(50), z=np.zeros(50, np.float32), n=50)["z"]
    assert z.tolist() == [0, 0, *(2 * floats(50)[::-1])[2:-1], 0]


@pytest.mark.slow
def test_pitched_rows(call):
    x = floats(15).reshape(3, 5)
    assert np.array_equal(call("pitched", x=x, z=np.zeros((3, 2), np.float32))["z"], x[:, 1:3])


def test_symbols(call):
    result = call("symbols", z=np.zeros(4, np.float32), w=np.zeros(4, np.int32))
    assert result["z"].tolist() == [1, 2, 3, 9]
    assert result["w"].tolist() == [108, 108, 16, 0]


def test_errors_are_returned_remembered_and_forgotten(call):
    result = call("errors", w=np.zeros(12, np.int32), errors=True)
    assert result["w"].tolist() == [2, 2, 2, 0, 1, 1, 1, 101, 1, 1, 0, 101]
    assert [finding.kind for finding in result.run.findings if finding.severity == "error"] == ["launch_error"] * 3


def test_launches_by_function(call):
    x = floats(50)
    result = call("by_function", x=x, z=np.zeros(101, np.float32), n=50)
    z = result["z"]
    names = {kernel["name"] for kernel in result.run.kernels}
    assert names == {"weigh_kernel<2, 1>", "weigh_kernel<3, 4>"}
    assert np.array_equal(z[:50], 2 * x + 1.5)
    assert np.array_equal(z[50:100], 3 * x + 4)
    assert z[100] == 10


def test_attributes_properties_and_occupancy(call):
    result = call("attributes", z=np.zeros(32, np.float32), w=np.zeros(11, np.int32))
    assert np.array_equal(result["z"], np.arange(32) + 1)
    assert result["w"].tolist() == [0, 0, 1, 1024, 1, 1, 1, 1, 1, 2, 48 * 1024]


def test_streams_and_events(call):
    assert np.array_equal(call("streams", x=floats(40), z=np.zeros(40, np.float32), n=40)["z"], 3 * floats(40))


def test_a_stream_for_each_call_is_a_leak_and_one_for_all_is_not(call):
    def leaks(entry: str) -> list[str]:
        run = call(entry, z=np.zeros(32, np.float32), errors=True).run
        return [finding.message for finding in run.findings if finding.kind == "leak"]

    assert [leaks("stream_for_all_calls") for _ in range(3)] == [[]] * 3
    first, second, third = (leaks("stream_for_each_call") for _ in range(3))
    assert first == [] and len(second) == len(third) == 1
    assert re.search(r"the stream created in line \d+ is never destroyed", second[0])


@pytest.mark.slow
def test_the_checking_build_has_a_stream_of_its_own(call):
    """The file's static variables are there twice, and so is what they hold."""
    for checked in (False, True, False):
        run = call("stream_for_all_calls", z=np.zeros(32, np.float32), errors=True, checked=checked).run
        assert [finding for finding in run.findings if finding.kind == "leak"] == []


@pytest.mark.parametrize(
    "entry", ["memory_for_all_calls", "memory_that_the_next_call_frees", "memory_that_a_kernel_keeps"]
)
def test_memory_that_is_kept_is_a_leak_in_the_next_call_too(call, entry):
    def found() -> list[tuple[str, str]]:
        run = call(entry, z=np.ones(32, np.float32), errors=True).run
        return [(each.kind, each.message) for each in run.findings if each.severity == "error"]

    first, second = found(), found()
    assert "128 bytes from the allocation in line" in first[-1][1]
    assert {kind for kind, _ in second} == {"leak"} and "uses memory of an earlier call" in second[0][1]


def test_pinned_memory(call):
    assert np.array_equal(call("pinned", x=floats(8), z=np.zeros(8, np.float32), n=8)["z"], floats(8) + 1)


def test_printf_block_after_block(call, capfd):
    call("talking", z=np.zeros(2, np.float32))
    lines = capfd.readouterr().out.splitlines()
    expected = [f"block {b} thread {t}: {t / 2:.1f} nothing" for b in range(2) for t in range(2)]
    assert [line for line in lines if line != "plain"] == expected
    assert lines.count("plain") == 2


# ---- what g++ reads ----


def test_the_first_header_is_read_precompiled():
    """`!` marks a precompiled header that g++ could use; without it every build is slower, and nothing else tells."""
    flags = ["-fPIC", *compile_flags(runtime_library(cache_root())), "-H", "-S", "-o", os.devnull]
    done = subprocess.run(
        ["g++", *flags, "-x", "c++", "-"], input=translate("", "k.cu"), capture_output=True, text=True
    )
    assert done.stderr.startswith("! ") and done.stderr.splitlines()[0].endswith(f"{FIRST_HEADER}.gch")


# ---- what must not compile ----


def compiler_says(body: str) -> str:
    """g++'s messages about a file that holds `body`; empty if it compiles."""
    source = translate(body, "kernel.cu")
    command = ["g++", "-std=c++20", *compile_flags(runtime_library(cache_root())), "-x", "c++", "-fsyntax-only", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True).stderr


@pytest.mark.slow
def test_what_nvcc_refuses_is_refused():
    kernel = "#include <cuda_fp16.h>\n__global__ void k(float* x, half h) { %s }"
    assert compiler_says(kernel % "x[0] = __half2float(h + h); h += 1.0f; float f = h; x[1] = f;") == ""
    for statement in (
        "h = h + 1.0f;",  # half and float mixed: which one is meant?
        "atomicMax(x, 1.0f);",  # CUDA has no such function
        "size_t* n = (size_t*)x; atomicAdd(n, 1ul);",
        "threadIdx.x = 3;",
        "x[0] = __shfl_sync(0xffffffff, x, 0);",
        "__shfl(x[0], 0);",
    ):
        assert "error" in compiler_says(kernel % statement), statement


def test_a_wrong_argument_is_reported_on_its_line():
    said = compiler_says("__global__ void k(float* x, int n) {}\nvoid f(float* x) {\n\n    k<<<1, 1>>>(x);\n}\n")
    assert re.search(r"kernel\.cu:4:.*", said)


@pytest.mark.parametrize("threads", [48, 2048])
def test_tiles_of_a_size_that_cuda_has_not_are_refused(threads):
    body = "#include <cooperative_groups.h>\n__global__ void k() { auto b = cooperative_groups::this_thread_block();\n"
    said = compiler_says(body + f"auto t = cooperative_groups::tiled_partition<{threads}>(b); }}")
    assert "a tile has 1, 2, 4, 8 ... 1024 threads" in said


BOUND = """
template <int kThreads> struct Shape { static constexpr int threads = kThreads; };
__global__ void __launch_bounds__(64) twice(float* z);
template <int kFirst, int kSecond>
__global__ __launch_bounds__(Shape<kFirst * kSecond>::threads,  // of a block
                             kFirst == 8 && kSecond != 3 ? 2 : 1) void once(float* z) {
    z[threadIdx.x] += 1;
}
__global__ void __launch_bounds__(64) twice(float* z) { z[threadIdx.x] += 2; }
extern "C" void f(float* z, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 128 * sizeof(float), stream);
    once<8, 16><<<1, 128, 0, stream>>>(z);
    twice<<<1, THREADS, 0, stream>>>(z);
}
"""


def test_a_block_keeps_to_the_launch_bounds_of_its_kernel(run_kernel):
    prototype = "void f(float* z, cudaStream_t stream)"
    outputs, case = run_kernel(BOUND.replace("THREADS", "64"), prototype, z=np.zeros(128, np.float32))
    assert outputs["z"].tolist() == [3.0] * 64 + [1.0] * 64 and case.findings == []
    outputs, case = run_kernel(BOUND.replace("THREADS", "65"), prototype, z=np.zeros(128, np.float32))
    assert outputs["z"].tolist() == [1.0] * 128
    assert [(finding.kind, finding.line) for finding in case.findings] == [("launch_error", 13)]
    assert "the block has 65 threads, its __launch_bounds__ allow 64" in case.findings[0].message


SHARED = """
__device__ float last_of(float x) {
    __shared__ float kept[BYTES / 4];
    kept[threadIdx.x] = x;
    __syncthreads();
    return kept[31];
}
__device__ float never(float x) {
    __shared__ float large[10000];
    large[threadIdx.x] = x;
    return large[threadIdx.x];
}
__global__ void k(float* z, int n) {
    __shared__ float own[8192];
    own[threadIdx.x] = n < 0 ? never(1) : threadIdx.x;
    z[threadIdx.x] = last_of(own[threadIdx.x]);
}
extern "C" void f(float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(z, n); }
"""


def test_the_arrays_of_device_functions_count_too(run_kernel):
    prototype, z = "void f(float* z, int n, cudaStream_t stream)", np.zeros(32, np.float32)
    outputs, case = run_kernel(SHARED.replace("BYTES", "16384"), prototype, z=z, n=1)
    assert outputs["z"].tolist() == [31.0] * 32 and case.findings == []
    assert case.kernels[0]["static_shared"] == 48 * 1024
    _, case = run_kernel(SHARED.replace("BYTES", "16640"), prototype, z=z, n=1)
    assert [(finding.kind, finding.line) for finding in case.findings] == [("launch_error", 18)]
    assert "its static shared memory is 49408 bytes, at most 49152 are allowed" in case.findings[0].message


def test_a_launch_is_blamed_for_its_own_shared_memory_only(run_kernel):
    twice = SHARED.replace("BYTES", "1024").replace("k<<<1", "k<<<1, 32, 0, stream>>>(z, -n);\n    k<<<1")
    _, case = run_kernel(twice, "void f(float* z, int n, cudaStream_t stream)", z=np.zeros(32, np.float32), n=1)
    assert [(finding.kind, finding.line) for finding in case.findings] == [("launch_error", 18)]


ENDLESS = """
__global__ void nothing() {}
__global__ void something(float* z) { z[0] = 1; }
extern "C" void run(float* z, int n, cudaStream_t stream) {
    for (int i = 0; i < n; ++i) nothing<<<1, 1, 0, stream>>>();
    something<<<1, 1, 0, stream>>>(z);
}
"""
PROTOTYPE_OF_ENDLESS = "void run(float* z, int n, cudaStream_t stream)"


def test_a_call_is_given_up_on_the_clock_too(run_kernel):
    """Else, on a busy machine, the judge would end it before it has told of what it has seen."""
    session = run_kernel.session(ENDLESS, (PROTOTYPE_OF_ENDLESS,), None, True)
    session.until = time.monotonic() + 0.3
    try:
        _, case = run_kernel(ENDLESS, PROTOTYPE_OF_ENDLESS, z=np.zeros(1, np.float32), n=10**9)
    finally:
        session.until = math.inf
    (found,) = case.findings
    assert found.kind == "timeout" and found.line == 5
    assert case.seconds < 10


COPIES = """
struct Sum {
    const int* from;
    int value;
    explicit Sum(const int* from) : from(from), value(7) {}
    Sum(const Sum& other) : from(other.from), value(other.value) {
        if (!from) value = *from;
    }
};
__global__ void k(float* z, Sum sum) { z[0] = sum.value; }
extern "C" void run(float* z, int n, cudaStream_t stream) {
    const Sum sum(n == 1 ? nullptr : &n);
    k<<<1, 1, 0, stream>>>(z, sum);
}
"""


def test_a_launch_that_host_code_was_left_in_is_over(run_kernel):
    """Here by a fault in the copy of an argument, where it is looked for what the launch would run; or by the clock."""
    for n, kinds in (1, ["crash"]), (2, []), (1, ["crash"]), (3, []):
        outputs, case = run_kernel(COPIES, PROTOTYPE_OF_ENDLESS, z=np.zeros(1, np.float32), n=n)
        assert [finding.kind for finding in case.findings] == kinds
        assert kinds or outputs["z"][0] == 7


def test_of_very_many_launches_only_the_first_are_told(run_kernel):
    _, case = run_kernel(ENDLESS, PROTOTYPE_OF_ENDLESS, z=np.zeros(1, np.float32), n=15_000)
    assert case.findings == [] and case.counters["launches"] == 15_001
    assert len(case.launches) == 10_000


@pytest.mark.parametrize("by_host", [True, False])
def test_what_the_host_computes_in_managed_variables(run_kernel, by_host):
    source = """
__managed__ float left[1 << 16], failed;
__global__ void first(const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) left[i] = 2 * x[i];
}
__global__ void second(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = left[i] + failed;
}
extern "C" void f(const float* x, float* z, int n, int by_host, cudaStream_t stream) {
    first<<<n / 256, 256, 0, stream>>>(x, n);
    cudaStreamSynchronize(stream);
    for (int i = 0; by_host && i < n; ++i) left[i] = left[i] + 1;
    failed = 0;
    second<<<n / 256, 256, 0, stream>>>(z, n);
}"""
    x = np.ones(4096, np.float32)
    prototype = "void f(const float* x, float* z, int n, int by_host, cudaStream_t stream)"
    _, case = run_kernel(source, prototype, x=x, z=x.copy(), n=4096, by_host=int(by_host))
    assert [finding.kind for finding in case.findings] == ["host_access"] * by_host
