"""What to do about a launch that failed, by a part of the finding's sentence, and about what is used too early."""

from __future__ import annotations

STATIC_SHARED = (
    "The kernel never ran. `__shared__` arrays have at most 48 KB in all. An `extern __shared__` array, whose bytes "
    "the launch says, may have more, once cudaFuncSetAttribute allows it."
)
LONG_GRID = "The kernel never ran. Only in x may a grid have that many blocks: let blockIdx.x count the rows."
OF_CLUSTERS = (
    "The kernel never ran. A grid has whole clusters: round the number of its blocks up to a multiple of the "
    "cluster's, and let those that are too many do nothing."
)
BOUNDED = (
    "The kernel never ran. `__launch_bounds__(n)` promises that no block has more than n threads: launch fewer, or "
    "write the larger number there."
)
ALL_AT_ONCE = (
    "The kernel never ran. All blocks of a cooperative launch are on the GPU together: launch as many as have room, "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor for each multiprocessor, and let each go on in a loop."
)
NO_BLOCKS = "The kernel never ran, for its grid is empty: at every size there must be one block at least."

LAUNCHES = {
    "that a cluster has": OF_CLUSTERS,
    "__launch_bounds__ allow": BOUNDED,
    "must fit on the GPU at once": ALL_AT_ONCE,
    "the grid has 0 blocks": NO_BLOCKS,
    " blocks in ": LONG_GRID,
    "static shared memory": STATIC_SHARED,
}

CACHED = (
    "__ldg promises the compiler that no thread writes there for as long as the kernel runs. What a kernel has written "
    "itself it reads as any other memory: `p[i]`."
)
ASYNCHRONOUS = (
    "A launch and an asynchronous copy return before their work is done. Until the stream has been waited for, what it "
    "uses is the GPU's."
)
