// new and delete. g++ knows what its own do: that no pointer leads to new memory but the one it gives, and that what delete gets
// is not read again. So it would keep values in registers, and leave out stores before a delete, and no callback would see
// what a kernel does past the end of such memory, or after it was freed. Of calls of the runtime it knows nothing.
#pragma once

#include "qualifiers.h"

#ifndef __CUDA__

// A file's own definition takes the place of these.
#define LADDER_HEAP extern inline __attribute__((gnu_inline))
LADDER_HEAP void* operator new(std::size_t bytes) { return ladder_new(bytes); }
LADDER_HEAP void* operator new[](std::size_t bytes) { return ladder_new(bytes); }
LADDER_HEAP void operator delete(void* p) noexcept { ladder_delete(p); }
LADDER_HEAP void operator delete[](void* p) noexcept { ladder_delete(p); }
LADDER_HEAP void operator delete(void* p, std::size_t) noexcept { ladder_delete(p); }
LADDER_HEAP void operator delete[](void* p, std::size_t) noexcept { ladder_delete(p); }
#undef LADDER_HEAP

#endif
