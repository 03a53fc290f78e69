"""`ladder run`: NULL is a number and a pointer, as to nvcc, and no event."""

from __future__ import annotations

from tests.warm import run_ladder

NUMBER = """
__global__ void k(float* p, const int* q, int n, cudaStream_t s) {
    int b[2] = {1, 2};
    printf("%d %d\\n", p == NULL && q == NULL && n == 0, b[NULL]);
}
template <class T> __global__ void t(T* p, T* q) { if (q == NULL) p[0] += 1; }
int find(int n) { if (n == NULL) return NULL; return n; }
int main() {
    float *x = NULL, y = 0;
    cudaStream_t s = NULL;
    k<<<1, 1, NULL, NULL>>>(NULL, NULL, NULL, NULL);
    cudaMalloc(&x, 4);
    cudaMemsetAsync(x, 0, 4, NULL);
    t<float><<<1, 1, NULL, s>>>(x, NULL);
    float* none = NULL;
    void* args[] = {&x, &none};
    cudaLaunchKernel((const void*)t<float>, dim3(1), dim3(1), args, NULL, NULL);
    cudaMemcpy(&y, x, 4, cudaMemcpyDefault);
    printf("%g %d\\n", y, find(3) + find(NULL));
    cudaFree(x);
    cudaFree(NULL);
}
"""
EVENTS = """
int main() {
    cudaEvent_t a = NULL, b = nullptr;
    float ms;
    int said[] = {cudaEventRecord(a), cudaEventSynchronize(b), cudaEventQuery(a), cudaStreamWaitEvent(0, b),
                  cudaEventElapsedTime(&ms, a, b), cudaEventDestroy(a)};
    for (int each : said) printf("%d ", each);
}
"""


def run(folder, text: str) -> str:
    (folder / "null.cu").write_text("#include <cstdio>\n" + text)
    done = run_ladder(folder, "run", "null.cu")
    return " ".join((done.stdout + done.stderr).split())


def test_null_is_a_number_and_a_pointer(tmp_path):
    said = run(tmp_path, NUMBER)
    assert said.startswith("1 1 2 3 ") and "no findings in 2 kernels" in said, said


def test_an_event_that_was_not_made_is_no_event(tmp_path):
    assert run(tmp_path, EVENTS).startswith("400 " * 6)


WRITES = """
__global__ void k(int* x) { x[0] = 1; }
int main() {
    k<<<1, 1>>>(nullptr);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""


def test_a_write_through_a_null_pointer_that_the_compiler_knows_is_told(tmp_path):
    """g++ took a kernel that only writes there for one that does nothing, where its launch says `nullptr`."""
    (tmp_path / "writes.cu").write_text(WRITES)
    ran = run_ladder(tmp_path, "run", "writes.cu")
    assert ran.returncode == 1 and ran.stdout == "cudaErrorIllegalAddress"
    assert "writes address 0x0, which is no device memory: a null pointer" in ran.stderr
