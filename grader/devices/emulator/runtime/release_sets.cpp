#include "release_sets.h"

#include <algorithm>

namespace ladder {

void ReleaseSets::clear() {
    known_.assign(1, {});
    numbers_.assign(fewest_slots, 0);
    chunks_.clear();
    room_ = 0;
}

std::uint64_t ReleaseSets::hash_of(Part part) {
    const std::uint64_t hash = ((std::uint64_t{part.object} << 32 | part.count) + 1) * 0xff51afd7ed558ccdu;
    return (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53u;   // MurmurHash3's mixer
}

const ReleaseSets::Part* ReleaseSets::keep(Set set) {
    if (set.size() > room_) {
        room_ = std::max(set.size(), parts_of_a_chunk);
        next_ = chunks_.emplace_back(std::make_unique_for_overwrite<Part[]>(room_)).get();
    }
    Part* const begin = next_;
    std::copy(set.begin(), set.end(), begin);
    next_ += set.size();
    room_ -= set.size();
    return begin;
}

std::uint32_t& ReleaseSets::free_slot(std::uint64_t hash) {
    std::size_t slot = hash;
    while (numbers_[slot & (numbers_.size() - 1)]) ++slot;
    return numbers_[slot & (numbers_.size() - 1)];
}

void ReleaseSets::grow() {
    numbers_.assign(4 * numbers_.size(), 0);
    for (std::uint32_t each = 1; each < known_.size(); ++each) free_slot(known_[each].hash) = each;
}

std::uint32_t ReleaseSets::number_of(Set set, std::uint64_t hash) {
    for (std::size_t slot = hash;; ++slot) {
        std::uint32_t& number = numbers_[slot & (numbers_.size() - 1)];
        if (number == 0) {
            const auto made = number = static_cast<std::uint32_t>(known_.size());
            known_.push_back({keep(set), static_cast<std::uint32_t>(set.size()), hash});
            if (2 * known_.size() > numbers_.size()) grow();
            return made;
        }
        const Known& known = known_[number];
        if (known.hash == hash && std::equal(set.begin(), set.end(), known.begin, known.begin + known.size)) return number;
    }
}

}  // namespace ladder
