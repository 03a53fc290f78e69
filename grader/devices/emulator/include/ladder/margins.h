// Of the checking build alone: what emulator/margins.py makes of a local array whose address is lent.
#pragma once

#ifndef __CUDA__
#include "abi.h"

namespace ladder {

// Enough for a walk one too far and for a vector over the end, and a multiple of any alignment that an access needs: what is
// declared with `alignas` lies where it should. Not more, for stacks are small.
constexpr unsigned long margin = 64;

// An array between bytes that no variable has.
template <class Array> struct WithMargins {
    unsigned char before[margin];
    Array at;
    unsigned char behind[margin];
};

// While it lives, the runtime refuses accesses to these bytes.
class Margins {
public:
    template <class Array> LADDER_UNSEEN Margins(const WithMargins<Array>& array, const char* name)
        : array_(&array.at) {
        ladder_margins(&array.at, sizeof array.at, sizeof array.at[0], margin, name);
    }
    LADDER_UNSEEN ~Margins() { ladder_no_margins(array_); }
    Margins(const Margins&) = delete;

private:
    const volatile void* array_;
};

}  // namespace ladder

#endif
