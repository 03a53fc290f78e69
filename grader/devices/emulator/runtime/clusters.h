// Thread block clusters: which blocks form one, and the shared memory that they have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "index.h"
#include "memory.h"

namespace ladder {

struct Block;

// The clusters of a launch: blocks of a grid in boxes of one size.
struct Clusters {
    Index size{1, 1, 1}, grid{1, 1, 1};   // blocks of a cluster, and of the launch
    bool named = false;                   // by the launch, or by its kernel

    std::uint64_t blocks() const { return std::uint64_t{size.x} * size.y * size.z; }   // of one
    bool any() const { return blocks() > 1; }
    Index along() const { return {grid.x / size.x, grid.y / size.y, grid.z / size.z}; }   // clusters in the grid
    Index place_of(const Index& block) const { return {block.x / size.x, block.y / size.y, block.z / size.z}; }   // its cluster's
    Index within(const Index& block) const { return {block.x % size.x, block.y % size.y, block.z % size.z}; }
    std::uint64_t of(const Index& block) const { return number_of(place_of(block), along()); }
    unsigned rank(const Index& block) const { return static_cast<unsigned>(number_of(within(block), size)); }
    std::vector<std::uint64_t> blocks_of(std::uint64_t cluster) const;   // their numbers in the grid
};

// What is known of a word of a cluster's shared memory has a number that no word of global memory has: of the place below,
// the cluster, and the word.
constexpr bool is_of_cluster(std::uint64_t granule) { return granule >> 63; }
constexpr std::uint64_t granule_in_cluster(std::uint64_t place, std::uint64_t cluster, std::uint64_t word) {
    return std::uint64_t{1} << 63 | place << 44 | cluster << 18 | word;
}
constexpr std::uint64_t place_of_granule(std::uint64_t granule) { return granule >> 44 & 0x7ffff; }
constexpr std::uint64_t cluster_of_granule(std::uint64_t granule) { return granule >> 18 & 0x3ffffff; }
constexpr std::uint64_t word_in_cluster(std::uint64_t granule) { return granule & 0x3ffff; }

// Distributed shared memory. The block that runs has its arrays where every block of the executor has them; here lie those of
// the other blocks of its cluster, each in its place, where the block that runs may touch them.
class ClusterMemory {
public:
    using Own = std::function<Region&(Address begin, std::size_t bytes, Space space, std::string name)>;
    void begin_launch(const Clusters& clusters, std::vector<Region*> arrays, const Own& own);   // adds a region for each place
    void keep(const Block& block);    // it has run: its arrays go to their places
    void bring(const Block& block);   // it is to run, and with it come its cluster's
    void* map(Address a, unsigned rank) const;   // the same in that block's array; null: `a` lies in none
    int rank_of(Address a) const;     // of the block that has it; -1: none has
    Address home(Address a) const;    // one address for all blocks of the cluster
    const Region& place(std::size_t number) const { return *places_[number]; }   // of array i of the block of rank r: r * arrays + i
    unsigned owner(std::size_t place) const { return static_cast<unsigned>(place / arrays_.size()); }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::size_t find(Address a) const;   // the place; none: in no array, nor right behind one
    void put_away();
    const Clusters* clusters_ = nullptr;
    std::vector<Region*> arrays_, places_;
    std::vector<char> memory_;
    std::vector<std::uint8_t> flags_;
    std::uint64_t cluster_ = none;    // whose arrays lie in the places
    unsigned rank_ = 0;               // of the block that runs, or has run
    std::map<std::uint64_t, std::vector<char>> away_;      // what other clusters have in theirs
    std::map<std::uint64_t, std::uint64_t> finished_;      // blocks of a cluster
};

}  // namespace ladder
