// Says: row_sum(rows=130, cols=1) (1 of 15 cases fails)
// Task: row_sum
#include <cstdint>
__global__ void sum_rows(const float* x, float* out, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* start = x + row * cols;
    unsigned before = -reinterpret_cast<std::uintptr_t>(start) / sizeof(float) % 4;
    int count = (cols - before) / 4;
    const float4* vectors = reinterpret_cast<const float4*>(start + before);
    float sum = 0;
    if (lane < before) sum += start[lane];
    for (int i = lane; i < count; i += 64) {
        float4 a = i < count ? __ldcs(vectors + i) : float4{};
        float4 b = i + 32 < count ? __ldcs(vectors + i + 32) : float4{};
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    }
    int behind = before + 4 * count + lane;
    if (behind < cols) sum += start[behind];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) out[row] = sum;
}
extern "C" void row_sum(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    int blocks = (rows - 1) / 8 + 1;
    sum_rows<<<blocks, 256, 0, stream>>>(x, out, rows, cols);
}
