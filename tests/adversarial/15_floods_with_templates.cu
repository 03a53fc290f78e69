// Asks the compiler for sixteen million classes.
// Emulator: build_error
// Says: the compiler did not finish within
// GPU: not applicable: nvcc takes as long as g++
// Slow: a build has its time

template <int depth, int number> struct Tree {
    static constexpr int sum = Tree<depth - 1, 2 * number>::sum + Tree<depth - 1, 2 * number + 1>::sum;
};
template <int number> struct Tree<0, number> { static constexpr int sum = number; };
static int all = Tree<24, 0>::sum;

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    cudaMemsetAsync(z, all, 1, stream);
}
