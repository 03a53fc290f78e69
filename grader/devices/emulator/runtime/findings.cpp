#include "findings.h"

#include "machine.h"

namespace ladder {

Finding& Finding::at(const Region& region, Address a) {
    if (region.is_heap)
        if (const Region* const part = machine().heap.around(a)) return at(*part, a);
    address = a;
    array = region.name;
    array_line = region.line;
    array_order = machine().memory.order_of(region);
    array_bytes = region.bytes;
    offset = static_cast<long long>(a - region.begin);
    space = region.space == Space::Shared ? "shared" : "global";
    return *this;
}

int error_of_launch(const std::vector<Finding>& findings, std::uint64_t launch) {
    for (const Finding& each : findings) {
        if (each.launch != launch || each.note) continue;
        if (each.kind == "out_of_bounds" && each.space != "shared") return IllegalAddress;
        if (each.kind == "misaligned") return MisalignedAddress;
        if (each.kind == "assert") return Assertion;
    }
    return LaunchFailure;
}

}  // namespace ladder
