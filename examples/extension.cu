// Lesson 07 as a PyTorch extension: kernels that take tensors. `examples/extension.py` builds and tries it.
#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>

#include <cfloat>

// What a kernel can index as x[member][row][col]: an address, sizes and strides, so that a tensor need not be contiguous.
// 32: places are ints, so it must have fewer than 2^31 elements. RestrictPtrTraits: no other pointer leads to them.
template <typename T>
using Batch = torch::PackedTensorAccessor32<T, 3, torch::RestrictPtrTraits>;

template <typename T>
__global__ void log_of_sums(const Batch<T> a, const Batch<T> b, Batch<T> out) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, member = blockIdx.z;
    if (row >= out.size(1) || col >= out.size(2)) return;
    float top = -FLT_MAX, sum = 0;
    for (int k = 0; k < a.size(2); ++k) {
        float term = static_cast<float>(a[member][row][k]) + static_cast<float>(b[member][k][col]);
        float higher = fmaxf(top, term);
        sum = sum * expf(top - higher) + expf(term - higher);
        top = higher;
    }
    out[member][row][col] = static_cast<T>(top + logf(sum));
}

// Of `first`; for the gradient of b all matrices come transposed, which costs nothing: two strides change places.
template <typename T>
__global__ void gradient(const Batch<T> first, const Batch<T> second, const Batch<T> out, const Batch<T> grad_out,
                         Batch<T> grad) {
    int k = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, member = blockIdx.z;
    if (row >= grad.size(1) || k >= grad.size(2)) return;
    float sum = 0, mine = static_cast<float>(first[member][row][k]);
    for (int col = 0; col < out.size(2); ++col) {
        float of = static_cast<float>(out[member][row][col]), term = mine + static_cast<float>(second[member][k][col]);
        if (of > -FLT_MAX) sum += expf(term - of) * static_cast<float>(grad_out[member][row][col]);
    }
    grad[member][row][k] = static_cast<T>(sum);
}

void check(const torch::Tensor& x, const char* name) {
    TORCH_CHECK(x.is_cuda(), name, " must be on a GPU");
    TORCH_CHECK(x.dim() == 3, name, " must have 3 dimensions, not ", x.dim());
}

dim3 blocks_for(const torch::Tensor& x) {
    return dim3((x.size(2) - 1) / 32 + 1, (x.size(1) - 1) / 8 + 1, x.size(0));
}

template <typename T>
Batch<T> batch(const torch::Tensor& x) {
    return x.packed_accessor32<T, 3, torch::RestrictPtrTraits>();
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
    check(a, "a"), check(b, "b");
    TORCH_CHECK(a.size(0) == b.size(0) && a.size(2) == b.size(1), "a is (batch, n, m), and b must be (batch, m, p)");
    const at::cuda::OptionalCUDAGuard guard(device_of(a));  // the GPU where a is, if there are several
    auto out = torch::empty({a.size(0), a.size(1), b.size(2)}, a.options());  // there, too, and of a's type
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "log_bmm", ([&] {  // scalar_t is double, float or Half
        log_of_sums<scalar_t><<<blocks_for(out), dim3(32, 8), 0, at::cuda::getCurrentCUDAStream()>>>(
            batch<scalar_t>(a), batch<scalar_t>(b), batch<scalar_t>(out));
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}

std::vector<torch::Tensor> backward(torch::Tensor a, torch::Tensor b, torch::Tensor out, torch::Tensor grad_out) {
    check(grad_out, "grad_out");
    const at::cuda::OptionalCUDAGuard guard(device_of(a));
    auto grad_a = torch::empty(a.sizes(), a.options()), grad_b = torch::empty(b.sizes(), b.options());
    auto a_t = a.transpose(1, 2), b_t = b.transpose(1, 2), out_t = out.transpose(1, 2), grad_t = grad_out.transpose(1, 2);
    auto to_t = grad_b.transpose(1, 2);
    cudaStream_t one = at::cuda::getCurrentCUDAStream(), two = at::cuda::getStreamFromPool();
    cudaEvent_t begun, done;
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(begun, one), cudaStreamWaitEvent(two, begun, 0);  // the second stream waits for the inputs
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "log_bmm_backward", ([&] {
        gradient<scalar_t><<<blocks_for(grad_a), dim3(32, 8), 0, one>>>(
            batch<scalar_t>(a), batch<scalar_t>(b), batch<scalar_t>(out), batch<scalar_t>(grad_out),
            batch<scalar_t>(grad_a));
        gradient<scalar_t><<<blocks_for(to_t), dim3(32, 8), 0, two>>>(
            batch<scalar_t>(b_t), batch<scalar_t>(a_t), batch<scalar_t>(out_t), batch<scalar_t>(grad_t),
            batch<scalar_t>(to_t));
    }));
    cudaEventRecord(done, two), cudaStreamWaitEvent(one, done, 0);  // what comes after waits for both
    cudaEventDestroy(begun), cudaEventDestroy(done);
    return {grad_a, grad_b};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("forward", &forward, "log of the sums of exp(a + b)");
    module.def("backward", &backward, "its gradients, for a and b");
}
