"""Times of nothing and results that never came back, in host code: told where that is certain, and nowhere else."""

from __future__ import annotations

import pytest

from grader.devices.build.host_order import slips

PROGRAM = """__global__ void k(float* x, int n) {{ x[threadIdx.x] = n; {kernel} }}
int main() {{
    const int n = 64;
    float h[64] = {{}}, *d, ms; cudaEvent_t a, b;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    {host}
}}
"""
LAUNCH, SHOW, BACK = "k<<<1, n>>>(d, n);", 'printf("%f", h[3]);', "cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);"
NOW = "std::chrono::high_resolution_clock::now()"
ROWS = [
    (f"{LAUNCH} cudaDeviceSynchronize(); {SHOW}", "`h` holds what it held before the launch"),
    (f"{LAUNCH} for (int i = 0; i < n; ++i) std::cout << h[i] << ' '; free(h);", "`h` holds what it held"),
    (f"{LAUNCH} {BACK} {SHOW}", ""),
    (f"{LAUNCH} h[3] = 1; {SHOW}", ""),
    (f"{LAUNCH} fill(h); {SHOW}", ""),
    (f"{SHOW} {LAUNCH}", ""),
    (f"{LAUNCH} {SHOW} cudaMemcpyFromSymbol(h, s, 4);", ""),
    (f"std::vector<float> r(n); {LAUNCH} {BACK} printf(\"%f\", r[0]);", "nothing has written `r`"),
    (f"float* r = new float[n]; {LAUNCH} {BACK} printf(\"%f\", r[0]); delete[] r;", "nothing has written `r`"),
    (f"std::vector<float> r(n); {LAUNCH} copy(r, d, DeviceToHost); printf(\"%f\", r[0]);", ""),
    (f"float r[4]; {LAUNCH} {BACK} if (fabs(r[0] - h[0]) > 1e-5) return 1;", "nothing has written `r`"),
    (f"float* r = (float*)malloc(n); if (!r) return 1; {LAUNCH} assert(r[0] == h[0]);", "nothing has written `r`"),
    (f"std::vector<float> r(n); {LAUNCH} {BACK} if (r[0] != h[0]) return 1;", ""),
    (f"float* r = (float*)calloc(n, 4); {LAUNCH} {BACK} if (r[0] != h[0]) return 1;", ""),
    (f"float *e = 0, *r = new float[n]; {LAUNCH} {BACK} if (r[0] != h[0]) return 1;", "nothing has written `r`"),
    (f"float r[4]; if (get(r)) return 1; {LAUNCH} {BACK} if (r[0] > h[0]) return 1;", ""),
    (f"{LAUNCH} if (h[3] != 64) return 1;", ""),
    (f"float r[4]; {LAUNCH} r[0] = h[0]; if (r[0] > 1) return 1;", ""),
    (f"float r[4]; {LAUNCH} for (auto& e : r) e = 1; if (r[0] > 1) return 1;", ""),
    (f"float r[4] = {{1}}; {LAUNCH} {BACK} printf(\"%f\", r[0]);", ""),
    (f"float r[4]; get(r); {LAUNCH} {BACK} printf(\"%f\", r[0]);", ""),
    (f"cudaEventRecord(a); cudaEventRecord(b); {LAUNCH} cudaEventElapsedTime(&ms, a, b);", "`a` and `b`, so the time"),
    (f"cudaEventRecord(a); {LAUNCH} cudaEventRecord(b); cudaEventElapsedTime(&ms, a, b);", ""),
    (f"cudaEventRecord(a); run(d); cudaEventRecord(b); {LAUNCH} cudaEventElapsedTime(&ms, a, b);", ""),
    ("cudaEventRecord(a); cudaEventRecord(b); cudaEventElapsedTime(&ms, a, b);", ""),
    (f"auto s = {NOW}; {LAUNCH} auto e = {NOW}; cudaDeviceSynchronize();", "the clock is read before"),
    (f"auto s = {NOW}; {LAUNCH} CHECK(cudaGetLastError()); auto e = {NOW};", "the clock is read before"),
    (f"clock_t s = clock(); for (int i = 0; i < 9; ++i) {{ {LAUNCH} }} clock_t e = clock();", "the clock is read"),
    (f"gettimeofday(&s, 0); {LAUNCH} gettimeofday(&e, 0);", "the clock is read before"),
    (f"auto s = {NOW}; {LAUNCH} cudaDeviceSynchronize(); auto e = {NOW};", ""),
    (f"auto s = {NOW}; {LAUNCH} {BACK} auto e = {NOW};", ""),
    (f"{LAUNCH} auto e = {NOW};", ""),
    (f'auto s = {NOW}; {LAUNCH} auto e = {NOW}; printf("launch overhead");', ""),
]  # fmt: skip


@pytest.mark.parametrize(("host", "told"), ROWS)
def test_host_code_measures_and_shows_what_is_done(host, told):
    text = PROGRAM.format(host=host, kernel="")
    found = [said for _, said in slips(text, [text])]
    assert [told in said for said in found] == [True] * bool(told)


def test_what_a_kernel_prints_came_to_the_host():
    text = PROGRAM.format(host=f"{LAUNCH} {SHOW}", kernel='printf("%f", x[0]);')
    assert not list(slips(text, [text]))
