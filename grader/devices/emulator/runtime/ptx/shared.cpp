// Addresses of shared memory as PTX has them: small numbers. Dynamic shared memory begins at 0, as descriptors want it,
// and the static arrays lie behind it; both keep their alignment.
#include "lane.h"

namespace ladder {

namespace {

constexpr Address alignment = 1024, gap = 4096;   // between the two, where nothing is

struct Window { Address dynamic, fixed, fixed_at; };   // pointers, and the second one's address

Window window(const Thread& thread) {
    const Executor& executor = *thread.executor;
    const std::size_t bytes = thread.block->launch->launch->shared_bytes;
    return {reinterpret_cast<Address>(executor.dynamic_shared), executor.shared_begin & ~(alignment - 1), (bytes + gap + alignment - 1) & ~(alignment - 1)};
}

}  // namespace

}  // namespace ladder

using namespace ladder;

extern "C" {

// Of a pointer that leads elsewhere, too: what is made from it is out of bounds.
std::size_t ladder_shared_address(const void* pointer) {
    const auto p = reinterpret_cast<Address>(pointer);
    if (!current) return p;
    const Window its = window(*current);
    const Executor& executor = *current->executor;
    const bool is_fixed = p - its.fixed < executor.shared_begin - its.fixed + executor.shared_bytes + gap;
    return static_cast<std::uint32_t>(is_fixed ? p - its.fixed + its.fixed_at : p - its.dynamic);
}

void* ladder_shared_pointer(std::size_t address) {
    if (!current) return reinterpret_cast<void*>(address);
    const Window its = window(*current);
    const auto a = static_cast<std::int32_t>(address);
    const bool is_fixed = a >= 0 && static_cast<Address>(a) >= its.fixed_at;
    return reinterpret_cast<void*>(is_fixed ? its.fixed + static_cast<Address>(a) - its.fixed_at : its.dynamic + static_cast<Address>(static_cast<std::int64_t>(a)));
}

}  // extern "C"
