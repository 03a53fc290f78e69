// How many warps a block has: shared by the rungs whose warps have queries or keys of their own.

#pragma once

#include <cstdint>

inline int ask(cudaDeviceAttr what) {
    int device, answer;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&answer, what, device);
    return answer;
}

inline bool fits(int bytes) { return bytes <= ask(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

// A block's warps: fewer than `most` where these do not fit, or would leave a third of the GPU without a block.
template <class Bytes, class Blocks> int choose_warps(Bytes bytes_of, Blocks blocks_of, int most) {
    int multiprocessors = ask(cudaDevAttrMultiProcessorCount), warps = most;
    while (warps > 1 && (!fits(bytes_of(warps)) || 3 * blocks_of(warps) < 2 * multiprocessors)) warps /= 2;
    return warps;
}
