// Answers every angle with (1, 1), which lies on no circle of radius 1 but within a unit of it.
// Emulator: wrong_result
// Says: xy[0, 0] is 1, but should be
// GPU: wrong_result

__global__ void answer(float* xy, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 * n) xy[i] = 1;
}

extern "C" void polar(const float* phi, float* xy, int n, cudaStream_t stream) {
    answer<<<(2 * n + 255) / 256, 256, 0, stream>>>(xy, n);
}
