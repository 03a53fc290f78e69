// Keeps the first answer for each n in device memory, and copies it out when that n comes again. On a GPU the inputs are
// new ones by then; the emulator sees that the memory is never freed.
// Emulator: leak
// Says: are never freed
// GPU: wrong_result or leak

#include <map>

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    static std::map<int, float*> kept;
    if (kept.count(n)) {
        cudaMemcpyAsync(z, kept[n], n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
        return;
    }
    cudaMalloc(&kept[n], n * sizeof(float));
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, kept[n], n);
    cudaMemcpyAsync(z, kept[n], n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}
