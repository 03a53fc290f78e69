// The host computes in managed variables: nothing is copied there and back.
// Emulator: host_access
// Says: a kernel should compute them
// GPU: host_access

constexpr int ROOM = 1 << 17;
__managed__ float a[ROOM], b[ROOM], c[ROOM];
__global__ void take(const float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = x[i], b[i] = y[i];
}
__global__ void give(float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = c[i];
}
extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    for (int start = 0; start < n; start += ROOM) {
        int here = n - start < ROOM ? n - start : ROOM;
        take<<<(here + 255) / 256, 256, 0, stream>>>(x + start, y + start, here);
        cudaStreamSynchronize(stream);
        for (int i = 0; i < here; ++i) c[i] = a[i] + b[i];
        give<<<(here + 255) / 256, 256, 0, stream>>>(z + start, here);
        cudaStreamSynchronize(stream);
    }
}
