#include "findings.h"

#include "memory.h"

namespace ladder {

Finding& Finding::at(const Region& region, Address a) {
    address = a;
    array = region.name;
    array_line = region.line;
    array_order = machine().memory.order_of(region);
    array_bytes = region.bytes;
    offset = static_cast<long long>(a - region.begin);
    space = region.space == Space::Shared ? "shared" : "global";
    return *this;
}

}  // namespace ladder
