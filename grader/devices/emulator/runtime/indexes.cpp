// What the checking build calls (emulator/checked.py) where an index leaves its own array: gcc's -fsanitize=bounds-strict.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "gcc_records.h"
#include "machine.h"

namespace ladder {

namespace {

struct OutOfBounds {
    SourcePlace place;
    const SourceType* array;
    const SourceType* index;
};

std::string name_of_place(const SourcePlace& place) {
    const std::string file = place.file;
    return file.substr(file.rfind('/') + 1) + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::uint64_t elements_of(const SourceType& array) {
    const char* const bracket = std::strchr(array.name, '[');
    return bracket ? std::strtoull(bracket + 1, nullptr, 10) : 0;
}

// An element is used here, not only its address taken: emulator/subscripts.py.
constexpr std::int64_t one_past = std::numeric_limits<std::int64_t>::min();   // include/ladder/used.h

// Behind a local array lies another variable, or a register that was never meant: the block is given up. Shared and global
// arrays lie in memory, where each access is checked for itself.
void leaves_its_array(Thread& thread, const OutOfBounds& found, std::int64_t index) {
    const auto known = machine().module.indexes.find(name_of_place(found.place));
    if (known == machine().module.indexes.end()) return;   // in a header
    const std::int64_t elements = elements_of(*found.array);
    const bool is_used = index == elements + one_past;
    if (is_used) index = elements;
    const bool is_local = known->second.value, takes_address = known->second.bytes;
    if (takes_address && !is_used && index == elements) return;   // of what is one past the end, as the end of a walk
    Finding finding = finding_at(thread, "own_array", 0);
    finding.line = static_cast<int>(found.place.line);
    finding.text = known->first;
    finding.array_bytes = elements;
    finding.offset = index;
    if (is_local) die(thread, std::move(finding));
    finding.note = true;
    auto& all = thread.executor->findings;
    const auto same = [&](const Finding& other) { return other.kind == finding.kind && other.text == finding.text; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(finding));
}

}  // namespace

}  // namespace ladder

extern "C" void __ubsan_handle_out_of_bounds(const void* found, std::uintptr_t index) {
    using namespace ladder;
    if (Thread* const thread = current) leaves_its_array(*thread, *static_cast<const OutOfBounds*>(found), static_cast<std::int64_t>(index));
}
