"""The race detector: kernels that race, with the lines it must name, and tricky ones that do not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

HEAD = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
N = 256


def launcher(kernel: str, grid: str, block: str, reset: str = "") -> str:
    """`reset` names a variable of the device to be zeroed first: they keep their values from call to call."""
    clear = (
        f"void* flags; cudaGetSymbolAddress(&flags, {reset}); cudaMemset(flags, 0, sizeof {reset});" if reset else ""
    )
    return f"""
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    {clear}
    {kernel}<<<{grid}, {block}, 0, stream>>>(x, z, n);
}}
"""


CLEAN = {
    "tree_reduction": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) z[0] = s[0];
}""",
        "1",
        "256",
    ),
    "one_block_zeroes_and_the_others_wait_for_it": (
        """
__device__ volatile int done[1];
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        z[0] = 0;
        atomicAdd(&z[0], x[0]);
        __threadfence();
        done[0] = 1;
    } else {
        while (done[0] == 0) {}
        __threadfence();
        atomicAdd(&z[0], 1.0f);
    }
}""",
        "4",
        "32",
    ),
    "last_block_finishes": (
        """
__device__ unsigned int arrived = 0;
__global__ void k(const float* x, float* z, int n) {
    __shared__ bool last;
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = x[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < 64; ++k) sum += s[k];
        z[1 + blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += z[1 + b];
        z[0] = sum;
    }
}""",
        "4",
        "64",
    ),
    "all_threads_publish_then_last_block": (
        """
__device__ unsigned int arrived = 0;
__global__ void k(const float* x, float* z, int n) {
    __shared__ bool last;
    int i = blockIdx.x * 64 + threadIdx.x;
    z[1 + i] = x[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 256; ++i) sum += z[1 + i];
        z[0] = sum;
        arrived = 0;
    }
}""",
        "4",
        "64",
    ),
    "warp_synchronous": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, lane = t % 32, first = t - lane;
    s[t] = x[t];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        float v = lane < half ? s[first + lane + half] : 0;
        __syncwarp();
        if (lane < half) s[t] += v;
        __syncwarp();
    }
    if (lane == 0) z[t] = s[t];
}""",
        "1",
        "256",
    ),
    "producer_and_consumer": (
        """
__device__ volatile int ready = 0;
__global__ void k(const float* x, float* z, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        z[1] = x[0];
        __threadfence();
        ready = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (ready == 0) {}
        __threadfence();
        z[0] = z[1] + 1;
    }
}""",
        "2",
        "32",
    ),
    "consumer_comes_first": (
        """
__device__ int ready = 0;
__global__ void k(const float* x, float* z, int n) {
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        z[1] = x[0];
        __threadfence();
        atomicExch(&ready, 1);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0) {}
        __threadfence();
        z[0] = z[1] + 1;
    }
}""",
        "2",
        "32",
    ),
    "histogram_by_atomics": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[(int)x[threadIdx.x] % 16], 1);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < 16) z[threadIdx.x] = bins[threadIdx.x];
}""",
        "2",
        "128",
    ),
    "disjoint_halves": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    if (t < 64) { s[t] = x[t]; z[t] = s[t]; }
    else { s[128 + t - 64] = x[t]; z[t] = s[128 + t - 64]; }
}""",
        "1",
        "128",
    ),
    "disjoint_bytes_of_a_word": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ unsigned char s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    z[threadIdx.x] = s[63 - threadIdx.x];
}""",
        "1",
        "64",
    ),
    "early_exit_before_a_barrier": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t >= 40) return;
    s[t] = x[t];
    __syncthreads();
    z[t] = s[39 - t];
}""",
        "1",
        "64",
    ),
    "double_buffer_with_one_barrier": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 4; ++round) {
        s[round % 2][t] = x[round * 64 + t];
        __syncthreads();
        sum += s[round % 2][63 - t];
    }
    z[t] = sum;
}""",
        "1",
        "64",
    ),
    "a_tile_a_warp": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[4][33];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 2; ++round) {
        s[warp][lane] = x[(warp + round) * 32 + lane];
        __syncwarp();
        z[threadIdx.x] = s[warp][31 - lane];
        __syncwarp();
    }
}""",
        "1",
        "128",
    ),
    "half_warps_with_their_own_mask": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = x[t];
    __syncwarp(mask);
    z[t] = s[t ^ 1];
}""",
        "1",
        "32",
    ),
    "spin_lock": (
        """
__device__ int lock = 0;
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        if (blockIdx.x == 0) z[0] = 0;
        z[1] = blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}""",
        "4",
        "32",
    ),
    "warps_hand_over_through_shared_memory": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float value;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) { value = x[3]; __threadfence_block(); flag = 1; }
    if (threadIdx.x == 32) { while (flag == 0) {} __threadfence_block(); z[0] = value; }
}""",
        "1",
        "64",
    ),
    "tiles_of_cooperative_groups": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = x[threadIdx.x];
    tile.sync();
    z[threadIdx.x] = s[threadIdx.x ^ 5];
}""",
        "1",
        "64",
    ),
    "shuffles_only": (
        """
__global__ void k(const float* x, float* z, int n) {
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) z[threadIdx.x / 32] = v;
}""",
        "1",
        "128",
    ),
}

RACY = {
    # name: (kernel, grid, block, the two lines that must be named, the array)
    "barrier_missing_after_the_store": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = s[63 - threadIdx.x];
}""",
        "1",
        "64",
        {4, 5},
        "s",
    ),
    "barrier_missing_at_the_end_of_the_loop": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[64];
    float sum = 0;
    for (int round = 0; round < 4; ++round) {
        s[threadIdx.x] = x[round * 64 + threadIdx.x];
        __syncthreads();
        sum += s[63 - threadIdx.x];
    }
    z[threadIdx.x] = sum;
}""",
        "1",
        "64",
        {6, 8},
        "s",
    ),
    "no_syncwarp_between_lanes": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x];
    z[threadIdx.x] = s[threadIdx.x ^ 1];
}""",
        "1",
        "32",
        {4, 5},
        "s",
    ),
    "the_wrong_half_of_the_warp_syncs": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
    z[t] = s[31 - t];
}""",
        "1",
        "32",
        {5, 7},
        "s",
    ),
    "sum_without_atomics": (
        """
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0 && blockIdx.x == 0) z[0] = 0;
    __syncthreads();
    z[1] = x[threadIdx.x];
}""",
        "1",
        "64",
        {5},
        "z",
    ),
    "blocks_write_one_element": (
        """
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) z[0] = x[blockIdx.x];
}""",
        "4",
        "32",
        {3},
        "z",
    ),
    "a_block_reads_what_another_wrote": (
        """
__global__ void k(const float* x, float* z, int n) {
    z[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x];
    __threadfence();
    if (blockIdx.x == 1) z[64 + threadIdx.x] = z[threadIdx.x];
}""",
        "2",
        "32",
        {3, 5},
        "z",
    ),
    "a_flag_without_a_fence": (
        """
__device__ volatile int ready = 0;
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        z[1] = x[0];
        ready = 1;
    } else {
        while (ready == 0) {}
        z[0] = z[1];
    }
}""",
        "2",
        "32",
        {6, 10},
        "z",
    ),
    "an_atomic_and_a_plain_read": (
        """
__global__ void k(const float* x, float* z, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    z[threadIdx.x] = count;
}""",
        "1",
        "64",
        {6, 7},
        "count",
    ),
    "one_block_zeroes_what_all_add_to": (
        """
__global__ void k(const float* x, float* z, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) z[2] = 0;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&z[2], 1.0f);
}""",
        "3",
        "32",
        {3, 5},
        "z",
    ),
    "every_block_zeroes_what_all_add_to": (
        """
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) z[2] = 0;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&z[2], 1.0f);
}""",
        "3",
        "32",
        {3},
        "z",
    ),
    "block_atomics_across_blocks": (
        """
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) atomicAdd_block(&z[2], 1.0f);
}""",
        "2",
        "32",
        {3},
        "z",
    ),
}


def run(run_kernel, kernel: str, grid: str, block: str, threads: int | None = None):
    x = np.arange(1, N + 1, dtype=np.float32)
    source = kernel + launcher("k", grid, block, reset="done" if "done[" in kernel else "")
    if "cg::" in kernel:
        source = HEAD + source
    prototype = "void f(const float* x, float* z, int n, cudaStream_t stream)"
    return run_kernel(source, prototype, threads=threads, x=x, z=np.zeros(N + 1, np.float32), n=N)


@pytest.mark.parametrize("name", long_tail(CLEAN, every=4))
def test_nothing_is_reported_on_a_clean_kernel(run_kernel, name):
    _, case = run(run_kernel, *CLEAN[name])
    assert [finding.message for finding in case.findings if finding.severity == "error"] == []


# Enough blocks for two executors; what comes out depends on the order in which the blocks do their atomics.
IN_ORDER = {
    "float_sum_and_tickets": (
        """
__device__ unsigned int tickets = 0;
__global__ void k(const float* x, float* z, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) z[0] = 0;
    atomicAdd(&z[1 + threadIdx.x % 4], 1.0f / (1 + blockIdx.x * 128 + threadIdx.x));
    if (threadIdx.x == 0) z[8 + blockIdx.x] = atomicAdd(&tickets, 1u);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) tickets = 0;
}""",
        "64",
        "128",
    ),
    "each_block_waits_for_the_one_before": (
        """
__device__ volatile int done[64];
__global__ void k(const float* x, float* z, int n) {
    float mine = x[threadIdx.x] * blockIdx.x;
    if (threadIdx.x == 0) {
        float before = 0;
        if (blockIdx.x > 0) {
            while (done[blockIdx.x - 1] == 0) {}
            __threadfence();
            before = z[blockIdx.x - 1];
        }
        z[blockIdx.x] = before + mine + 1;
        __threadfence();
        done[blockIdx.x] = 1;
    }
}""",
        "64",
        "64",
    ),
    "each_block_waits_for_the_one_after": (
        """
__device__ volatile int done[64];
__global__ void k(const float* x, float* z, int n) {
    if (threadIdx.x == 0) {
        float after = 0;
        if (blockIdx.x < gridDim.x - 1) {
            while (done[blockIdx.x + 1] == 0) {}
            __threadfence();
            after = z[blockIdx.x + 1];
        }
        z[blockIdx.x] = after + 1;
        __threadfence();
        done[blockIdx.x] = 1;
    }
}""",
        "16",
        "256",
    ),
}


@pytest.mark.parametrize("name", long_tail(IN_ORDER, every=4))
def test_every_run_is_the_same_on_one_core_or_two(run_kernel, name):
    """Float sums, tickets and flags too: what depends on the order of the blocks happens in a fixed order."""
    results = [run(run_kernel, *IN_ORDER[name], threads) for threads in (1, 2, 2)]
    (first, one), *others = results
    for outputs, case in others:
        assert np.array_equal(outputs["z"].view(np.uint32), first["z"].view(np.uint32))
        assert case.counters == one.counters
        assert case.lines == one.lines
        assert [finding.message for finding in case.findings] == [finding.message for finding in one.findings]


def test_blocks_that_wait_for_each_other_get_their_turns(run_kernel):
    forward, _ = run(run_kernel, *IN_ORDER["each_block_waits_for_the_one_before"])
    assert forward["z"][:3].tolist() == [1.0, 3.0, 6.0]  # x[0] is 1: block b adds b + 1
    backward, _ = run(run_kernel, *IN_ORDER["each_block_waits_for_the_one_after"])
    assert backward["z"][:16].tolist() == [16.0 - b for b in range(16)]


# Here the barrier only keeps a volatile flag from being read before it is set. Flags do not race with their writes, and
# in the order in which the emulator runs warps the flag is set first: this one goes unseen.
UNSEEN = "warps_hand_over_through_shared_memory"


def without_one_barrier() -> list:
    mutants = []
    for name, (kernel, grid, block) in CLEAN.items():
        parts = kernel.split("__syncthreads();")
        for at in range(1, len(parts)):
            mutant = "__syncthreads();".join(parts[:at]) + ";" + "__syncthreads();".join(parts[at:])
            if name != UNSEEN:
                mutants.append(pytest.param(mutant, grid, block, id=f"{name}-{at}"))
    return mutants


@pytest.mark.parametrize(("kernel", "grid", "block"), long_tail(without_one_barrier(), every=4))
def test_a_removed_barrier_is_a_race(run_kernel, kernel, grid, block):
    _, case = run(run_kernel, kernel, grid, block)
    assert "race" in [finding.kind for finding in case.findings if finding.severity == "error"]


@pytest.mark.parametrize("name", long_tail(RACY, every=4))
def test_a_race_is_named_with_both_lines(run_kernel, name):
    kernel, grid, block, lines, array = RACY[name]
    _, case = run(run_kernel, kernel, grid, block)
    races = [finding for finding in case.findings if finding.kind == "race" and finding.severity == "error"]
    assert races, [finding.message for finding in case.findings]
    named = {races[0].line, races[0].details["other_line"]}
    assert named == lines, races[0].message
    assert races[0].details["array"] == array
    assert races[0].thread != races[0].details["other_thread"] or races[0].block != races[0].details["other_block"]


@pytest.mark.parametrize("memory", ["__shared__", "__device__"])
@pytest.mark.parametrize("type_", long_tail(["double", "float", "short", "char"], every=4))
def test_a_race_names_an_element_of_the_arrays_own_type(run_kernel, type_, memory):
    declared = f"{memory} {type_} s[64];"
    outside, inside = (declared, "") if memory == "__device__" else ("", declared)
    kernel = f"""
{outside}
__global__ void k(const float* x, float* z, int n) {{
    {inside}
    const int t = threadIdx.x;
    s[t] = x[t];
    z[t] = s[63 - t];
}}"""
    _, case = run(run_kernel, kernel, "1", "64")
    (race,) = [finding for finding in case.findings if finding.kind == "race"]
    assert "thread (32, 0, 0) of block (0, 0, 0) reads s[31] in line 7" in race.message


@pytest.mark.parametrize(("storer", "reader"), [(0, 31), (7, 31), (31, 0)])
def test_a_store_races_with_a_word_that_the_whole_warp_has_loaded(run_kernel, storer, reader):
    kernel = f"""
__global__ void k(const float* x, float* z, int n) {{
    __shared__ float s[2];
    if (threadIdx.x < 2) s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float word = s[1];
    if (threadIdx.x == {storer}) s[1] = word + 1;
}}"""
    _, case = run(run_kernel, kernel, "1", "32")
    (race,) = [finding for finding in case.findings if finding.kind == "race"]
    assert (race.line, race.details["other_line"]) == (7, 6), race.message
    assert (race.thread[0], race.details["other_thread"][0]) == (storer, reader)


def test_one_instruction_may_go_on_to_an_array_with_other_rules(run_kernel):
    kernel = """
__global__ void k(const float* x, float* z, int n) {
    for (int i = 0; i < 3; ++i) *(i < 2 ? z + i : (float*)x) = 1;
}"""
    _, case = run(run_kernel, kernel, "1", "1")
    assert [finding.kind for finding in case.findings] == ["input_modified"]


def test_a_word_that_one_lane_of_a_warp_finds_unset_is_told(run_kernel):
    kernel = """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[32];
    if (threadIdx.x != 5) s[threadIdx.x] = x[0];
    __syncthreads();
    z[threadIdx.x] = s[threadIdx.x];
}"""
    _, case = run(run_kernel, kernel, "1", "32")
    (unset,) = case.findings
    assert (unset.kind, unset.line, unset.thread[0]) == ("uninitialized_read", 6, 5), unset.message


def test_the_mend_says_where_the_barrier_belongs(run_kernel):
    kernel, grid, block, _, _ = RACY["barrier_missing_at_the_end_of_the_loop"]
    _, case = run(run_kernel, kernel, grid, block)
    assert "missing between line 8 and the next round's line 6" in case.findings[0].message


def test_two_writers_of_one_output_are_told_to_share_it_out(run_kernel):
    kernel = """
__global__ void k(const float* x, float* z, int n) {
    int i = threadIdx.x;
    z[i] = x[i];
    z[i + 1] = -x[i];
}"""
    _, case = run(run_kernel, kernel, "1", "64")
    assert case.findings[0].message.partition(": ")[2].startswith("use an atomic, or give each element to one thread")


def test_the_same_value_from_two_threads_is_a_note(run_kernel):
    kernel = """
__global__ void k(const float* x, float* z, int n) {
    __shared__ int found;
    if (threadIdx.x > 3) found = 1;
    __syncthreads();
    z[threadIdx.x] = found;
}"""
    _, case = run(run_kernel, kernel, "1", "64")
    races = [finding for finding in case.findings if finding.kind == "race"]
    assert [finding.severity for finding in races] == ["note"]


def test_a_shuffle_does_not_order_memory(run_kernel):
    kernel = """
__global__ void k(const float* x, float* z, int n) {
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x];
    __shfl_sync(0xffffffffu, 1, 0);
    z[threadIdx.x] = s[31 - threadIdx.x];
}"""
    _, case = run(run_kernel, kernel, "1", "32")
    assert [(finding.kind, finding.severity) for finding in case.findings] == [("shuffle_order", "note")]


def test_a_barrier_object_orders_what_a_shuffle_stands_behind_too(run_kernel):
    kernel = """
#include <cuda/barrier>
__global__ void k(const float* x, float* z, int n) {
    __shared__ alignas(16) float s[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    if (threadIdx.x == 0) init(&arrived, 32);
    __syncthreads();
    if (threadIdx.x < 8) {
        cuda::memcpy_async(s + 4 * threadIdx.x, x + 4 * threadIdx.x, cuda::aligned_size_t<16>(16), arrived);
    }
    BARRIER
    float sum = 0;
    for (int i = 0; i < 2; ++i) {
        float v = s[(threadIdx.x + i) % 32];
        sum += __shfl_xor_sync(0xffffffffu, v, 1);
    }
    z[threadIdx.x] = sum;
}"""
    _, ordered = run(run_kernel, kernel.replace("BARRIER", "arrived.arrive_and_wait();"), "1", "32")
    assert ordered.findings == []
    _, unordered = run(run_kernel, kernel.replace("BARRIER", "__shfl_sync(0xffffffffu, 1, 0);"), "1", "32")
    assert unordered.findings


PIPELINE = """
#include <cuda_pipeline.h>
__global__ void k(const float* x, float* z, int n) {
    __shared__ float tile[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], &x[t], 4);  // first
    __pipeline_commit();
    float sum = 0;
    for (int stage = 0; stage < 4; ++stage) {
        if (stage < 3) __pipeline_memcpy_async(&tile[(stage + 1) % 2][t], &x[64 * (stage + 1) + t], 4);  // next
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[stage % 2][63 - t];  // read
        __syncthreads();  // done
    }
    z[t] = sum;
}"""


def line_in(text: str, comment: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if comment in line)


@pytest.mark.parametrize("waits", ["__pipeline_wait_prior(1);", "__pipeline_wait_prior(0);"])
def test_a_pipeline_that_waits_is_clean(run_kernel, waits):
    outputs, case = run(run_kernel, PIPELINE.replace("__pipeline_wait_prior(1);", waits), "1", "64")
    assert case.findings == []
    assert outputs["z"][:64].tolist() == [4.0 * (64 - t) + 64 * 6 for t in range(64)]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("__pipeline_wait_prior(1);", ""),
        ("__pipeline_wait_prior(1);", "__pipeline_wait_prior(2);"),
        ("__pipeline_commit();\n        __pipeline_wait", "__pipeline_wait"),
        ("__pipeline_commit();\n    float", "float"),  # then the first copy is of one group with the second
    ],
)
def test_a_copy_that_nobody_has_waited_for_is_a_race(run_kernel, was, now):
    text = PIPELINE.replace(was, now)
    _, case = run(run_kernel, text, "1", "64")
    race = case.findings[0]
    assert (race.kind, race.severity, race.line) == ("race", "error", line_in(text, "// read"))
    assert race.details["other_line"] == line_in(text, "// first")
    assert "is under way: wait for it there" in race.message


STAGES = """
#include <cuda/pipeline>
__global__ void k(const float* x, float* z, int n) {
    auto stages = cuda::make_pipeline();
    __shared__ float tile[3][64];
    const int t = threadIdx.x;
    for (int s = 0; s < 3; ++s) {
        stages.producer_acquire();
        cuda::memcpy_async(&tile[s][t], &x[64 * s + t], 4, stages);
        stages.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<2>(stages);
    float sum = tile[0][t];  // first
    stages.consumer_release();
    stages.consumer_wait();
    sum += tile[1][t];  // second
    stages.consumer_release();
    stages.consumer_wait();
    z[t] = sum + tile[2][t];  // third
    stages.consumer_release();
}"""
WAIT = "    stages.consumer_wait();\n"


@pytest.mark.slow
def test_what_a_pipeline_waits_for_counts_from_the_last_wait_of_any_kind(run_kernel):
    outputs, case = run(run_kernel, STAGES, "1", "64")
    assert case.findings == []
    assert outputs["z"][:64].tolist() == [3.0 * (t + 1) + 64 * 3 for t in range(64)]
    for text, late in (
        (STAGES.replace(WAIT, "", 1), "// second"),
        (STAGES.replace("prior<2>", "prior<3>"), "// first"),
    ):
        _, case = run(run_kernel, text, "1", "64")
        assert (case.findings[0].kind, case.findings[0].line) == ("race", line_in(text, late))


def test_after_the_wait_the_others_need_a_barrier(run_kernel):
    text = PIPELINE.replace("__syncthreads();\n        sum", "sum")
    _, case = run(run_kernel, text, "1", "64")
    race = next(finding for finding in case.findings if finding.kind == "race")
    assert "__syncthreads() is missing" in race.message and "under way" not in race.message


def test_a_thread_has_to_wait_for_its_own_copy_too(run_kernel):
    kernel = """
#include <cuda_pipeline.h>
__global__ void k(const float* x, float* z, int n) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);
    z[threadIdx.x] = tile[threadIdx.x];
    __pipeline_commit();
    __pipeline_wait_prior(0);
    z[threadIdx.x] += tile[threadIdx.x];
}"""
    _, case = run(run_kernel, kernel, "1", "64")
    (race,) = case.findings
    assert (race.kind, race.line) == ("race", 6) and "the copy that it began in line 5 is under way" in race.message


def test_groups_wait_for_their_copies(run_kernel):
    kernel = """
#include <cooperative_groups/memcpy_async.h>
__global__ void k(const float* x, float* z, int n) {
    __shared__ float tile[64], more[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, x, sizeof tile);
    cg::memcpy_async(block, more, x + 64, sizeof more);
    cg::wait_prior<1>(block);
    z[threadIdx.x] = tile[63 - threadIdx.x];
    cg::wait(block);
    z[threadIdx.x] += more[63 - threadIdx.x];
}"""
    _, case = run(run_kernel, kernel, "1", "64")
    assert case.findings == []
    _, early = run(run_kernel, kernel.replace("tile[63", "more[63"), "1", "64")
    assert early.findings[0].kind == "race" and early.findings[0].details["array"] == "more"
