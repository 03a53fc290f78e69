// cuRAND's sequences, cuBLAS, the names of NVIDIA's samples, the driver API, shells of other libraries.
#include <cublas_v2.h>
#include <cublasLt.h>
#include <cudnn.h>
#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cusolverDn.h>
#include <cusparse_v2.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

static_assert(CUSPARSE_SPGEMM_DEFAULT == 0 && sizeof(cusparseSpGEMMDescr_t) == sizeof(void*));

__global__ void xorwow(unsigned* out, curandState* states) {
    int i = threadIdx.x;
    curand_init(1234, i, 0, &states[i]);
    curandState a, b;
    curand_init(99, 3, 1000 + i, &a);   // an offset is as many steps
    curand_init(99, 3, 1000, &b);
    for (int k = 0; k < i; ++k) curand(&b);
    out[i] = curand(&a) == curand(&b);
    skipahead_sequence(5, &a);
    curand_init(99, 8, 1001 + i, &b);
    out[32 + i] = curand(&a) == curand(&b);
}
__global__ void philox(unsigned* out, float* sums) {
    curandStatePhilox4_32_10_t s, t;
    curand_init(0, 0, 0, &s);
    for (int k = 0; k < 4; ++k) out[k] = curand(&s);
    curand_init(7, 9, 6, &s);
    curand_init(7, 9, 0, &t);
    uint4 a = curand4(&t), b = curand4(&t), c = curand4(&t), d = curand4(&s);
    out[4] = a.x && d.x == b.z && d.y == b.w && d.z == c.x && d.w == c.y;
    for (int k = 0; k < 1000; ++k) {
        float4 normal = curand_normal4(&s);
        sums[0] += normal.x + normal.y + normal.z + normal.w;
        sums[1] += normal.x * normal.x + normal.w * normal.w;
        sums[2] += curand_uniform(&s);
    }
}

__global__ void vectors(float* out, int4 whole) {
    float3 a = make_float3(1, 2, 3), b = 2 * make_float3(make_float2(1), 0.5f) - 1;   // b is 1, 1, 0
    a += b / make_float3(2.0f);
    const float3 parts[] = {cross(a, b), lerp(a, b, 0.5f), clamp(a, 2, 3), -normalize(make_float3(0, 0, 4)), reflect(b, make_float3(1, 0, 0))};
    for (float3 each : parts) out[0] += dot(each, make_float3(1, 10, 100));
    out[1] = length(make_float2(3, 4)) + fmaxf(make_float4(whole), make_float4(2.5f)).y;
}

// What the driver API says of the device, and a kernel on its memory: the line that it prints.
void driver() {
    CUdevice device;
    CUcontext context, now;
    CUdeviceptr memory;
    char name[64];
    const char* words;
    int count, major, absent;
    float got[2];
    bool right = !cuInit(0) && !cuDeviceGetCount(&count) && !cuDeviceGet(&device, 0) && !cuDeviceGetName(name, sizeof name, device);
    right = right && !cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) && !cuCtxCreate(&context, 0, device);
    right = right && !cuDeviceGetAttribute(&absent, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) && absent == 0;
    right = right && !cuCtxGetCurrent(&now) && now == context && !cuMemAlloc(&memory, sizeof got) && !cuMemsetD8(memory, 0, sizeof got);
    vectors<<<1, 1>>>(reinterpret_cast<float*>(memory), make_int4(1, 2, 3, 4));
    right = right && !cuMemcpyDtoH(got, memory, sizeof got) && !cuMemFree(memory) && !cuCtxDestroy(context);
    cuGetErrorName(cuDeviceGet(&device, count), &words);
    printf("%d %s %d %d; %g %g; %s\n", right, name, count, major, got[0], got[1], words);
}

int main(int argc, char** argv) {
    findCudaDevice(argc, (const char**)argv);
    nvtxRangePushA("numbers");
    nvtxNameCudaStreamA(nullptr, "the default one");
    nvtxNameCudaDevice(0, "the first");
    cudaProfilerStart();
    StopWatchInterface* watch;
    sdkCreateTimer(&watch);
    unsigned* out;
    float* sums;
    curandState* states;
    checkCudaErrors(cudaMallocManaged(&out, 64 * sizeof(unsigned)));
    checkCudaErrors(cudaMallocManaged(&sums, 10 * sizeof(float)));
    checkCudaErrors(cudaMalloc(&states, 32 * sizeof(curandState)));
    xorwow<<<1, 32>>>(out, states);
    getLastCudaError("xorwow");
    cudaDeviceSynchronize();
    int same = 0;
    for (int i = 0; i < 64; ++i) same += out[i];
    philox<<<1, 1>>>(out, sums);
    cudaDeviceSynchronize();
    printf("%d; %x %x %x %x; %d; %d %d %d\n", same, out[0], out[1], out[2], out[3], out[4], fabs(sums[0] / 4000) < 0.05,
           fabs(sums[1] / 2000 - 1) < 0.1, fabs(sums[2] / 1000 - 0.5) < 0.05);
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, 1234ull);
    curandGenerateUniform(generator, sums, 10);
    cudaDeviceSynchronize();
    for (int i = 0; i < 10; ++i) printf("%.4f ", sums[i]);
    puts("");

    const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 1, 1, 1};   // 2 x 3 and 3 x 2, by columns
    float c[4] = {1, 1, 1, 1}, alpha = 2, beta = 3, dot;
    float *da, *db, *dc;
    int largest;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dc, sizeof c);
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetMatrix(2, 3, sizeof(float), a, 2, da, 2);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice);
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &alpha, da, 2, db, 3, &beta, dc, 2);
    cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
    cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_T, 2, 2, 3, &alpha, db, 3, da, 2, &beta, dc, 2);
    cublasSdot(blas, 6, da, 1, db, 1, &dot);
    cublasIsamax(blas, 6, da, 1, &largest);
    cublasSgemv(blas, CUBLAS_OP_T, 2, 3, &alpha, da, 2, dc, 1, &beta, db, 1);
    cublasSaxpy(blas, 2, &alpha, da, 2, dc, 1);
    cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g %g %d\n", c[0], c[1], c[2], c[3], dot, largest);
    cublasStatus_t status = cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &alpha, da, 2, db, 3, &beta, dc + 1, 2);   // past the end
    printf("%d\n", status == CUBLAS_STATUS_EXECUTION_FAILED);
    driver();
    cufftHandle plan;
    cufftXtSetGPUs(plan, 1, nullptr);   // refused
    printf("not reached\n");
    return 0;
}
