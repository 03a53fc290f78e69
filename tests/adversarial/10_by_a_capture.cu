// Does nothing while its calls are captured into a graph.
// Emulator: not_written
// Says: is told that a graph is captured
// GPU: passed

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    if (status != cudaStreamCaptureStatusNone) return;
    add<<<(n - 1) / 256 + 1, 256, 0, stream>>>(x, y, z, n);
}
