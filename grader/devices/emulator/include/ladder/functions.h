// Attributes of kernels, and how many blocks of one fit on a multiprocessor.
#pragma once

#include "streams.h"

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};

struct cudaFuncAttributes {
    std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
        clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

namespace ladder {

constexpr std::size_t reserved_shared = 1024;   // the system's own, in each block

inline LADDER_UNSEEN int blocks_that_fit(const void* kernel, int threads, std::size_t dynamic_shared) {
    if (threads <= 0 || threads > threads_per_block || dynamic_shared > ladder_possible_shared(kernel)) return 0;
    const int warps = (threads + 31) / 32;
    const std::size_t shared = ladder_static_shared(kernel) + dynamic_shared + reserved_shared;
    const int by_threads = threads_per_multiprocessor / (32 * warps);
    const int by_shared = static_cast<int>(shared_per_multiprocessor / shared);
    const int blocks = by_threads < by_shared ? by_threads : by_shared;   // registers are not known here
    return blocks < blocks_per_multiprocessor ? blocks : blocks_per_multiprocessor;
}

template <class F> LADDER_UNSEEN const void* address(F* kernel) { return reinterpret_cast<const void*>(kernel); }

}  // namespace ladder

template <class F> LADDER_UNSEEN cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) {
    LADDER_WANTS(attribute >= cudaFuncAttributeMaxDynamicSharedMemorySize && attribute <= cudaFuncAttributeClusterSchedulingPolicyPreference);
    LADDER_WANTS(attribute != cudaFuncAttributePreferredSharedMemoryCarveout || (value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared));
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) ladder_allow_clusters(ladder::address(kernel), value);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return ladder::status();
    if (value < 0) return ladder::status(cudaErrorInvalidValue);
    return ladder::status(ladder_allow_shared(ladder::address(kernel), static_cast<std::size_t>(value)));
}
template <class F> LADDER_UNSEEN cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return ladder::status(); }

template <class F> LADDER_UNSEEN cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* kernel) {
    LADDER_WANTS(attributes);
    if (!kernel) return ladder::status(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->sharedSizeBytes = ladder_static_shared(ladder::address(kernel));
    attributes->maxThreadsPerBlock = ladder_most_threads(ladder::address(kernel));
    attributes->numRegs = ladder::is_another_gpu() ? 16 : 32;   // made up: registers are not allocated here
    attributes->ptxVersion = attributes->binaryVersion = 10 * ladder::compute_major + ladder::compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(ladder_allowed_shared(ladder::address(kernel)));
    int* const sizes[] = {&attributes->requiredClusterWidth, &attributes->requiredClusterHeight, &attributes->requiredClusterDepth,
                          &attributes->nonPortableClusterSizeAllowed};
    for (int axis = 0; axis < 4; ++axis) *sizes[axis] = ladder_clusters_of(ladder::address(kernel), axis);
    attributes->clusterDimMustBeSet = attributes->requiredClusterWidth > 0;
    return ladder::status();
}

template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* kernel, int threads,
                                                                        std::size_t dynamic_shared) {
    *blocks = ladder::blocks_that_fit(ladder::address(kernel), threads, dynamic_shared);
    return ladder::status(threads > 0 ? cudaSuccess : cudaErrorInvalidValue);
}
#define cudaOccupancyDefault 0
#define cudaOccupancyDisableCachingOverride 1
template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F* kernel, int threads,
                                                                                 std::size_t dynamic_shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, dynamic_shared);
}

// The block size with most resident threads, the largest such; `grid` is the smallest grid that fills the device. A block of
// so many threads has dynamic_shared(threads) bytes.
template <class F, class Bytes>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F* kernel,
                                                                         Bytes dynamic_shared, int limit = 0) {
    const int most = ladder_most_threads(ladder::address(kernel)), largest = limit > 0 && limit < most ? limit : most;
    int best = 0, resident = 0;
    for (int threads = largest; threads > 0; threads -= threads % 32 ? threads % 32 : 32) {
        const auto bytes = static_cast<std::size_t>(dynamic_shared(threads));
        const int active = threads * ladder::blocks_that_fit(ladder::address(kernel), threads, bytes);
        if (active > resident) best = threads, resident = active;
    }
    *block = best;
    *grid = best ? resident / best * ladder_multiprocessors() : 0;
    return ladder::status();
}
template <class F, class Bytes>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, F* kernel,
                                                                                  Bytes dynamic_shared, int limit = 0,
                                                                                  unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, dynamic_shared, limit);
}
template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* kernel,
                                                             std::size_t dynamic_shared = 0, int limit = 0) {
    const auto same = [=](int) LADDER_UNSEEN { return dynamic_shared; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, same, limit);
}
template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, F* kernel,
                                                                      std::size_t dynamic_shared = 0, int limit = 0,
                                                                      unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, dynamic_shared, limit);
}
