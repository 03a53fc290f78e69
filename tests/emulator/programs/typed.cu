// cuBLAS by types, cublasLt, pools, and thrust's small names; last, a product whose output is too small.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <thrust/advance.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/distance.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/version.h>
#include <cub/version.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { if (auto error = call) { printf("line %d: %d\n", __LINE__, (int)error); exit(1); } } while (0)

template <class T> T* device(const std::vector<T>& values) {
    T* to = nullptr;
    CHECK(cudaMalloc(&to, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

void typed() {
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    float *x = device<float>({3, 4, 0, 0}), *y = device<float>({1, 2, 3, 4}), dot, norm, two = 2;
    CHECK(cublasDotEx(handle, 4, x, CUDA_R_32F, 1, y, CUDA_R_32F, 1, &dot, CUDA_R_32F, CUDA_R_32F));
    CHECK(cublasNrm2Ex(handle, 4, x, CUDA_R_32F, 1, &norm, CUDA_R_32F, CUDA_R_32F));
    CHECK(cublasScalEx(handle, 2, &two, CUDA_R_32F, x, CUDA_R_32F, 1, CUDA_R_32F));
    CHECK(cublasAxpyEx(handle, 4, &two, CUDA_R_32F, x, CUDA_R_32F, 1, y, CUDA_R_32F, 1, CUDA_R_32F));
    float after[4];
    CHECK(cudaMemcpy(after, y, sizeof(after), cudaMemcpyDeviceToHost));
    __half* halves = device<__half>({__float2half(1.0f), __float2half(2.0f)});
    __half of_halves;
    CHECK(cublasDotEx(handle, 2, halves, CUDA_R_16F, 1, halves, CUDA_R_16F, 1, &of_halves, CUDA_R_16F, CUDA_R_32F));
    const int mixed = cublasDotEx(handle, 2, halves, CUDA_R_16F, 1, x, CUDA_R_32F, 1, &dot, CUDA_R_32F, CUDA_R_32F);
    printf("%g %g; %g %g %g; %g %d\n", dot, norm, after[0], after[1], after[3], __half2float(of_halves), mixed);
    CHECK(cublasDestroy(handle));
    cudaFree(x), cudaFree(y), cudaFree(halves);
}

// d = relu(a^T b + bias), with a 3 x 2, b 3 x 2 by columns, and d by rows.
void product(int rows_of_d) {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t of_a, of_b, of_d;
    cublasLtMatmulPreference_t preference;
    CHECK(cublasLtCreate(&handle));
    CHECK(cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t turned = CUBLAS_OP_T;
    const cublasLtEpilogue_t relu = CUBLASLT_EPILOGUE_RELU_BIAS;
    float *a = device<float>({1, 2, 3, 4, 5, 6}), *b = device<float>({1, 0, 1, -1, 0, 0}), *bias = device<float>({0, 10}), *d;
    CHECK(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof(turned)));
    CHECK(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &relu, sizeof(relu)));
    CHECK(cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)));
    CHECK(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, 3, 2, 3));
    CHECK(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, 3, 2, 3));
    CHECK(cublasLtMatrixLayoutCreate(&of_d, CUDA_R_32F, 2, 2, 2));
    const cublasLtOrder_t by_rows = CUBLASLT_ORDER_ROW;
    CHECK(cublasLtMatrixLayoutSetAttribute(of_d, CUBLASLT_MATRIX_LAYOUT_ORDER, &by_rows, sizeof(by_rows)));
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    const size_t workspace = 0;
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)));
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, how, of_a, of_b, of_d, of_d, preference, 1, &result, &found));
    CHECK(cudaMalloc(&d, rows_of_d * 2 * sizeof(float)));
    const float one = 1, zero = 0;
    const int status = cublasLtMatmul(handle, how, &one, a, of_a, b, of_b, &zero, d, of_d, d, of_d, &result.algo, nullptr, 0, 0);
    float left[4] = {};
    CHECK(cudaMemcpy(left, d, rows_of_d * 2 * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%d %d: %g %g %g %g\n", found, status, left[0], left[1], left[2], left[3]);
    cublasLtMatmulPreferenceDestroy(preference), cublasLtMatmulDescDestroy(how);
    cublasLtMatrixLayoutDestroy(of_a), cublasLtMatrixLayoutDestroy(of_b), cublasLtMatrixLayoutDestroy(of_d), cublasLtDestroy(handle);
    cudaFree(a), cudaFree(b), cudaFree(bias), cudaFree(d);
}

void pools() {
    cudaMemPoolProps of = {};
    of.allocType = cudaMemAllocationTypePinned;
    of.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool;
    CHECK(cudaMemPoolCreate(&pool, &of));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *p, back = 0;
    CHECK(cudaMallocAsync(&p, 40, pool, stream));
    CHECK(cudaMemsetAsync(p, 0, 40, stream));
    CHECK(cudaMemcpyAsync(&back, p + 9, 4, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(p, stream));
    CHECK(cudaStreamSynchronize(stream));
    cudaMemAccessFlags may;
    cudaMemLocation here = of.location;
    CHECK(cudaMemPoolGetAccess(&may, pool, &here));
    printf("%d %d\n", back, may);
    cudaStreamDestroy(stream), cudaMemPoolDestroy(pool);
}

int main() {
    typed();
    product(2);
    pools();
    thrust::device_vector<int> x(7);
    auto it = x.begin();
    thrust::advance(it, 3);
    const auto from = thrust::make_counting_iterator(2);
    const thrust::device_ptr<void> bytes = thrust::device_malloc(64);
    printf("%d %d %d %d %d\n", (int)thrust::distance(x.begin(), x.end()), (int)thrust::distance(it, x.end()),
           (int)thrust::distance(from, from + 5), (int)(thrust::prev(thrust::next(it, 2)) - x.begin()), THRUST_VERSION == CUB_VERSION);
    thrust::device_free(bytes);
    product(1);
}
