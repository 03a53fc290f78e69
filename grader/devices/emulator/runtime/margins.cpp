// The margins around local arrays in the checking build (include/ladder/margins.h): whoever touches them has left the array.
#include "margins.h"

#include "machine.h"

namespace ladder {

void touch_margins(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    for (auto margin = thread.margins.rbegin(); margin != thread.margins.rend(); ++margin) {
        const Address end = margin->array + margin->bytes;
        if (a + bytes <= margin->array - margin->width || a >= end + margin->width) continue;
        if (a >= margin->array && a + bytes <= end) return;
        const Address at = a < margin->array ? a : std::max(a, end);
        const auto away = static_cast<long long>(at - margin->array), element = static_cast<long long>(margin->element);
        Finding finding = finding_at(thread, "own_array", pc);
        finding.access = writes ? "write" : "read";
        finding.array = margin->name;
        finding.array_bytes = margin->bytes / margin->element;
        finding.offset = away < 0 ? -((element - 1 - away) / element) : away / element;
        die(thread, std::move(finding));
    }
}

}  // namespace ladder

using namespace ladder;

extern "C" {

void ladder_margins(const volatile void* array, std::size_t bytes, std::size_t element, std::size_t width, const char* name) {
    Thread* const thread = current;
    if (!thread) return;   // the host's
    thread->margins.push_back({reinterpret_cast<Address>(array), bytes, element, width, name});
    thread->own_region = no_region;
}

void ladder_no_margins(const volatile void* array) {
    Thread* const thread = current;
    if (!thread) return;
    std::erase_if(thread->margins, [=](const Margin& margin) { return margin.array == reinterpret_cast<Address>(array); });
    thread->own_region = thread->margins.empty() ? stack_region : no_region;
}

}
