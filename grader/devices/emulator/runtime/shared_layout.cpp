#include "shared_layout.h"

#include <algorithm>
#include <string>

namespace ladder {

constexpr std::size_t aligned_here = 16;   // by __shared__ (include/ladder/qualifiers.h)

std::size_t bytes_before(const Region& array, bool touched_only) {
    std::size_t at = 0;
    for (const Region* each : array.laid_out->arrays) {
        if (touched_only && !each->touched && each != &array) continue;
        at = round_up(at, each->alignment);
        if (each == &array) break;
        at += each->bytes;
    }
    return at;
}

void lay_out_shared(const Module& module, const Symbol* kernel, const std::vector<Region*>& arrays) {
    if (module.declared.empty() || !kernel) return;
    const auto layout = std::make_shared<SharedLayout>();
    for (Region* array : arrays) {
        if (array->name.empty()) continue;   // the dynamic one, at a multiple of 16 behind all others
        const auto found = module.declared.find(array->name);
        if (found == module.declared.end() || !found->second.alignment) return;
        if (owner_of(array->name) != kernel->name) continue;
        array->alignment = found->second.alignment, array->declared = found->second.order;
        layout->arrays.push_back(array);
    }
    std::sort(layout->arrays.begin(), layout->arrays.end(), [](const Region* a, const Region* b) { return a->declared < b->declared; });
    for (Region* array : layout->arrays) {
        array->laid_out = layout;
        array->skew = bytes_before(*array, false) % aligned_here;
    }
}

bool is_misaligned(const Region& region, Address a, unsigned bytes) {
    if (a & (bytes - 1)) return true;
    const auto differs = [&](std::size_t before) { return (a - region.begin + before) & (bytes - 1); };
    return region.skew && differs(bytes_before(region, false)) && differs(bytes_before(region, true));
}

}  // namespace ladder
