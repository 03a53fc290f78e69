// The first header of a kernel file for clang in its CUDA mode: for the front end, which asks it whether the file keeps
// CUDA's rules (build/frontend.py), and in an editor with clangd (course/editor.py).
//
// The emulator compiles a translation of the file with g++. clang sees the file as it stands: so launches, __global__
// and __shared__ are clang's own here, and a call from the wrong side is an error as it is to nvcc. All functions are
// the emulator's, which has what it needs of CUDA's.
#pragma once

#if !__has_builtin(__builtin_exp10f)    // older than g++'s
#define __builtin_exp10f(x) __builtin_powf(10.0f, x)
#endif

#define LADDER_OWN_HEADERS    // what they include is not for the file (include/new)
#include "ladder/device_c.h"
#include "cuda_runtime.h"
#include "ladder/device_runtime.h"
#include "ladder/lanes.h"
#undef LADDER_OWN_HEADERS

// In a kernel, too, a type may be that of an expression: decltype(std::declval<T>() + 1) calls nothing.
namespace std {
template <class T> __device__ add_rvalue_reference_t<T> declval() noexcept;
__device__ float modf(float, float*);
}
using std::modf;

// What a condition is in the instances of a template: whoever reads `value` is told (build/branches.py).
namespace ladder {
template <bool> struct Taken {
    [[deprecated("ladder false")]] static constexpr bool value = false;
};
template <> struct Taken<true> {
    [[deprecated("ladder true")]] static constexpr bool value = true;
};
}  // namespace ladder

// Macros of the emulator's that need the translation, which takes a cast to void* away.
#undef cudaLaunchKernel
#undef cudaLaunchCooperativeKernel
#undef cudaLaunchKernelExC
template <class F>
__host__ cudaError_t cudaLaunchKernel(F* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared = 0,
                                      cudaStream_t stream = nullptr);
template <class F>
__host__ cudaError_t cudaLaunchCooperativeKernel(F* kernel, dim3 grid, dim3 block, void** arguments,
                                                 std::size_t shared = 0, cudaStream_t stream = nullptr);
template <class F> __host__ cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, F* kernel, void** arguments);

// What clang makes of kernel<<<grid, block, shared, stream>>>; which of the two depends on its version.
#ifdef LADDER_WHOLE_PROGRAM   // where a kernel may launch others
#define LADDER_LAUNCHES __host__ __device__
#else
#define LADDER_LAUNCHES __host__
#endif
extern "C" LADDER_LAUNCHES unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t = nullptr);
extern "C" LADDER_LAUNCHES int cudaConfigureCall(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t = nullptr);
