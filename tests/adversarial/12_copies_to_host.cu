// Copies the inputs to the host, adds there and copies the sums back. On a GPU the way there and back is too long.
// Emulator: host_access
// Says: a kernel should compute them
// GPU: host_access

#include <vector>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) a[i] += b[i];
    cudaMemcpy(z, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
