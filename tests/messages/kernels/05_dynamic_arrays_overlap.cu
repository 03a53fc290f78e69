// Task: sum
// Says: `parts` and `most` are parts of both, and both reach this element: let each begin behind the last element of the one before
__global__ void add(const float* x, float* out, int n) {
    extern __shared__ float both[];
    float *parts = both, *most = both + 64;
    float sum = 0, largest = 0;
    for (int i = threadIdx.x; i < n; i += 128) sum += x[i], largest = fmaxf(largest, fabsf(x[i]));
    parts[threadIdx.x] = sum;
    most[threadIdx.x] = largest;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = parts[0] + 0 * most[0];
}

extern "C" void sum(const float* x, float* out, int n, cudaStream_t stream) {
    add<<<1, 128, 256 * sizeof(float), stream>>>(x, out, n);
}
