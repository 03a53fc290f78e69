// Right programs' ways that are seldom: nothing of them may be told.
#include <cstdio>
#include <nv/target>

#define CONFIG <<<2, 32>>>
#define KERNEL_ARGS2(grid, block) <<<grid, block>>>

__constant__ const float table[4] = {1, 2, 3, 4};

__host__ __device__ int side() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__host__ __device__ int first() {
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (return 120;), NV_PROVIDES_SM_60, (return 60;), NV_IS_HOST, (return 0;))
}
__host__ __device__ constexpr int constant() { NV_IF_TARGET(NV_IS_HOST, (return 3;), (return 4;)) }

__global__ void sides(int* out) {
    out[0] = side(), out[1] = first();
    NV_IF_TARGET(NV_IS_DEVICE, (int one = 5, two = 6; out[2] = one + two;))
}

__global__ void fill(float* out, int shift) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[(i + shift) % 4];
}

int main() {
    int* places;
    float* out;
    cudaMallocManaged(&places, 3 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(float));
    sides<<<1, 1>>>(places);
    cudaDeviceSynchronize();
    printf("%d %d %d, %d %d %d\n", places[0], places[1], places[2], side(), first(), constant());

    const float others[4] = {5, 6, 7, 8};
    cudaMemcpyToSymbol(table, others, sizeof others);
    fill CONFIG (out, 0);
    fill KERNEL_ARGS2(dim3(2), dim3(32)) (out, 1);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[63]);

    char* much = nullptr;
    size_t bytes = size_t(1) << 40;
    while (cudaMalloc(&much, bytes) != cudaSuccess && bytes > 1) cudaGetLastError(), bytes /= 2;
    cudaMemset(much, 0, 1);
    printf("%zu\n", bytes >> 30);
    cudaFree(much);

    cudaStream_t quiet, urgent;
    unsigned flags, others_flags;
    int priority, others_priority;
    cudaStreamCreateWithFlags(&quiet, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, -100);
    cudaStreamGetFlags(quiet, &flags), cudaStreamGetPriority(quiet, &priority);
    cudaStreamGetFlags(urgent, &others_flags), cudaStreamGetPriority(urgent, &others_priority);
    printf("%d %d, %d %d\n", flags == cudaStreamNonBlocking, priority, others_flags == cudaStreamDefault, others_priority);
    cudaStreamDestroy(quiet), cudaStreamDestroy(urgent);

    const char* name;
    size_t room;
    cudaFuncGetName(&name, (const void*)fill);
    cudaOccupancyAvailableDynamicSMemPerBlock(&room, fill, 2, 128);
    printf("%s %zu\n", name, room >> 10);
    cudaFree(places), cudaFree(out);
}
