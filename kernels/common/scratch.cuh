// Scratch memory for a kernel's own use, and the small functions of the host that several top rungs need.

#pragma once

#include <cstdint>

inline unsigned ceil_div(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count - 1) / size + 1);
}

// The smallest power of two from n on, but never more than `most`.
inline unsigned power_of_two(unsigned n, unsigned most) {
    unsigned power = 1;
    while (power < n && power < most) {
        power *= 2;
    }
    return power;
}

inline unsigned multiprocessors() {
    int device, count;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

// Lets the pool of cudaMallocAsync keep some memory. As it is, it returns all of it to the system whenever the host
// waits for the GPU, and the next call takes 150 us to get some back. While a graph is captured the pool must be left
// alone; a graph has memory of its own.
inline void keep_scratch(cudaStream_t stream) {
    auto capturing = cudaStreamCaptureStatusActive;
    cudaStreamIsCapturing(stream, &capturing);
    if (capturing != cudaStreamCaptureStatusNone) {
        return;
    }
    int device;
    cudaMemPool_t pool;
    std::uint64_t kept = 0, wanted = 64 << 20;
    cudaGetDevice(&device);
    cudaDeviceGetDefaultMemPool(&pool, device);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    if (kept < wanted) {
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &wanted);
    }
}

// Memory that is taken and given back in the order of the stream: calls on other streams have their own.
struct Scratch {
    float* data = nullptr;
    cudaStream_t stream;

    Scratch(std::int64_t count, cudaStream_t stream) : stream(stream) {
        keep_scratch(stream);
        cudaMallocAsync(&data, count * sizeof(float), stream);
    }
    ~Scratch() { cudaFreeAsync(data, stream); }
};
