// Every thread hands its sum to the next one through shared memory, without a barrier. Most often the sum has arrived in time,
// and always where one lane after the other is emulated.
// On most cards it is right by luck, and the emulator, which looks while it is timed, refuses it all the same.
// Emulator: race
// Says: __syncthreads
// GPU: race or wrong_result

constexpr int kBlock = 256;

__global__ void add(const float* x, const float* y, float* z, int n) {
    __shared__ float sums[kBlock];
    int t = threadIdx.x, i = blockIdx.x * kBlock + t;
    if (i >= n) return;
    sums[t] = x[i] + y[i];
    if (t > 0) z[i - 1] = sums[t - 1];
    if (t == kBlock - 1 || i == n - 1) z[i] = sums[t];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + kBlock - 1) / kBlock, kBlock, 0, stream>>>(x, y, z, n);
}
