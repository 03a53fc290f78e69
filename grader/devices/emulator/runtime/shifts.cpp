// What a build with checks calls where a number is shifted by as many bits as it has, or more: gcc's
// -fsanitize=shift-exponent. C++ promises nothing then. A GPU shifts all bits out (PTX, "shl": larger distances are
// clamped to the number's size), while the processor here takes the distance modulo 32 or 64.
#include <algorithm>
#include <string>

#include "gcc_records.h"
#include "machine.h"

namespace ladder {

namespace {

struct Shift {
    SourcePlace place;
    const SourceType* number;
    const SourceType* distance;
};

void shifts_all_out(Thread& thread, const Shift& shift, std::uint64_t distance, std::uint32_t pc) {
    auto& all = thread.executor->findings;
    if (std::any_of(all.begin(), all.end(), [&](const Finding& other) { return other.pc == pc && other.kind == "shift"; })) return;
    const unsigned unused = 64 - std::min(1u << (shift.distance->info >> 1), 64u);   // bits of what was handed over
    const bool is_signed = shift.distance->info & 1;
    Finding finding = finding_at(thread, "shift", pc);
    finding.text = std::to_string(1u << (shift.number->info >> 1)) + '|' +
                   (is_signed ? std::to_string(static_cast<std::int64_t>(distance << unused) >> unused) : std::to_string(distance));
    finding.note = true;
    all.push_back(std::move(finding));
}

}  // namespace

}  // namespace ladder

extern "C" void __ubsan_handle_shift_out_of_bounds(const void* shift, std::uintptr_t, std::uintptr_t distance) {
    using namespace ladder;
    if (Thread* const thread = current) shifts_all_out(*thread, *static_cast<const Shift*>(shift), distance, program_counter(__builtin_return_address(0)));
}
