// A variable of the GPU is filled from device memory, and no kind says so.
// Says: the source of a copy is device memory, but its kind says that it is host memory
// Says: Without a kind, cudaMemcpyToSymbol takes its source for memory of the host. To or from device memory, write the offset and the kind behind the bytes: `0, cudaMemcpyDeviceToDevice`.

__constant__ float first[1];

__global__ void add(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i == 0 ? first[0] + b[0] : a[i] + b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    if (n == 0) return;
    cudaMemcpyToSymbol(first, a, sizeof(float));
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}
