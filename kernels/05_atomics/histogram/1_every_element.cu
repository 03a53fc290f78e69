// Rung 1 of 4: one atomic for each element.
//
// atomicAdd reads, adds and writes as one step that no other thread can get in between: the race of
// `counts[x[i]]++` is gone. It has a price: atomics on one address are done one after the other. Here
// threads meet only in the same bin; the more uneven the data, the more often they do.
//
// Nothing sets the counters to zero for us: the host function does, on the stream, before the kernel.
//
// On an H200, n=2^28: 1_every_element 69.2 ms, torch.bincount 1.62 ms.
// On an H200, n=2^28 (one bin): 1_every_element 197 ms, torch.bincount 28.9 ms.
//
// Work: 1 byte and an addition for each element.

constexpr int kBlock = 256;

__global__ void count_element(const unsigned char* x, unsigned int* counts, int n) {
    unsigned i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) {
        atomicAdd(&counts[x[i]], 1u);
    }
}

extern "C" void histogram(const unsigned char* x, unsigned int* counts, int n, cudaStream_t stream) {
    int blocks = (n - 1) / kBlock + 1;
    cudaMemsetAsync(counts, 0, 256 * sizeof(unsigned), stream);
    count_element<<<blocks, kBlock, 0, stream>>>(x, counts, n);
}
