// Says: 01_git_could_not_merge.cu:5: git leaves `<<<<<<<`, `=======` and `>>>>>>>` where it could not merge
// GPU: build_error

__global__ void add(const float* x, const float* y, float* z, int n) {
<<<<<<< HEAD
    int i = blockIdx.x * blockDim.x + threadIdx.x;
=======
    int i = threadIdx.x;
>>>>>>> other
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
