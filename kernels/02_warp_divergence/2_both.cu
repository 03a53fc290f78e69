// Rung 2 of 4: one thread, one angle, both of its values.
//
// Every lane now does the same: load, cosine and sine, two stores. No branch is left but the guard,
// each angle is loaded once, and sincosf() reduces the angle once for both.
//
// What is left to mend: each of the two stores writes every other float. The warp's 256 bytes are
// written by two instructions, and each of them fills only half of every sector.

constexpr int kBlock = 256;

__global__ void both(const float* phi, float* xy, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sine, cosine;
        sincosf(phi[i], &sine, &cosine);
        xy[2 * i] = cosine;
        xy[2 * i + 1] = sine;
    }
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;
    both<<<blocks, kBlock, 0, stream>>>(phi, xy, n);
}
