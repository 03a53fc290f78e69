// Functions of cuBLAS whose results are worked out by hand: tests/faces/test_run_libraries.py.
#include <cublas_v2.h>

#include <cstdio>
#include <vector>

template <class T>
T* up(const std::vector<T>& values) {
    T* to;
    cudaMalloc(&to, values.size() * sizeof(T));
    cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}
template <class T>
void show(const char* what, const T* from, int n) {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s:", what);
    for (T each : values) printf(" %g", double(each));
    puts("");
}

int main() {
    cublasHandle_t h;
    cublasCreate(&h);
    float *x = up<float>({3, -1, 4, 1, -5}), *y = up<float>({2, 7, 1, 8, 2});
    int at = 0;
    cublasIsamin(h, 5, x, 1, &at);
    printf("amin: %d\n", at);
    cublasIsamax(h, 5, x, 1, &at);
    printf("amax: %d\n", at);
    cublasSswap(h, 2, x, 2, y, 1);
    show("swap", x, 5), show("swap", y, 5);
    const float c = 0.6f, s = 0.8f, one = 1, zero = 0;
    cublasSrot(h, 5, x, 1, y, 1, &c, &s);
    show("rot", x, 5), show("rot", y, 5);

    double *a = up<double>({1, 2, 3, 4, 5, 6}), *u = up<double>({1, 2}), *v = up<double>({1, 0, -1}), two = 2;
    cublasDger(h, 2, 3, &two, u, 1, v, 1, a, 2);
    show("ger", a, 6);
    printf("ger: %d\n", cublasDger(h, 2, 3, &two, u, 1, v, 1, a, 1));   // columns closer than they are long

    const auto f32 = CUDA_R_32F;
    const auto sums = CUBLAS_COMPUTE_32F;
    const auto any = CUBLAS_GEMM_DEFAULT;
    float *p = up<float>({1, 2, 3, 4, 5, 6, 7, 8}), *q = up<float>(std::vector<float>(8, 9));
    cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, p, f32, 2, 4, p, f32, 2, 4, &zero, q, f32, 2, 4, 2, sums, any);
    show("strided", q, 8);
    void **ps = up<void*>({p, p + 4}), **qs = up<void*>({q + 4, q});
    cublasGemmBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, ps, f32, 2, ps, f32, 2, &zero, qs, f32, 2, 2, sums, any);
    show("batched", q, 8);
    cublasSgemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, p, f32, 2, p, f32, 2, &one, q, f32, 2);
    show("gemm", q, 4);
    cublasDestroy(h);
}
