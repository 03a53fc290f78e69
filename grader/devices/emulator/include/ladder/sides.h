// CUDA's qualifiers for the front end (build/frontend.py), which checks them, and for an editor's clangd. All of CUDA's
// functions have a side: LADDER_SIDE is that of the functions that follow, see cuda_runtime.h.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))    // clang has the word for HIP alone
#define __grid_constant__ __attribute__((annotate("grid_constant")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", ladder::cluster_dims(__VA_ARGS__))))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __CUDA_ALIGN__(bytes) __attribute__((aligned(bytes)))
#if __clang_major__ < 15    // later ones know the word
#define __noinline__ __attribute__((noinline))
#endif

#define LADDER_INLINE LADDER_SIDE inline
#define LADDER_KNOWN    // no function of CUDA's is constexpr to nvcc, be it max or make_float4

namespace ladder {

// No constant unless all are positive whole numbers.
template <class X = int, class Y = int, class Z = int> constexpr int cluster_dims(X x = 1, Y y = 1, Z z = 1) {
    return 1 / ((X{} + Y{} + Z{}) % 2 == 0 && x > 0 && y > 0 && z > 0);
}

// The learner cannot give a line: one argument too many is one too many.
struct Line {
    Line() = default;
    constexpr operator int() const { return 0; }
};

}  // namespace ladder

#define LADDER_LINE ladder::Line line = ladder::Line()
