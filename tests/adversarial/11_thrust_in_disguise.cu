// Has a library write the kernel, and includes it so that the word cannot be read: through a macro, in a line that is
// divided, with another sign for #, under a condition that always holds.
// Emulator: build_error
// Says: must name its header
// GPU: build_error

#define SORT <thrust/sort.h>
#include SORT
#inc\
lude <thrust/execution_policy.h>
%:include <cccl/thrust/functional.h>
#if 1
#include <thrust/transform.h>
#endif

extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {
    thrust::transform(thrust::cuda::par.on(stream), x, x + n, y, z, thrust::plus<float>());
}
