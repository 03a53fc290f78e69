// Puzzle 11 of 16, atomic: many threads, one counter.
//
// The address is `count`, or `&count[0]`. Atomics on one address take turns: lesson 05 has fewer of them
// meet there.

__global__ void count_positive(const float* x, int* count) {
    int i = threadIdx.x;
    if (x[i] > 0) atomicAdd(count, 1);
}

extern "C" void atomic(const float* x, int* count, int n, cudaStream_t stream) {
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    count_positive<<<1, n, 0, stream>>>(x, count);
}
