// Data races between the work of two streams, found as each launch and each asynchronous copy is over.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "clocks.h"
#include "launch_races.h"
#include "memory.h"
#include "streams.h"

namespace ladder {

// What the work so far has done to global memory. Two works race if they touch a common byte, at least one writes it, not
// both are atomic, and nothing orders them: no stream, event or wait of host code's, and no flag that the later kernel has
// seen while the earlier one may still run. Kept only where host code has streams of its own, or from the first
// kernel on that a kernel has launched. As within a block, two readers
// of a word are remembered.
class StreamRaces {
public:
    std::size_t works() const { return works_.size(); }                         // so far: the number of the last one, from 1
    void launched(const std::vector<BlockSummary>& blocks, const LaunchState& launch);   // by the work that began last
    void allocated(const Region& region);                                       // likewise: no work but what comes behind may use it
    void freed(const Region& region);                                           // likewise, by work that comes behind all that has used it
    void forget_flags() { known_ = works_.size(); }                             // that works so far have set
    void copied(Address a, std::size_t bytes, bool writes, int line);           // likewise, if it is of this line

private:
    struct Touch { Access access; std::uint32_t work; std::uint64_t block; };   // 1 + its index; 0: none. LaunchState::id_of
    struct Word { Touch write, reads[2]; };
    struct Life { Work begin; std::map<void*, Work> last; };                    // of memory: its allocation, the last work of each stream on it
    Life& life_of(std::size_t region);
    void use(std::size_t region);
    void file(const Region& region, Address place, const char* text, const Work& first);
    Word& word_of(std::uint64_t granule);
    void begin();
    enum class Order : std::uint8_t { Before, ByFlags, Apart };
    Order order(std::size_t first) const;                                       // of a work and the last one
    void meet(std::uint64_t granule, const Access& access, std::uint64_t block, bool writes);
    void check(std::uint64_t granule, const Touch& before, bool before_writes, const Access& now, bool writes);

    std::vector<Work> works_;
    std::vector<Origin> origins_;                                               // of each of them
    bool awaits_ = false;                                                       // before this access its block has waited for the work in front of it
    std::size_t known_ = 0;                                                     // works before this one are too old for `acquisitions`
    std::vector<Lazy<Word>> words_;                                             // by Region::id
    std::vector<Life> lives_;                                                   // likewise
    std::pair<std::size_t, std::size_t> used_;                                  // by `use` last: the region, and how many works there were
    std::set<std::pair<int, int>> reported_;                                    // lines
};

}  // namespace ladder
