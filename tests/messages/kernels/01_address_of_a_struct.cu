// The address of a struct of the host's.
// Says: a host pointer to a local variable of host code
// Says: Give it a struct or a number itself, `kernel(Params p)`, and not its address or a reference

struct Vectors { const float* x; const float* y; float* z; int n; };
__global__ void add(const Vectors* v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v->n) v->z[i] = v->x[i] + v->y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    Vectors v{x, y, z, n};
    add<<<(n + 255) / 256, 256, 0, stream>>>(&v);
}
