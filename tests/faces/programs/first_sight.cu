// What programs that the emulator had not met do right, and their mistakes, by the first argument.
#include <cstdio>
#include <cstring>
#include <mma.h>

using namespace nvcuda;

// The last warps of a block add up less than 32 sums: lanes from the distance on take what no lane needs.
__global__ void tree_of_eight(const float* x, float* y) {
    const unsigned first = __ballot_sync(0xffffffff, threadIdx.x < 8);
    if (threadIdx.x < 8) {
        float sum = x[threadIdx.x];
        for (int by = 4; by > 0; by /= 2) sum += __shfl_down_sync(first, sum, by);
        if (threadIdx.x == 0) *y = sum;
    }
}

// The last of n lanes has no neighbour, and puts its own value in the place of it.
__global__ void differences(const float* x, float* y, int n) {
    const unsigned some = __ballot_sync(0xffffffff, threadIdx.x < n);
    if (threadIdx.x < n) {
        float next = __shfl_down_sync(some, x[threadIdx.x], 1);
        if (threadIdx.x == n - 1) next = 0;
        y[threadIdx.x] = next - x[threadIdx.x];
    }
}

// Four lanes of each eight.
__global__ void fours(const float* x, float* y) {
    const int lane = threadIdx.x % 8;
    float sum = x[threadIdx.x];
    if (lane < 4) {
        for (int by = 2; by > 0; by /= 2) sum += __shfl_down_sync(0x0f0f0f0f, sum, by, 8);
        if (lane == 0) y[threadIdx.x / 8] = sum;
    }
}

// Each limb's carry goes from one statement to the next.
__global__ void wide_sum(const unsigned* a, unsigned* sum) {
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum[0]) : "r"(a[0]), "r"(1));
    for (int i = 1; i < 3; ++i) asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum[i]) : "r"(a[i]), "r"(0));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum[3]) : "r"(a[3]), "r"(0));
}

__global__ void tree_of_twenty(const float* x, float* y) {
    if (threadIdx.x >= 20) return;
    float sum = x[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffff, sum, by);  // from lanes that are not there
    if (threadIdx.x == 0) *y = sum;
}

// A barrier is missing behind each phase: the thread that clears `any` may leave before another sets it, and then none does.
__global__ void odd_even(int* x, int n) {
    __shared__ int any;
    do {
        __syncthreads();
        if (threadIdx.x == 0) any = 0;
        __syncthreads();
        for (int phase = 0; phase < 2; ++phase)
            for (int i = 2 * threadIdx.x + phase; i + 1 < n; i += 2 * blockDim.x)
                if (x[i] > x[i + 1]) {
                    const int kept = x[i];
                    x[i] = x[i + 1], x[i + 1] = kept, any = 1;
                }
    } while (any);  // is read while others set it
}

// A queue that is full gets its count back by a plain store.
__global__ void queue(float* y) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const int at = atomicAdd(&count, 1);
    if (at >= 4) count = 4;  // while others add
    __syncthreads();
    if (threadIdx.x == 0) *y = count;
}

// In place: a thread reads what its neighbour writes, in this block or in the next one.
__global__ void in_place(float* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float right = x[i + 1];
    x[i] = right;  // may be read before or after
}

// All threads of a block go one way: the barrier is in no branch.
__global__ void by_block(float* x) {
    __shared__ float first;
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 0;
    } else {
        for (int round = 0; round < 2; ++round) {
            if (threadIdx.x == 0) first = round;
            __syncthreads();
            x[threadIdx.x + 64] = first;  // and the next round sets it
        }
    }
}

// Eight warps, and four rows: what lies behind them is another kernel's.
__global__ void with_a_flag(float* x) {
    __shared__ bool last;
    if (threadIdx.x == 0) last = x[0] > 0;
    __syncthreads();
    if (last) x[threadIdx.x] = 1;
}
__global__ void row_a_warp(float* x) {
    __shared__ unsigned rows[4][256];
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x) rows[i / 256][i % 256] = 0;
    __syncthreads();
    unsigned* const mine = rows[threadIdx.x / 32];
    atomicAdd(&mine[threadIdx.x % 256], 1u);  // of eight
    __syncthreads();
    x[threadIdx.x] = rows[0][threadIdx.x];
}

__global__ void product(const half* a, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(sum, left, right, sum);  // what is in it?
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main(int argc, char** argv) {
    const char* const which = argc > 1 ? argv[1] : "right";
    float numbers[256] = {}, *x, *y;
    int mixed[193], *z;
    for (int i = 0; i < 193; ++i) mixed[i] = i * i * 31 % 1000;
    cudaMalloc(&x, sizeof numbers);
    cudaMalloc(&y, sizeof numbers);
    cudaMalloc(&z, sizeof mixed);
    for (int i = 0; i < 32; ++i) numbers[i] = i;
    cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemcpy(z, mixed, sizeof mixed, cudaMemcpyHostToDevice);
    if (!strcmp(which, "right")) {
        tree_of_eight<<<1, 32>>>(x, y);
        differences<<<1, 32>>>(x, y + 1, 20);
        fours<<<1, 32>>>(x, y + 21);
        cudaMemcpy(numbers, y, 25 * sizeof(float), cudaMemcpyDeviceToHost);
        printf("%g %g %g %g\n", numbers[0], numbers[1], numbers[20], numbers[22]);
        unsigned limbs[4] = {~0u, ~0u, 7, 0}, *wide = reinterpret_cast<unsigned*>(y);
        cudaMemcpy(wide, limbs, sizeof limbs, cudaMemcpyHostToDevice);
        wide_sum<<<1, 1>>>(wide, wide + 4);
        cudaMemcpy(limbs, wide + 4, sizeof limbs, cudaMemcpyDeviceToHost);
        printf("sum %u %u %u %u\n", limbs[0], limbs[1], limbs[2], limbs[3]);
        cudaMemset2DAsync(wide, 16, 1, 4, 2, 0);
        cudaMemcpy(limbs, wide + 4, sizeof limbs, cudaMemcpyDeviceToHost);
        printf("set %x %u\n", limbs[0], limbs[1]);
        void** nowhere = nullptr;
        printf("%s\n", cudaGetErrorName(cudaMalloc(nowhere, 4)));
        cudaGetLastError();
    }
    if (!strcmp(which, "tree")) tree_of_twenty<<<1, 32>>>(x, y);
    if (!strcmp(which, "endless")) odd_even<<<1, 64>>>(z, 193);
    if (!strcmp(which, "plain")) queue<<<1, 64>>>(y);
    if (!strcmp(which, "in_place")) in_place<<<2, 64>>>(x);
    if (!strcmp(which, "by_block")) by_block<<<2, 64>>>(x);
    if (!strcmp(which, "rows")) with_a_flag<<<1, 32>>>(x), row_a_warp<<<1, 256>>>(x);
    if (!strcmp(which, "unset")) product<<<1, 32>>>(reinterpret_cast<const half*>(x), y);
    cudaDeviceSynchronize();
    cudaFree(x), cudaFree(y), cudaFree(z);
}
