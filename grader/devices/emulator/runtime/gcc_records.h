// What gcc's sanitizers hand to their functions (gcc/ubsan.cc).
#pragma once

#include <cstdint>

namespace ladder {

struct SourcePlace {
    const char* file;
    std::uint32_t line, column;
};
struct SourceType {
    std::uint16_t kind, info;   // of a whole number: 0, and whether it is signed in bit 0, its bits' logarithm above; of another: 1 and its bits
    char name[];                // "'float [4][32]'"
};

}  // namespace ladder
