// Sets of releases that threads have acquired, by number; 0 is the empty one. A set that is known keeps its number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ladder {

class ReleaseSets {
public:
    struct Part {                                   // the first `count` releases of an object, and the number of the last one
        std::uint32_t object, count, last;
        bool operator==(const Part&) const = default;
    };
    using Set = std::span<const Part>;              // one part an object, by its number

    ReleaseSets() { clear(); }
    void clear();
    Set operator[](std::uint32_t number) const { return {known_[number].begin, known_[number].size}; }
    std::uint64_t hash(std::uint32_t number) const { return known_[number].hash; }
    static std::uint64_t hash_of(Part part);        // of a set: the sum over its parts
    std::uint32_t number_of(Set set, std::uint64_t hash);

private:
    struct Known { const Part* begin; std::uint32_t size; std::uint64_t hash; };
    static constexpr std::size_t fewest_slots = 64, parts_of_a_chunk = 4096;
    const Part* keep(Set set);
    void grow();
    std::uint32_t& free_slot(std::uint64_t hash);

    std::vector<Known> known_;
    std::vector<std::uint32_t> numbers_;            // of known_, a hash table; 0: free
    std::vector<std::unique_ptr<Part[]>> chunks_;   // where the parts lie
    Part* next_ = nullptr;
    std::size_t room_ = 0;                          // behind next_
};

}  // namespace ladder
