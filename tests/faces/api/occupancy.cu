// How many blocks fit.
#include "said.h"

__global__ void k(float* x){ x[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256) lb(float* x){ x[threadIdx.x] = 1; }
__global__ void st(int* x){ __shared__ int t[8192]; t[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = t[threadIdx.x^1]; }
struct F { size_t operator()(int b) const { return b*4; } };

int main() {
    int n = 0;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 0)); SHOW("%d", n);              // Success 8
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 1024, 0)); SHOW("%d", n);             // Success 2
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 1, 0)); SHOW("%d", n);                // Success 32
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 0, 0)); LAST();                       // InvalidValue InvalidValue
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 1025, 0)); SHOW("%d", n); LAST();     // Success 0 Success
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 49152)); SHOW("%d", n);          // Success 4
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 256, 50000)); SHOW("%d", n); LAST();  // Success 0 Success
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, lb, 512, 0)); SHOW("%d", n); LAST();     // Success 4 Success
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, st, 256, 0)); SHOW("%d", n);             // Success 6
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, -1, 0)); LAST();                      // InvalidValue InvalidValue
    int g, b;
    SAY(cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0)); SHOW("%d", b);                       // Success 1024
    SAY(cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 200)); SHOW("%d", b);                     // Success 128
    SAY(cudaOccupancyMaxPotentialBlockSize(&g, &b, lb, 0, 0)); SHOW("%d", b);                      // Success 256
    SAY(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&g, &b, k, F(), 0)); SHOW("%d", b);         // Success 1024
    size_t dy;
    SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&dy, k, 2, 256));                                // Success
}
