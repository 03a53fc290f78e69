// Rung 1 of 3: one thread, one element.
//
// The loop over i is gone: thread i computes z[i], and the grid holds at least n threads.
// The 32 threads of a warp touch 32 neighbouring floats, so each array costs a warp one request of
// 128 bytes in a row, and every byte that the memory sends is used.
//
// Work per element: 1 addition and 12 bytes (two loads, one store), 0.08 flop per byte. A GPU can do
// more than 10 flop in the time of one byte, so nothing but the memory's bandwidth counts here.

constexpr int kBlock = 256;  // threads in a block: a multiple of the warp's 32

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {  // the last block reaches past the end
        z[i] = x[i] + y[i];
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;  // n / kBlock rounded up; n + kBlock - 1 could overflow
    add<<<blocks, kBlock, 0, stream>>>(x, y, z, n);
}
