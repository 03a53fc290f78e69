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
ENDED = (
    "A block's shared memory is there as long as the block is. So all blocks of a cluster wait for each other once "
    "more before they end: a cluster.sync() as the last statement of the kernel, for all its threads."
)
SECOND_CALL = (
    "A program calls a kernel as often as it likes, with the same pointers for other numbers. Does a static or a "
    "__device__ variable remember the last call?"
)
LAUNCHED_AGAIN = (
    "A launch takes some microseconds, however little its kernel does, and one thread at work leaves all others idle. "
    "A grid of many blocks does all elements in one launch."
)
NOT_CLEARED = (
    "Blocks run in any order, and no barrier waits for all of them: a kernel cannot clear what its own blocks add to."
)
ADD_UP = (
    "Shared memory is one block's own: as its last step, behind a barrier, each block adds what it has to the result."
)
FETCHED = (
    "Textures and surfaces are read through a cache that stores of the same launch do not reach, those of the same "
    "thread neither. Write in one launch, and fetch in the next."
)
RESTRICTED = (
    "`const` and `__restrict__` promise the compiler that nothing writes there for as long as the kernel runs, by any "
    "pointer. Where one array is read and written, leave `__restrict__` out."
)
OF_ONE_BLOCK = (
    "atomicAdd() is one for all threads of the GPU, atomicAdd_block() for those of one block, mostly in shared memory."
)
WHOLE_WARPS = "Launch whole warps, a multiple of 32 threads: those behind the last element give a 0, and store nothing."
# By what a finding's message says.
PARTS = (
    "A part of n floats takes `n * sizeof(float)` bytes: the next one begins behind them, and the launch's third number"
    " is the sum of all parts."
)
SAID = {
    "its last warp is not whole": WHOLE_WARPS,
    "a block sets it to 0": NOT_CLEARED,
    "each block has values of its own": ADD_UP,
    "again and again in line": LAUNCHED_AGAIN,
    "is called a second time": SECOND_CALL,
    "through the read-only cache": CACHED,
    "by a texture or surface, and": FETCHED,
    "that is `const` and `__restrict__`, and": RESTRICTED,
    "an atomic whose scope is one block": OF_ONE_BLOCK,
    "may have ended": ENDED,
    "nothing waits for that work": ASYNCHRONOUS,
    "and both reach this element": PARTS,
}
