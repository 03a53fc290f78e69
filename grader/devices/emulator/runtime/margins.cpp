// The margins around local variables in the checking build (include/ladder/margins.h): whoever touches them has left the variable.
#include "margins.h"

#include <algorithm>
#include <utility>

#include "machine.h"

namespace ladder {

namespace {

// What is declared as floats and used as a vector lies wherever that variable does.
void touch_across(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    const auto around = std::find_if(thread.margins.rbegin(), thread.margins.rend(), [=](const Margin& each) { return a - each.array < each.bytes; });
    if (around == thread.margins.rend()) return;
    Finding finding = finding_at(thread, "misaligned", pc);
    finding.access = writes ? "write" : "read";
    finding.array = around->name;
    finding.space = "variable";
    finding.bytes = bytes;
    finding.offset = static_cast<long long>(a - around->array);
    die(thread, std::move(finding));
}

}  // namespace

void touch_margins(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    const auto touched = std::find_if(thread.margins.rbegin(), thread.margins.rend(), [=](const Margin& each) { return !is_clear({&each, 1}, a, bytes); });
    if (touched == thread.margins.rend()) {
        if (a & (bytes - 1)) touch_across(thread, a, bytes, writes, pc);
        return;
    }
    const Address at = a < touched->array ? a : std::max(a, touched->array + touched->bytes);
    const bool is_one = !touched->element;   // no array
    const auto away = static_cast<long long>(at - touched->array), element = is_one ? 1 : static_cast<long long>(touched->element);
    Finding finding = finding_at(thread, "own_array", pc);
    finding.access = writes ? "write" : "read";
    finding.array = touched->name;
    finding.array_bytes = touched->bytes / element;
    finding.offset = away < 0 ? -((element - 1 - away) / element) : away / element;
    if (is_one) finding.space = "variable";
    die(thread, std::move(finding));
}

bool is_of_a_thread(const Block& block, std::uintptr_t a) {
    const std::size_t owner = block.stacks->owner_of(a);
    return owner < block.threads.size() && block.stacks->is_in_use(owner, block.threads[owner].fiber, a);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

void ladder_margins(const volatile void* array, std::size_t bytes, std::size_t element, std::size_t width, const char* name) {
    Thread* const thread = current;
    if (!thread) return;   // the host's
    thread->margins.push_back({reinterpret_cast<Address>(array), bytes, element, width, name});
    thread->has_margins = true;
    thread->is_unseen_on_stack = !machine().whole_program;
}

void ladder_no_margins(const volatile void* array) {
    Thread* const thread = current;
    if (!thread) return;
    std::erase_if(thread->margins, [=](const Margin& margin) { return margin.array == reinterpret_cast<Address>(array); });
    thread->has_margins = !thread->margins.empty();
    thread->is_unseen_on_stack = thread->is_unseen_on_stack && thread->has_margins;
}

}
