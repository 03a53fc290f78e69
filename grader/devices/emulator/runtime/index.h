// A position in a grid or a block, as blockIdx and threadIdx give it.
#pragma once

#include <cstdint>

namespace ladder {

struct Index { unsigned x, y, z; };

// The position with this number in something of that size. CUDA counts x first.
inline Index index_of(std::uint64_t number, const Index& size) {
    return {static_cast<unsigned>(number % size.x), static_cast<unsigned>(number / size.x % size.y),
            static_cast<unsigned>(number / size.x / size.y)};
}

// And back.
inline std::uint64_t number_of(const Index& at, const Index& size) {
    return (std::uint64_t{at.z} * size.y + at.y) * size.x + at.x;
}

}  // namespace ladder
