// Of the checking build alone: what emulator/margins.py makes of a local array whose address is lent.
#pragma once

#ifndef __CUDA__
#include "abi.h"

namespace ladder {

// How many bytes of margin: as many as the array has, so that `<=` and a vector too far are seen, and 64 at most, for
// stacks are small.
constexpr unsigned long most_margin = 64;
constexpr unsigned long margin_of(unsigned long bytes) { return bytes < most_margin ? (bytes + 15) / 16 * 16 : most_margin; }

// An array between bytes that belong to nobody. One that is declared with an alignment has the largest margin: then it is
// aligned as this is.
template <class Array, unsigned long margin = margin_of(sizeof(Array))> struct WithMargins {
    unsigned char before[margin];
    Array at;
    unsigned char behind[margin];
};
template <class Array> using AlignedWithMargins = WithMargins<Array, most_margin>;

// While it lives, the runtime refuses accesses to these bytes.
class Margins {
public:
    template <class Array, unsigned long margin> LADDER_UNSEEN Margins(const WithMargins<Array, margin>& array, const char* name)
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
