// Makes the compiler name a type whose name has megabytes.
// Emulator: build_error
// Says: must be `int`
// GPU: build_error

template <class A, class B> struct Pair {};
template <int N> struct Tree { using Type = Pair<typename Tree<N - 1>::Type, typename Tree<N - 1>::Type>; };
template <> struct Tree<0> { using Type = int; };

void take(int);
void give() { take(Tree<18>::Type{}); }

__global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    add<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, n);
}
