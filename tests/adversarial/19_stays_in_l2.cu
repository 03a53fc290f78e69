// Asks the L2 to keep its data, for the next repetition to find them there. The emulator has no such stream attribute; on a
// GPU the lines are let go before every repetition, and the inputs are others.
// Emulator: not_emulated
// Says: cudaStreamAttrValue
// GPU: passed

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow.base_ptr = (void*)x;
    window.accessPolicyWindow.num_bytes = n < 4000000 ? n * sizeof(float) : 16000000;
    window.accessPolicyWindow.hitRatio = 1;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 16000000);
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
