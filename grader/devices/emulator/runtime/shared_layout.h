// Where nvcc puts a kernel's own shared arrays: in the order of their declarations, each at the next multiple of what it
// is aligned to (nvcc 13.0, by the addresses in its machine code for sm_75 and sm_80). Here each lies at a multiple of 16.
#pragma once

#include <vector>

#include "memory.h"

namespace ladder {

// Notes at each array of this kernel's where it would lie, and how far that is from a multiple of 16. Does nothing if some
// shared array of the file is not known to be a kernel's own: what other functions declare may come first.
void lay_out_shared(const Module& module, const Symbol* kernel, const std::vector<Region*>& arrays);

// The bytes of shared memory before an array of these on a GPU.
std::size_t bytes_before(const Region& array, bool touched_only = false);

// Whether an access of so many bytes, a power of two, would be misaligned on a GPU, or is here. What no thread has
// touched yet nvcc may have left out: it counts only if it makes no difference.
bool is_misaligned(const Region& region, Address a, unsigned bytes);

}  // namespace ladder
