// Copies from global to shared memory that need no registers: what __pipeline_memcpy_async, cuda::memcpy_async and
// cooperative_groups::memcpy_async are made of.
//
// The data is copied at once, but the runtime knows that it need not be there until it was waited for: who looks at it
// before that has a race with the copy.
#pragma once

#include "block.h"
#include "vector_types.h"

namespace ladder {

template <unsigned bytes> LADDER_INLINE void copy_word(void* to, const void* from, Waited by) {
    using Bits = typename Word<bytes>::type;
    *static_cast<Bits*>(to) = *static_cast<const Bits*>(from);
    ladder_copy_issued(to, from, bytes, by);
}
// No asynchronous copy moves less than four bytes.
template <> LADDER_INLINE void copy_word<2>(void* to, const void* from, Waited) { *static_cast<short*>(to) = *static_cast<const short*>(from); }
template <> LADDER_INLINE void copy_word<1>(void* to, const void* from, Waited) { *static_cast<char*>(to) = *static_cast<const char*>(from); }

// Lanes that read all, some or none of their bytes are one instruction.
LADDER_INLINE void copy_part(void* to, const void* from, std::size_t bytes, std::size_t zeros) {
    const Quad value = ladder_copy_load(from, bytes, zeros);
    const Word<8>::type low = reinterpret_cast<const unsigned long long __attribute__((vector_size(16)))&>(value)[0];
    if (bytes == 16) *static_cast<Word<16>::type*>(to) = value;
    else if (bytes == 8) *static_cast<Word<8>::type*>(to) = low;
    else *static_cast<Word<4>::type*>(to) = value[0];
    ladder_copy_issued(to, zeros < bytes ? from : nullptr, bytes, Waited::Primitives);
}

// Threads `rank` of `size` copy words in turn.
template <unsigned bytes>
LADDER_INLINE void copy_words(char* to, const char* from, std::size_t total, std::size_t rank, std::size_t size, Waited by) {
    for (std::size_t at = rank * bytes; at < total; at += size * bytes) copy_word<bytes>(to + at, from + at, by);
}

LADDER_INLINE bool aligned_to(std::size_t bytes, const void* to, const void* from, std::size_t total) {
    return (reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | total) % bytes == 0;
}

// In the widest words that both addresses and the size allow.
template <class Group>
LADDER_INLINE void copy_by_group(const Group& group, char* to, const char* from, std::size_t bytes) {
    const std::size_t rank = group.thread_rank(), size = group.size();
    if (aligned_to(16, to, from, bytes)) copy_words<16>(to, from, bytes, rank, size, Waited::Group);
    else if (aligned_to(8, to, from, bytes)) copy_words<8>(to, from, bytes, rank, size, Waited::Group);
    else if (aligned_to(4, to, from, bytes)) copy_words<4>(to, from, bytes, rank, size, Waited::Group);
    else copy_words<1>(to, from, bytes, rank, size, Waited::Group);
    ladder_copies_committed();
}

}  // namespace ladder
