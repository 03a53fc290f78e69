// Works on a stream of its own, while the given one waits for as long as an addition could take at best; where the sums
// still stand, it does not work at all. The emulator sees that nothing joins the streams. On a GPU the judge's own clock, for
// which no answer stands, sees all of the work, and its time counts.
// Emulator: race
// Says: nothing joins the work
// GPU: race or impossible_speed
// GPU stars: 1

constexpr int kPart = 1024;
constexpr unsigned kPoison = 0x7fa5a5a5;  // what an output holds until it is written

__global__ void add(const float* x, const float* y, float* z, int n) {
    int first = kPart * blockIdx.x;
    bool stands = __float_as_uint(z[first]) != kPoison;
    __syncthreads();
    if (stands) return;
    for (int i = first + threadIdx.x; i < first + kPart && i < n; i += blockDim.x) z[i] = x[i] + y[i];
}

__global__ void dawdle(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static cudaStream_t own = nullptr;
    if (!own) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    add<<<(n + kPart - 1) / kPart, 256, 0, own>>>(x, y, z, n);
    if (n > 1000000) dawdle<<<1, 1, 0, stream>>>(n * 9ll / 2000);  // on an H200 0.61 ms for 2^28, an addition takes 0.74
}
