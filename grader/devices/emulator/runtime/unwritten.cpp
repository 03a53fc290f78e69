#include "unwritten.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "machine.h"

namespace ladder {

namespace {

constexpr std::size_t most_gaps_kept = 1024;    // of one copy: with more they are those of structures
constexpr std::size_t most_gaps_looked_at = 1 << 20;
constexpr std::size_t most_pieces = 65536;
constexpr std::size_t widest_padding = 16;         // bytes of an alignment: a structure's gaps are smaller
constexpr std::size_t most_at_once = 16;   // bytes of one access: memcpy moves whatever there is

// Only then is it known which bytes nothing has written, and what they hold.
bool is_known_unwritten(const Region& source) {
    const Machine& m = machine();
    return m.whole_program && !m.fault && !m.sampling.on() && !m.few_blocks && m.poison && source.initialised &&
           source.sides == Sides::Device && source.bytes <= most_filled &&
           std::ranges::all_of(m.findings, [](const Finding& each) { return each.note; });   // else one of these may be the cause
}

// Host code that copies a structure may load its gaps, too. In an array of numbers all stores have one width.
bool may_be_padding(const Region& source, std::size_t bytes) {
    const bool of_numbers = source.stored_width && !source.stored_otherwise && bytes % source.stored_width == 0;
    return bytes < widest_padding && !of_numbers;
}

}  // namespace

void UnwrittenCopies::forget(Address begin, Address end) {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin()) --piece;
    while (piece != pieces_.end() && piece->first < end) {
        const auto [at, old] = *piece;
        if (old.end <= begin) {
            ++piece;
            continue;
        }
        piece = pieces_.erase(piece);
        if (at < begin) pieces_[at] = {begin, old.from, old.source, old.line};
        if (end < old.end) pieces_[end] = {old.end, old.from + (end - at), old.source, old.line};
    }
    any_ = !pieces_.empty();
}

void UnwrittenCopies::copied(const void* to, const Region& source, Address from, std::size_t bytes, int line) {
    const auto host = reinterpret_cast<Address>(to);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (any()) forget(host, host + bytes);
    if (!is_known_unwritten(source)) return;
    const std::uint8_t* const flags = source.flags_of(from);
    std::vector<std::pair<Address, Piece>> gaps;
    std::size_t looks = 0;
    for (std::size_t at = 0; at < bytes;) {
        const auto* const gap = static_cast<const std::uint8_t*>(std::memchr(flags + at, 0, bytes - at));
        if (!gap) break;
        const auto begin = static_cast<std::size_t>(gap - flags);
        const auto* const next = static_cast<const std::uint8_t*>(std::memchr(gap, 1, bytes - begin));
        at = next ? static_cast<std::size_t>(next - flags) : bytes;
        if (!may_be_padding(source, at - begin)) gaps.push_back({host + begin, {host + at, from + begin, &source, line}});
        if (++looks > most_gaps_looked_at || gaps.size() > most_gaps_kept || pieces_.size() > most_pieces) return;
    }
    pieces_.insert(gaps.begin(), gaps.end());
    any_ = !pieces_.empty();
}

void UnwrittenCopies::access(Address a, std::size_t bytes, bool writes, std::uint32_t pc) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto piece = pieces_.upper_bound(a);
    if (piece == pieces_.begin()) {
        if (writes) forget(a, a + bytes);
        return;
    }
    const auto [begin, found] = *--piece;
    if (writes) return forget(a, a + bytes);
    if (a + bytes > found.end || bytes > most_at_once) return;
    const auto* const held = reinterpret_cast<const unsigned char*>(a);
    const bool is_still_there = std::all_of(held, held + bytes, [](unsigned char byte) { return byte == machine().poison; });
    if (!is_still_there) return forget(a, a + bytes);   // a library has written it, which no callback tells
    Finding finding;
    finding.kind = "uninitialized_read";
    finding.pc = pc;
    finding.access = "read";
    finding.bytes = static_cast<unsigned>(bytes);
    finding.other_line = found.line;
    finding.text = "by the host";
    const Region* const source = found.source;
    machine().findings.push_back(std::move(finding.at(*source, found.from + (a - begin))));
    std::erase_if(pieces_, [=](const auto& each) { return each.second.source == source; });
    any_ = !pieces_.empty();
}

}  // namespace ladder
