// __pipeline_memcpy_async and its kin: a thread's own copies.
#pragma once

#include "async_copy.h"

// Copies `bytes` (4, 8 or 16) of which the last `zeros` are not read but set to zero.
LADDER_INLINE void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0,
                                           LADDER_LINE) {
    if (bytes != 4 && bytes != 8 && bytes != 16) ladder_trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes", line);
    if (zeros > bytes) ladder_trap("__pipeline_memcpy_async cannot set more bytes to zero than it copies", line);
    if (!__builtin_constant_p(zeros) || zeros != 0) {
        ladder::copy_part(to, from, bytes, zeros);
    } else if (bytes == 16) {
        ladder::copy_word<16>(to, from, ladder::Waited::Primitives);
    } else if (bytes == 8) {
        ladder::copy_word<8>(to, from, ladder::Waited::Primitives);
    } else {
        ladder::copy_word<4>(to, from, ladder::Waited::Primitives);
    }
}
LADDER_INLINE void __pipeline_commit() { ladder_copies_committed(); }
LADDER_INLINE void __pipeline_wait_prior(std::size_t newer) { ladder_copies_awaited(newer); }
