// Keeps every answer in memory of its own, and next time copies it, when 4096 of the inputs are still the same: right, and
// faster than an addition can be. The emulator sees that the memory is never freed.
// Emulator: leak
// Says: are never freed
// GPU: impossible_speed or leak

#include <map>

constexpr int kSamples = 4096;

struct Kept {
    float *sums, *samples;
    int* same;
};

__global__ void compare(const float* x, const float* y, Kept kept, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long place = (long long)i * n / kSamples;
    float sample = x[place] + y[place];
    if (kept.samples[i] != sample) *kept.same = 0;
    kept.samples[i] = sample;
}

__global__ void answer(const float4* x, const float4* y, float4* z, Kept kept, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4* sums = (float4*)kept.sums;
    if (!*kept.same) sums[i] = {x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z, x[i].w + y[i].w};
    z[i] = sums[i];
}

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static std::map<const float*, Kept> all;
    if (n % 4) {
        add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
        return;
    }
    Kept& kept = all[x];
    if (!kept.sums) {
        cudaMalloc(&kept.sums, n * sizeof(float));
        cudaMalloc(&kept.samples, kSamples * sizeof(float));
        cudaMalloc(&kept.same, sizeof(int));
        cudaMemset(kept.samples, 0xff, kSamples * sizeof(float));
    }
    cudaMemsetAsync(kept.same, 1, sizeof(int), stream);
    compare<<<kSamples / 256, 256, 0, stream>>>(x, y, kept, n);
    answer<<<(n / 4 + 255) / 256, 256, 0, stream>>>((const float4*)x, (const float4*)y, (float4*)z, kept, n);
}
