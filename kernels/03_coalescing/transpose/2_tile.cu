// Rung 2 of 7: a tile of shared memory.
//
// Read in the order that the loads like, put it down in shared memory, write it in the order that the stores like: corner
// turning. Shared memory has no sectors, any 32 words may be asked for together. The square is loaded by rows of x and
// stored by rows of out, and both are neighbours in memory.
//
// Counted: 4 sectors for each store of 32 numbers where there were 32.
// On an H200, rows=2^14 cols=2^14: 1_one_thread 4.25 ms, 2_tile 1.23 ms.
//
// What is left to mend: the lanes read tile[lane][k]. Their words lie 32 apart, all in one of the 32 banks, and each
// such load takes 32 wavefronts instead of one.

#include <cstdint>

constexpr unsigned kTile = 32, kRowsAtOnce = 8;

inline unsigned blocks_for(std::int64_t count, unsigned size) { return static_cast<unsigned>((count - 1) / size + 1); }

__global__ void transpose_tiles(const float* x, float* out, unsigned rows, unsigned cols) {
    __shared__ float tile[kTile][kTile];
    unsigned across = (cols - 1) / kTile + 1;
    unsigned left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    for (unsigned k = threadIdx.y; k < kTile; k += kRowsAtOnce) {
        unsigned row = top + k, col = left + threadIdx.x;
        if (row < rows && col < cols) {
            tile[k][threadIdx.x] = x[std::int64_t{row} * cols + col];
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.y; k < kTile; k += kRowsAtOnce) {
        unsigned row = top + threadIdx.x, col = left + k;
        if (row < rows && col < cols) {
            out[std::int64_t{col} * rows + row] = tile[threadIdx.x][k];
        }
    }
}

extern "C" void transpose(const float* x, float* out, int rows, int cols, cudaStream_t stream) {
    unsigned blocks = blocks_for(rows, kTile) * blocks_for(cols, kTile);
    transpose_tiles<<<blocks, dim3(kTile, kRowsAtOnce), 0, stream>>>(x, out, rows, cols);
}
