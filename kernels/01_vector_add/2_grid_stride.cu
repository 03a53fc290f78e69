// Rung 2 of 3: a grid-stride loop.
//
// The grid is as large as the GPU now, not as large as the vector: just enough blocks to fill every
// multiprocessor with the 2048 threads that it can hold. Thread i takes elements i, i + stride,
// i + 2 * stride, ..., where stride is the number of threads in the grid. In every step neighbouring
// threads still touch neighbouring floats, so the memory sees what it saw on rung 1.
//
// What is saved is the start and the end of all other blocks. One addition is too little work for
// that to show; it pays when a thread must prepare something before its first element. And the form
// is right for every n and every grid, which is why so many kernels are written this way.

#include <algorithm>

constexpr int kBlock = 256;
constexpr int kBlocksPerMultiprocessor = 2048 / kBlock;

__global__ void add(const float* x, const float* y, float* z, int n) {
    unsigned stride = gridDim.x * blockDim.x;
    // Unsigned: near n = 2^31 the last i + stride would overflow an int.
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int device, multiprocessors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n - 1) / kBlock + 1;  // a short vector does not fill the GPU
    int blocks = std::min(needed, multiprocessors * kBlocksPerMultiprocessor);
    add<<<blocks, kBlock, 0, stream>>>(x, y, z, n);
}
