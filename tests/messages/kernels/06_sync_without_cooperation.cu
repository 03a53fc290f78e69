// All blocks wait for each other in a launch that does not promise that they run at the same time.
// Says: grid.sync() needs a cooperative launch (cudaLaunchCooperativeKernel)
// Says: Blocks can wait for each other only if all of them run at the same time

#include <cooperative_groups.h>

__global__ void softmax_of_rows(float* y, int count) {
    cooperative_groups::this_grid().sync();
    if (threadIdx.x < count) y[threadIdx.x] = 1;
}

extern "C" void softmax(const float* x, float* y, int rows, int cols, float* scratch, int scratch_len,
                        cudaStream_t stream) {
    softmax_of_rows<<<1, 32, 0, stream>>>(y, rows * cols);
}
