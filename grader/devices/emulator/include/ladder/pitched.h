// Pitched memory of three dimensions: planes of rows.
#pragma once

#include "transfer.h"

struct cudaExtent { std::size_t width, height, depth; };
struct cudaPos { std::size_t x, y, z; };
struct cudaPitchedPtr {
    void* ptr;
    std::size_t pitch, xsize, ysize;
};
inline LADDER_UNSEEN cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) { return {width, height, depth}; }
inline LADDER_UNSEEN cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }
inline LADDER_UNSEEN cudaPitchedPtr make_cudaPitchedPtr(void* p, std::size_t pitch, std::size_t x, std::size_t y) { return {p, pitch, x, y}; }

inline LADDER_UNSEEN cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent, LADDER_LINE) {
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth, line);
}

namespace ladder {

inline LADDER_UNSEEN cudaError_t set_planes(cudaPitchedPtr to, int value, cudaExtent extent, int line) {
    for (std::size_t z = 0; z < extent.depth; ++z)
        if (const auto error = set_rows(byte(to.ptr, z * to.ysize * to.pitch), to.pitch, value, extent.width, extent.height, line))
            return error;
    return status();
}

}  // namespace ladder

inline LADDER_UNSEEN cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent, LADDER_LINE) {
    return ladder::synchronous(line, [=]() LADDER_UNSEEN { return ladder::set_planes(to, value, extent, line); });
}
inline LADDER_UNSEEN cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = nullptr, LADDER_LINE) {
    return ladder::asynchronous(stream, line, [=]() LADDER_UNSEEN { return ladder::set_planes(to, value, extent, line); });
}
