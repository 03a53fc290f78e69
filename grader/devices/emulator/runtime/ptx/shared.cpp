// Addresses of shared memory as PTX has them: small numbers. Dynamic shared memory begins at 0, as descriptors want it,
// and the static arrays lie behind it; both keep their alignment. Those of another block of the cluster are the same with its
// rank above.
#include "lane.h"

namespace ladder {

namespace {

constexpr Address alignment = 1024, gap = 4096;   // between the two, where nothing is
constexpr unsigned rank_shift = 24;

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
    const Executor& executor = *current->executor;
    const Clusters& clusters = current->block->launch->clusters;
    const unsigned own = clusters.rank(current->block->index);
    if (const int rank = clusters.any() ? executor.clusters.rank_of(p) : -1; rank >= 0 && static_cast<unsigned>(rank) != own)
        return ladder_shared_address(executor.clusters.map(p, own)) | static_cast<std::size_t>(rank + 1) << rank_shift;
    const Window its = window(*current);
    const bool is_fixed = p - its.fixed < executor.shared_begin - its.fixed + executor.shared_bytes + gap;
    return static_cast<std::uint32_t>(is_fixed ? p - its.fixed + its.fixed_at : p - its.dynamic);
}

void* ladder_shared_pointer(std::size_t address) {
    if (!current) return reinterpret_cast<void*>(address);
    const auto rank = static_cast<unsigned>(address >> rank_shift & 0x1f);
    if (const Clusters& clusters = current->block->launch->clusters; clusters.any() && rank > 0 && rank <= clusters.blocks()) {
        void* const own = ladder_shared_pointer(address & ((std::size_t{1} << rank_shift) - 1));
        void* const mapped = current->executor->clusters.map(reinterpret_cast<Address>(own), rank - 1);
        return mapped ? mapped : own;
    }
    const Window its = window(*current);
    const auto a = static_cast<std::int32_t>(address);
    const bool is_fixed = a >= 0 && static_cast<Address>(a) >= its.fixed_at;
    return reinterpret_cast<void*>(is_fixed ? its.fixed + static_cast<Address>(a) - its.fixed_at : its.dynamic + static_cast<Address>(static_cast<std::int64_t>(a)));
}

}  // extern "C"
