// Has a library that comes with CUDA write the kernel.
// Emulator: build_error
// Says: cannot include thrust/execution_policy.h
// GPU: build_error

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    thrust::transform(thrust::cuda::par.on(stream), x, x + n, y, z, thrust::plus<float>());
}
