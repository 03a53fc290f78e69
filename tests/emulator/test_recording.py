"""A recorded block: every number here is worked out by hand from the kernel's text."""

import numpy as np
import pytest

from grader.course.catalog import UsageError
from grader.devices.emulator.recording import ROOM, BlockToRecord, Recording, from_json

SOURCE = """
#include <cuda_runtime.h>
#define ENTRY(name, kernel, blocks, threads) \\
    extern "C" void name(const float* x, float* z, int n, cudaStream_t stream) { \\
        kernel<<<blocks, threads, 0, stream>>>(x, z, n);                         \\
    }

__global__ void add_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + x[i + n];
}
ENTRY(add, add_kernel, 2, 64)

__global__ void branch_kernel(const float* x, float* z, int n) {
    float v = x[threadIdx.x];
    if (threadIdx.x % 4 == 0)
        z[threadIdx.x] = v * 2;
    else
        z[threadIdx.x] = v * v;
    z[threadIdx.x + 32] = v;
}
ENTRY(branch, branch_kernel, 1, 32)

__global__ void column_kernel(const float* x, float* z, int n) {
    __shared__ float tile[32 * 32];
    for (int k = 0; k < 32; ++k) tile[k * 32 + threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float column = tile[threadIdx.x * 32];
    float4 row = reinterpret_cast<float4*>(tile)[threadIdx.x];
    z[threadIdx.x] = column + __shfl_down_sync(~0u, column, 8) + row.y;
}
ENTRY(column, column_kernel, 1, 32)

__global__ void long_kernel(const float* x, float* z, int n) {
    for (int k = 0; k < n; ++k) z[threadIdx.x] += x[k];
}
extern "C" void two_launches(const float* x, float* z, int n, cudaStream_t stream) {
    add_kernel<<<1, 64, 0, stream>>>(x, z, 1);
    add_kernel<<<2, 64, 0, stream>>>(x, z, n);
}
extern "C" void too_long(const float* x, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, 0, 128, stream);
    long_kernel<<<1, 32, 0, stream>>>(x, z, n);
}

__global__ void copy_kernel(const float* x, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i];
    __syncthreads();
    z[i + 8] = 1;
}
extern "C" void last_ones(const float* x, float* z, int n, cudaStream_t stream) {
    copy_kernel<<<2, 4, 0, stream>>>(x + n, z, n);
}

__global__ void product_kernel(const float* x, float* z, int n) {
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    double d0 = 0, d1 = 0;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
        "{%0, %1, %2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(__float_as_uint(x[threadIdx.x])));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
        : "+d"(d0), "+d"(d1) : "d"(double(c1)));
    z[threadIdx.x] = c0 + d0;
}
extern "C" void product(const float* x, float* z, int n, cudaStream_t stream) {
    add_kernel<<<1, 64, 0, stream>>>(x, z, 1);
    product_kernel<<<1, 32, 0, stream>>>(x, z, n);
}
"""


FIRST = BlockToRecord()


@pytest.fixture
def recorded(run_kernel):
    def run(name: str, n: int = 128, to_record: BlockToRecord | None = FIRST):
        prototype = f"void {name}(const float* x, float* z, int n, cudaStream_t stream)"
        x, z = np.arange(1, 20_001, dtype=np.float32), np.empty(4096, np.float32)
        _, case = run_kernel(SOURCE, prototype, x=x, z=z, n=n, to_record=to_record)
        return case, case.recording and from_json(case.recording, name, to_record, SOURCE)

    return run


def at(recording: Recording, text: str, kind: str):
    return [step for step in recording.accesses(recording.line_with(text)) if step.kind == kind]


def test_a_warp_loads_its_own_32_floats(recorded):
    _, recording = recorded("add")
    assert (recording.kernel, recording.grid, recording.threads) == ("add_kernel", (2, 1, 1), (64, 1, 1))
    loads = at(recording, "x[i] +", "load")
    assert [(step.warp, step.array.name) for step in loads] == [(0, "x"), (0, "x"), (1, "x"), (1, "x")]
    first, shifted = loads[2:]
    assert first.offsets == tuple(range(128, 256, 4)) and first.lanes == tuple(range(32)) and first.bytes == 4
    assert len(first.sectors) == 4 and first.space == "global"
    assert shifted.offsets[0] == 128 + 4 * 128


def test_another_block(recorded):
    _, recording = recorded("add", n=100, to_record=BlockToRecord(block=(1, 0, 0)))
    # Block 1 has the elements from 64: warp 0 up to 95, warp 1 the last four.
    stores = at(recording, "z[i] =", "store")
    assert [step.offsets[0] for step in stores] == [4 * 64, 4 * 96]
    assert stores[1].lanes == (0, 1, 2, 3) and len(stores[1].sectors) == 1


def test_lanes_that_part_and_meet(recorded):
    _, recording = recorded("branch")
    masks = {text: at(recording, text, "store") for text in ("= v * 2", "= v * v", "+ 32] = v")}
    assert [step.lanes for step in masks["= v * 2"]] == [tuple(range(0, 32, 4))]
    assert [step.lanes for step in masks["= v * v"]] == [tuple(lane for lane in range(32) if lane % 4)]
    assert [len(step.lanes) for step in masks["+ 32] = v"]] == [32]
    blocks = [len(step.lanes) for step in recording.steps if step.kind == "block"]
    assert {8, 24, 32} == set(blocks) and blocks[-1] == 32


def test_banks_barriers_and_shuffles(recorded):
    case, recording = recorded("column")
    (column,) = at(recording, "float column =", "load")
    assert column.wavefronts == 32 and column.words_by_bank(range(32)).keys() == {0}
    (row,) = at(recording, "float4 row =", "load")
    assert row.bytes == 16 and row.wavefronts == 4 and [len(lanes) for lanes in row.rounds] == [8] * 4
    kinds = [step.kind for step in recording.steps]
    assert kinds.count("barrier") == 1 and kinds.count("shuffle") == 1
    (shuffle,) = [step for step in recording.steps if step.kind == "shuffle"]
    assert shuffle.offsets == (*range(8, 32), *range(24, 32)) and shuffle.line == recording.line_with("__shfl")
    loads = [step for step in recording.accesses(space="shared") if step.kind == "load"]
    assert sum(step.wavefronts for step in loads) == case.counters["shared_load_wavefronts"] == 36


def test_the_accesses_that_waste_most_are_kept_without_a_recording(recorded):
    case, _ = recorded("column", to_record=None)
    (load,) = case.requests
    column = next(number for number, text in enumerate(SOURCE.split("\n"), start=1) if "float column" in text)
    assert (load["way"], load["line"], load["bytes"], load["mask"]) == ("shared_load", column, 4, 0xFFFFFFFF)
    assert load["places"] == [128 * lane for lane in range(32)] and load["array"]["name"].endswith("tile")
    neat, _ = recorded("add", to_record=None)
    assert neat.requests == []


def test_the_launch_that_was_asked_for(recorded):
    _, recording = recorded("two_launches", to_record=BlockToRecord(launch=1, block=(1, 0, 0)))
    assert recording.grid == (2, 1, 1) and len(at(recording, "z[i] =", "store")) == 2


@pytest.mark.slow
def test_no_more_than_fits(recorded):
    _, recording = recorded("too_long", n=20_000)
    numbers = sum(4 + len(step.offsets) for step in recording.steps)
    assert recording.cut and ROOM - 36 < numbers <= ROOM


def test_nothing_is_recorded_unless_asked_for_and_nothing_else_changes(recorded):
    quiet, nothing = recorded("column", to_record=None)
    asked, _ = recorded("column")
    assert nothing is None and quiet.recording is None
    assert quiet.counters == asked.counters and quiet.lines == asked.lines


def test_a_line_that_did_nothing(recorded):
    _, recording = recorded("add")
    with pytest.raises(UsageError, match="no line with `tile`"):
        recording.line_with("tile")


def test_all_blocks_of_a_launch(recorded):
    _, recording = recorded("add", n=100, to_record=BlockToRecord(block=None))
    assert recording.block is None
    stores = at(recording, "z[i] =", "store")
    assert [(step.block, step.warp, step.offsets[0] // 4) for step in stores] == [
        (0, 0, 0), (0, 1, 32), (1, 0, 64), (1, 1, 96),
    ]  # fmt: skip


def test_the_others_go_on_when_a_thread_leaves_its_array(recorded):
    # x has 20,000 elements, of which six are left: threads 2 and 3 of block 1 have none.
    case, recording = recorded("last_ones", n=20_000 - 6, to_record=BlockToRecord(block=None))
    (finding,) = [finding for finding in case.findings if finding.severity == "error"]
    assert finding.kind == "out_of_bounds" and finding.thread == (2, 0, 0)
    bad = [step for step in recording.steps if step.kind.startswith("bad")]
    assert [(s.kind, s.block, s.lanes, s.touched.name, s.offsets) for s in bad] == [
        ("bad load", 1, (2,), "x", (4 * 20_000,)),
        ("bad load", 1, (3,), "x", (4 * 20_001,)),
    ]
    assert [(s.block, s.lanes) for s in at(recording, "z[i] = x[i];", "store")] == [(0, (0, 1, 2, 3)), (1, (0, 1))]
    assert [(s.block, s.lanes) for s in at(recording, "= 1;", "store")] == [(0, (0, 1, 2, 3)), (1, (0, 1))]
    assert [step.block for step in recording.steps if step.kind == "barrier"] == [0, 1]


def test_a_product_of_a_kernel_that_is_named(recorded):
    _, recording = recorded("product", to_record=BlockToRecord(kernel="product_kernel"))
    products = [step for step in recording.steps if step.kind == "product"]
    assert recording.kernel == "product_kernel"
    assert [(len(step.lanes), step.offsets) for step in products] == [(32, (1, 1, 1, 8, 1)), (32, ())]
