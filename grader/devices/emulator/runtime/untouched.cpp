#include "untouched.h"

#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ladder {

namespace {

constexpr std::size_t most_extents = 64;
constexpr std::size_t most_looked_at = std::size_t{64} << 20;   // bytes of an array
constexpr int most_looks = 16;   // at an array that goes to the host again and again
constexpr std::size_t few_beyond = 2;   // elements of a halo, or the last of offsets: not known to be for threads

std::vector<std::uint64_t> numbers_in(const void* arguments, std::size_t bytes) {
    std::vector<std::uint64_t> found;
    for (std::size_t at = 0; at + 4 <= bytes; at += 4) {
        std::uint32_t number;
        std::memcpy(&number, static_cast<const char*>(arguments) + at, 4);
        if (number > 1) found.push_back(number);
    }
    return found;
}

std::set<int> arrays_in(const void* arguments, std::size_t bytes) {
    const DeviceMemory& memory = machine().memory;
    std::set<int> found;
    for (std::size_t at = 0; at + sizeof(Address) <= bytes; at += sizeof(Address)) {
        Address a;
        std::memcpy(&a, static_cast<const char*>(arguments) + at, sizeof a);
        const Region* const region = memory.can_be_device(a) ? memory.find(a) : nullptr;
        if (region) found.insert(region->id);
    }
    return found;
}

// Whether kernels have touched each byte of an array, and whether they have written it.
class TouchedBytes {
public:
    explicit TouchedBytes(const Region& region) : bytes_(region.bytes), loaded_(region.bytes / 8 + 2), stored_(region.bytes / 8 + 2) {
        for (const auto& executor : machine().executors) {
            add(loaded_, executor->loaded_bytes, region);
            add(stored_, executor->stored_bytes, region);
        }
    }
    bool stored(std::size_t byte) const { return stored_[byte / 8] >> byte % 8 & 1; }
    bool any(std::size_t byte) const { return (stored_[byte / 8] | loaded_[byte / 8]) >> byte % 8 & 1; }
    std::size_t end() const {   // behind the last byte that is touched
        for (std::size_t byte = bytes_; byte > 0; --byte)
            if (any(byte - 1)) return byte;
        return 0;
    }

private:
    using Bits = std::vector<std::uint8_t>;
    static void add(Bits& into, const std::vector<Lazy<std::uint8_t>>& all, const Region& region) {
        const auto id = static_cast<std::size_t>(region.id);
        if (id >= all.size() || !all[id]) return;
        for (std::size_t i = 0; i < std::min(into.size(), all[id].size()); ++i) into[i] |= all[id].data()[i];
    }
    std::size_t bytes_;
    Bits loaded_, stored_;
};

std::uint64_t threads_of(const Extent& extent, int axis) {
    const unsigned grid[] = {extent.grid.x, extent.grid.y, extent.grid.z}, block[] = {extent.block.x, extent.block.y, extent.block.z};
    return std::uint64_t{grid[axis]} * block[axis];
}

// Whether the kernel was told that there are so many elements: by a number, or by two that it is a product of.
bool is_told(const Extent& extent, std::uint64_t elements) {
    return std::ranges::any_of(extent.numbers, [&](std::uint64_t a) {
        return a == elements || (elements % a == 0 && std::ranges::find(extent.numbers, elements / a) != extent.numbers.end());
    });
}

// Rows of elements, of which threads have had the first ones of the first rows: a list is one row.
struct Covered { std::size_t width, rows, columns, rows_had, element; };

// Whether threads have had exactly this part, the last element included, and have written at least half of it.
bool is_all_that_was_had(const TouchedBytes& touched, const Covered& part) {
    std::size_t written = 0;
    const auto byte_of = [&](std::size_t row, std::size_t column) { return (row * part.width + column) * part.element; };
    for (std::size_t row = 0; row < part.rows; ++row)
        for (std::size_t column = 0; column < part.width; ++column) {
            const bool had = row < part.rows_had && column < part.columns;
            if (!had && touched.any(byte_of(row, column))) return false;
            written += had && touched.stored(byte_of(row, column));
        }
    const bool last = touched.stored(byte_of(part.rows_had - 1, part.columns - 1));
    return last && 2 * written >= part.rows_had * part.columns;
}

bool file_note(Region& region, const Extent& extent, const Covered& part) {
    const std::size_t first = part.columns < part.width ? part.columns : part.rows_had * part.width;
    const std::size_t left = part.rows * part.width - part.rows_had * part.columns;
    Finding finding;
    finding.kind = "untouched";
    finding.note = true;
    finding.kernel = extent.kernel;
    finding.line = extent.line;
    finding.bytes = static_cast<unsigned>(part.element);
    for (const std::size_t number : {std::size_t{extent.grid.x}, std::size_t{extent.grid.y}, std::size_t{extent.block.x}, std::size_t{extent.block.y}, left, part.rows})
        finding.text += std::to_string(number) + ' ';
    machine().findings.push_back(std::move(finding.at(region, region.begin + first * part.element)));
    region.told_untouched = true;
    return true;
}

// One thread for each element of a list, or for each few.
bool note_list(Region& region, const Extent& extent, const TouchedBytes& touched, std::size_t end) {
    if (extent.grid.y * extent.grid.z * extent.block.y * extent.block.z != 1) return false;
    const std::size_t threads = threads_of(extent, 0);
    for (const unsigned element : {region.stored_width, 4u, 8u, 1u, 2u, 16u})
        for (const std::size_t each : {1, 2, 4, 8, 16}) {
            const std::size_t had = threads * each, all = element ? region.bytes / element : 0;
            if (had * element != end || had >= all || region.bytes % element) continue;
            const bool meant = std::ranges::find(extent.numbers, had) != extent.numbers.end();   // what lies behind is for another use
            const bool rounded = !meant && element == region.stored_width && all - had > few_beyond && all - had < extent.block.x * each;
            if ((rounded || is_told(extent, all)) && is_all_that_was_had(touched, {all, 1, had, 1, element})) return file_note(region, extent, {all, 1, had, 1, element});
        }
    return false;
}

// One thread for each element of rows, across them or along.
bool note_rows(Region& region, const Extent& extent, const TouchedBytes& touched) {
    const std::size_t x = threads_of(extent, 0), y = threads_of(extent, 1);
    if (y == 1 || threads_of(extent, 2) != 1) return false;
    for (const std::uint64_t width : extent.numbers)
        for (const std::uint64_t rows : extent.numbers)
            for (const std::size_t element : {1, 2, 4, 8, 16}) {
                if (width * rows * element != region.bytes) continue;
                for (const auto& [across, along] : {std::pair{x, y}, std::pair{y, x}}) {
                    const Covered part = {width, rows, std::min<std::size_t>(across, width), std::min<std::size_t>(along, rows), element};
                    const bool fewer = across < width || along < rows;
                    if (fewer && is_all_that_was_had(touched, part)) return file_note(region, extent, part);
                }
            }
    return false;
}

}  // namespace

bool Extent::operator==(const Extent& other) const {
    const auto same = [](const Index& a, const Index& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
    return line == other.line && same(grid, other.grid) && same(block, other.block) && numbers == other.numbers && kernel == other.kernel;
}

void Extents::add(const Launch& launch, bool counted) {
    incomplete = incomplete || !counted || seen.size() > most_extents;
    if (incomplete) return;
    Extent extent{launch.kernel, launch.line, {launch.grid[0], launch.grid[1], launch.grid[2]}, {launch.block[0], launch.block[1], launch.block[2]},
                  numbers_in(launch.arguments, launch.argument_bytes), arrays_in(launch.arguments, launch.argument_bytes)};
    const auto known = std::ranges::find(seen, extent);
    if (known == seen.end()) seen.push_back(std::move(extent));
    else known->arrays.merge(extent.arrays);
}

bool note_untouched(Region& region, std::size_t bytes) {
    const Machine& m = machine();
    if (!m.whole_program || m.extents.incomplete || m.fault || m.sampling.on() || region.told_untouched || region.has_atomics || region.bytes > most_looked_at) return false;
    if (std::ranges::any_of(m.findings, [](const Finding& each) { return !each.note; })) return false;   // one of these may be the cause
    if (++region.looks_for_untouched > most_looks) return false;
    const TouchedBytes touched(region);
    const std::size_t end = touched.end();
    if (end == 0 || bytes <= end) return false;
    return std::ranges::any_of(m.extents.seen, [&](const Extent& extent) {
        return extent.arrays.contains(region.id) && (note_list(region, extent, touched, end) || note_rows(region, extent, touched));
    });
}

// It holds zeros, and is nearly always meant to get others. So it is where no kernel reads the others, which came too late.
void note_constants_never_set() {
    const Machine& m = machine();
    for (const auto& region : m.memory.regions()) {
        const bool is_late = region->read_early_pc && !region->read_pc;
        if (!m.whole_program || region->asked || !(is_late || (region->read_pc && !region->set_by_host))) continue;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(region->begin);
        if (is_late != std::any_of(bytes, bytes + region->bytes, [](unsigned char each) { return each != 0; })) continue;
        Finding finding;
        finding.kind = "constant_never_set";
        finding.note = true;
        finding.pc = is_late ? region->read_early_pc : region->read_pc;
        finding.other_line = is_late ? region->set_late_line : 0;
        machine().findings.push_back(std::move(finding.at(*region, region->begin)));
    }
}

void note_untouched_of_both_sides() {
    for (const auto& region : machine().memory.regions())
        if (region->sides != Sides::Device && !region->is_managed) note_untouched(*region, region->bytes);
}

}  // namespace ladder
