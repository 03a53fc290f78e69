// Thread block clusters: where a block is in its own, and their barrier. cooperative_groups::this_cluster() is made of these.
#pragma once

#include "block.h"
#include "vector_types.h"

LADDER_INLINE dim3 __clusterDim() { return {ladder_cluster_size(0), ladder_cluster_size(1), ladder_cluster_size(2)}; }
LADDER_INLINE unsigned __clusterSizeInBlocks() {
    return ladder_cluster_size(0) * ladder_cluster_size(1) * ladder_cluster_size(2);
}
LADDER_INLINE unsigned __clusterDimIsSpecified() { return ladder_cluster_is_named(); }
LADDER_INLINE dim3 __clusterGridDimInClusters() {
    const dim3 size = __clusterDim();
    return {gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z};
}
LADDER_INLINE dim3 __clusterIdx() {
    const dim3 size = __clusterDim();
    return {blockIdx.x / size.x, blockIdx.y / size.y, blockIdx.z / size.z};
}
LADDER_INLINE dim3 __clusterRelativeBlockIdx() {
    const dim3 size = __clusterDim();
    return {blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z};
}
LADDER_INLINE unsigned __clusterRelativeBlockRank() {
    const dim3 size = __clusterDim(), at = __clusterRelativeBlockIdx();
    return (at.z * size.y + at.y) * size.x + at.x;
}
LADDER_INLINE void __cluster_barrier_arrive(LADDER_LINE) { ladder_cluster_arrive(line); }
LADDER_INLINE void __cluster_barrier_arrive_relaxed(LADDER_LINE) { ladder_cluster_arrive(line); }
LADDER_INLINE void __cluster_barrier_wait(LADDER_LINE) { ladder_cluster_wait(line); }
LADDER_INLINE void __threadfence_cluster(LADDER_LINE) { ladder_fence(ladder::Scope::Device, line); }
LADDER_INLINE void* __cluster_map_shared_rank(const void* address, unsigned rank, LADDER_LINE) {
    return ladder_map_shared(address, rank, line);
}
LADDER_INLINE unsigned __cluster_query_shared_rank(const void* address) { return ladder_shared_rank(address); }
