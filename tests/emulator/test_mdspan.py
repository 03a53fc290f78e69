"""cuda::std::mdspan in kernels: its layouts against numpy's, and what is seen through it."""

from __future__ import annotations

import numpy as np
import pytest

SOURCE = """
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/mdspan>
namespace cs = cuda::std;
using Matrix = cs::mdspan<const float, cs::dextents<int, 2>>;
using Turned = cs::mdspan<float, cs::extents<int, cs::dynamic_extent, 32>, cs::layout_left>;

__global__ void copy_kernel(Matrix x, Turned z) {
    int i = blockIdx.x, j = threadIdx.x;
    if (i < x.extent(0) && j < x.extent(1)) z(i, j) = 2 * x(i, j);
}
extern "C" void copy(const float* x, float* z, int n, cudaStream_t stream) {
    copy_kernel<<<n, 32, 0, stream>>>(Matrix(x, n, 32), Turned{z, n});
}
extern "C" void beyond(const float* x, float* z, int n, cudaStream_t stream) {
    copy_kernel<<<n + 1, 32, 0, stream>>>(Matrix(x, n + 1, 32), Turned{z, n});
}
__global__ void others_kernel(float* x, float* z) {
    using Any = cs::dextents<int, 2>;
    cs::layout_stride::mapping<Any> every_other(Any(2, 3), cs::array<int, 2>{8, 2});
    cs::mdspan<float, Any, cs::layout_stride> a(x, every_other);
    a(1, 2) = 7;
    cs::mdspan b(x, 4, 5, 6);
    cs::mdspan<const float, Any, cs::layout_stride> c = a;
    z[0] = b.size() + b.stride(0) * 1000 + b.stride(2) * 100000;
    z[1] = c(1, 2) + every_other.required_span_size() * 100;
    z[2] = &b(1, 2, 3) - x;
    z[3] = b.rank() + b.rank_dynamic() * 10 + decltype(b)::static_extent(0) % 2 * 100;
    z[4] = cs::extents<int, 4, cs::dynamic_extent>(9) == Any(4, 9);
    z[5] = cs::mdspan(x, 13)[12] == 7 && &b[cs::array<int, 3>{1, 0, 1}] == x + 31;
    z[6] = cs::chrono::duration_cast<cs::chrono::microseconds>(cs::chrono::milliseconds(3)).count();
}
extern "C" void others(float* x, float* z, cudaStream_t stream) { others_kernel<<<1, 1, 0, stream>>>(x, z); }
"""


@pytest.mark.slow
def test_layouts_lie_as_in_numpy(call):
    x = np.arange(5 * 32, dtype=np.float32).reshape(5, 32)
    assert (call("copy", x=x, z=np.zeros((32, 5), np.float32), n=5)["z"] == 2 * x.T).all()


def test_an_index_past_the_memory_is_found_at_its_line(call):
    x = np.zeros((5, 32), np.float32)
    result = call("beyond", errors=True, x=x, z=np.zeros((32, 5), np.float32), n=5)
    (finding,) = [each for each in result.run.findings if each.severity == "error"]
    assert (
        "reads x[160], past its end" in finding.message
        and "z(i, j) = 2 * x(i, j)" in SOURCE.split("\n")[finding.line - 1]
    )


def test_strides_sizes_and_extents(call):
    z = call("others", x=np.arange(120, dtype=np.float32), z=np.zeros(7, np.float32))["z"]
    assert z.tolist() == [130120, 1307, 45, 133, 1, 1, 3000]
