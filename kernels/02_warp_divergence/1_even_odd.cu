// Rung 1 of 4: one thread, one number; even lanes take the cosine, odd lanes the sine.
//
// A warp issues one instruction for all its lanes. Where they disagree it runs one side of the branch
// with the other lanes switched off, then the other side. Here that happens in every warp: each one
// pays for 32 cosines and 32 sines and keeps half of both. Each angle is loaded twice, too.
//
// Work per angle: one cosine and one sine, 12 bytes (4 loaded, 8 stored) that must be moved.

constexpr int kBlock = 256;

__global__ void even_odd(const float* phi, float* xy, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;  // 2 n does not fit an int, but an unsigned
    if (i < 2u * n) {
        if (i % 2 == 0) {
            xy[i] = cosf(phi[i / 2]);
        } else {
            xy[i] = sinf(phi[i / 2]);
        }
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    int blocks = n / (kBlock / 2) + 1;  // a block computes kBlock / 2 pairs; the last one may have none
    even_odd<<<blocks, kBlock, 0, stream>>>(phi, xy, n);
}
