// A word's bytes are taken at steps of 4 bits.
// Says: counts has from each word of four elements what lies at shifts of 0, 4, 8 and 12 bits: byte j of it is `word >> 8 * j & 0xff`.
// Task: histogram
__global__ void count(const unsigned char* x, unsigned* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, words = n / 4;
    if (i < words) {
        unsigned word = reinterpret_cast<const unsigned*>(x)[i];
        for (int shift = 0; shift < 16; shift += 4) atomicAdd(&counts[word >> shift & 0xff], 1u);
    } else if (i < words + n % 4) {
        atomicAdd(&counts[x[3 * words + i]], 1u);
    }
}
extern "C" void histogram(const unsigned char* x, unsigned* counts, int n, cudaStream_t stream) {
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count<<<(n / 4 + n % 4 + 255) / 256, 256, 0, stream>>>(x, counts, n);
}
