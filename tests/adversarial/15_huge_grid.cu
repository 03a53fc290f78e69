// Launches more blocks than could run in a lifetime.
// Emulator: launch_error
// Says: so many are more than the emulator can hold
// GPU: timeout

__global__ void nothing() {}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    nothing<<<dim3(2147483647, 65535, 65535), 1, 0, stream>>>();
}
