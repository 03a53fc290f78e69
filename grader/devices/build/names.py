"""Names that a newcomer types: the header that a name needs, and CUDA's word for one of another language."""

from __future__ import annotations

import re
from difflib import get_close_matches

HEADERS = {
    **dict.fromkeys(("printf", "fprintf", "sprintf", "puts", "fopen", "stderr", "stdout", "FILE"), "cstdio"),
    "assert": "cassert",
    **dict.fromkeys(("FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_EPSILON"), "cfloat"),
    **dict.fromkeys(("uint32_t", "uint64_t", "int32_t", "int64_t", "uint8_t", "int8_t", "uint16_t"), "cstdint"),
    **dict.fromkeys(("uintptr_t", "intptr_t"), "cstdint"),
    **dict.fromkeys(("half", "__half", "half2", "__half2", "__float2half", "__half2float"), "cuda_fp16.h"),
    **dict.fromkeys(("__nv_bfloat16", "nv_bfloat16", "__float2bfloat16"), "cuda_bf16.h"),
    **{"cooperative_groups": "cooperative_groups.h", "nvcuda": "mma.h"},
    **dict.fromkeys(("CUDART_INF_F", "CUDART_INF", "CUDART_NAN_F", "CUDART_PI_F"), "math_constants.h"),
}
# What cooperative_groups has in headers of their own, and what C++ has only since C++20.
OF_GROUPS = {
    **dict.fromkeys(("memcpy_async", "wait", "wait_prior"), "cooperative_groups/memcpy_async.h"),
    **dict.fromkeys(("reduce", "reduce_update_async", "reduce_store_async"), "cooperative_groups/reduce.h"),
    **dict.fromkeys(("plus", "less", "greater", "bit_and", "bit_or", "bit_xor"), "cooperative_groups/reduce.h"),
    **dict.fromkeys(("inclusive_scan", "exclusive_scan"), "cooperative_groups/scan.h"),
}
NEWER = ("concept", "requires", "consteval", "constinit", "char8_t", "co_await", "co_return", "co_yield")
NEWER_OF_STD = {  # by the header
    **dict.fromkeys(("span", "format", "source_location", "barrier", "latch"), ""),
    **dict.fromkeys(("integral", "floating_point", "same_as", "convertible_to", "invocable"), "concepts"),
    **dict.fromkeys(("popcount", "bit_cast", "bit_ceil", "bit_floor", "bit_width", "has_single_bit"), "bit"),
    **dict.fromkeys(("countl_zero", "countr_zero", "rotl", "rotr"), "bit"),
    **{"ssize": "iterator", "midpoint": "numeric", "remove_cvref_t": "type_traits", "jthread": "thread"},
    **{"ranges": "ranges", "views": "ranges", "numbers": "numbers", "counting_semaphore": "semaphore"},
}
OF_STD = {
    **{name: name for name in ("vector", "string", "map", "array", "tuple", "optional", "complex", "thread", "chrono")},
    **dict.fromkeys(("cout", "cerr", "endl"), "iostream"),
    **dict.fromkeys(("plus", "multiplies", "less", "greater", "function"), "functional"),
    **dict.fromkeys(("sort", "fill", "copy", "max_element", "clamp", "min", "max"), "algorithm"),
    **dict.fromkeys(("accumulate", "iota", "reduce"), "numeric"),
    **dict.fromkeys(("unique_ptr", "shared_ptr", "make_unique"), "memory"),
    **dict.fromkeys(("swap", "pair", "make_pair", "move"), "utility"),
    **dict.fromkeys(("mt19937", "normal_distribution", "uniform_real_distribution"), "random"),
    **dict.fromkeys(("runtime_error", "invalid_argument"), "stdexcept"),
    **{"numeric_limits": "limits", "unordered_map": "unordered_map", "atomic": "atomic", "ofstream": "fstream"},
}
# Words of OpenCL, HIP, Metal, HLSL, Python and others, by what CUDA has for them.
_ELSEWHERE = {
    **{"thread": "threadIdx", "threadid": "threadIdx", "get_local_id": "threadIdx.x"},
    **{"block": "blockIdx", "blockid": "blockIdx", "get_group_id": "blockIdx.x"},
    **{"blocksize": "blockDim", "get_local_size": "blockDim.x"},
    **{"grid": "gridDim", "gridsize": "gridDim", "get_num_groups": "gridDim.x"},
    "get_global_id": "blockIdx.x * blockDim.x + threadIdx.x",
    "get_global_size": "gridDim.x * blockDim.x",
    **dict.fromkeys(("barrier", "clk_local_mem_fence", "threadgroup_barrier"), "__syncthreads()"),
    "groupmemorybarrierwithgroupsync": "__syncthreads()",
    **dict.fromkeys(("kernel", "__kernel"), "__global__"),
    **dict.fromkeys(("local", "__local", "threadgroup", "groupshared"), "__shared__"),
    "hiplaunchkernelggl": "kernel<<<blocks, threads, 0, stream>>>(...)",
    **{"elif": "else if", "none": "nullptr", "true": "true", "false": "false", "def": "__global__ void"},
    **{"wmma": "nvcuda::wmma", "cg": "cooperative_groups"},
    **{"var": "auto", "let": "auto", "ln": "logf(x)", "sqr": "x * x", "len": "the number that the kernel is given"},
    **{"pi": "3.14159265f", "inf": "INFINITY", "infinity": "INFINITY", "nan": "NAN"},
}
_QUALIFIERS = ("__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__restrict__")
# CUDA's own names that most programs have, in which a letter or a capital is easily wrong.
_COMMON = (
    "threadIdx blockIdx blockDim gridDim warpSize dim3 cudaSuccess cudaError_t cudaStream_t cudaEvent_t "
    "__syncthreads __syncwarp __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync "
    "__threadfence atomicAdd atomicSub atomicMin atomicMax atomicExch atomicCAS cudaMalloc cudaMallocManaged "
    "cudaMallocHost cudaFree cudaFreeHost cudaMemcpy cudaMemcpyAsync cudaMemcpyToSymbol cudaMemcpyFromSymbol "
    "cudaMemset cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaDeviceSynchronize "
    "cudaStreamCreate cudaStreamSynchronize cudaStreamDestroy cudaEventCreate cudaEventRecord "
    "cudaEventSynchronize cudaEventElapsedTime cudaEventDestroy cudaGetLastError cudaGetErrorString "
    "cudaGetErrorName cudaGetDeviceProperties cudaDeviceProp cudaFuncSetAttribute"
)


def of_cuda(name: str) -> str:
    """What CUDA has for a word of another language, or for a slip in one of its own; "" of any other name."""
    if found := _ELSEWHERE.get(name.lower()):
        return found
    if place := re.fullmatch(r"hip((?:Thread|Block)Idx|(?:Block|Grid)Dim)_([xyz])", name):
        return f"{place[1][0].lower()}{place[1][1:]}.{place[2]}"
    if re.match(r"hip[A-Z]", name):
        return name.replace("hip", "cuda", 1)
    bare = {word.strip("_"): word for word in _QUALIFIERS}
    close = get_close_matches(name.strip("_"), bare, n=1, cutoff=0.75) if "_" in name or name in bare else []
    if close:
        return bare[close[0]]
    common = {word.lower(): word for word in _COMMON.split()}
    return next((common[word] for word in get_close_matches(name.lower(), common, n=1, cutoff=0.9)), "")
