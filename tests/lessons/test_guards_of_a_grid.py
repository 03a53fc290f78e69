"""One warp at the end of a grid that divides at its guard costs no star of lesson 02."""

import pytest

from grader.grade import grade

KERNEL = """
__global__ void polar_kernel(const float* phi, float* xy, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2* out = reinterpret_cast<float2*>(xy);
    if (i < n / 2) {
        const float2 two = reinterpret_cast<const float2*>(phi)[i];
        float4 v;
        __sincosf(two.x, &v.y, &v.x);
        __sincosf(two.y, &v.w, &v.z);
        reinterpret_cast<float4*>(xy)[i] = v;
    } else if (i == n / 2 && n % 2) {
        __sincosf(phi[n - 1], &out[n - 1].y, &out[n - 1].x);
    }
}
extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    polar_kernel<<<(n / 2 + 128) / 128, 128, 0, stream>>>(phi, xy, n);
}
"""


@pytest.mark.slow
def test_the_last_warp_may_divide(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL)
    found = grade("02", file, device="emulator", seed=3)
    assert (found.status, found.stars) == ("passed", 3)
    assert 0 < found.tasks[0].counters["divergent_branches"] < 10
