// An OS thread that runs blocks: the first is the one that launched.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

#include "clusters.h"
#include "launch.h"
#include "ptx/statement.h"
#include "recorder.h"

namespace ladder {

// Statistics of one kernel within a case, one set for each executor.
// The request that wastes most at one place: which lanes touch which addresses. Of equals the first of the lowest block.
struct WorstRequest {
    RecordedArray array;                 // of its first lane
    unsigned bytes = 0;                  // of one lane
    std::uint32_t mask = 0;
    std::vector<long long> places;       // of each lane, bytes from the array's begin
};

struct KernelSites {
    std::map<std::uint32_t, WorstRequest> worst;   // by pc
    Lazy<Site> sites;                    // indexed by pc - text_begin
    std::vector<std::uint32_t> listed;   // which of them are in use
};

// Stacks, and the block that has them.
struct Seat {
    std::unique_ptr<Stacks> stacks;
    Block* block;
};
constexpr std::size_t most_seats = 2;   // of an executor: blocks that sleep keep on the side what they have on their stacks

// Blocks that no executor has now: to make the thousand that a barrier of the whole grid needs takes a while.
class SpareBlocks {
public:
    std::unique_ptr<Block> take(std::size_t threads);   // a new one, if those kept have not as many: then they go
    void keep(std::vector<std::unique_ptr<Block>>&& blocks);

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Block>> spare_;
};

// What an instruction has touched last: within this array it may go on without another look.
struct Known {
    const Region* region = nullptr;
    std::uint32_t pc = 0;
    std::uint16_t index = no_region;
    bool writable = false;
};

void clear_shared(const Region& region);   // not the last block's values
void bring_back(WarpUnit& warp);           // onto its lanes' stacks, what they had there before another block came

struct Executor {
    int number = 0;
    Fiber fiber;                                // of the executor's own loop
    LaunchState* launch = nullptr;
    std::vector<Region*> regions;               // by Record::region
    std::vector<std::unique_ptr<Region>> own_regions;
    std::vector<std::uint16_t> order;           // regions by address
    std::uint16_t site_region[1024];            // the region that an instruction touched last, by hash of its pc
    Known known[1024];                          // by the same hash, of accesses that check_access has let pass
    std::unique_ptr<Lazy<std::uint8_t>> shared_initialised;
    Address shared_begin = 0;                   // static arrays: the thread's TLS block of the learner's library
    std::size_t shared_bytes = 0;
    std::vector<const Region*> touched_shared;  // by a block of this launch, in this order
    char* dynamic_shared = nullptr;
    ClusterMemory clusters;                     // in a launch with such
    Block* loaded = nullptr;                    // whose shared memory is in place
    std::vector<std::unique_ptr<Block>> resident, idle;
    std::chrono::steady_clock::time_point begun;   // the last block
    std::unordered_set<std::uint32_t> changing;    // stores of a whole program that have changed what lay there
    bool has_waited = false;                    // for a block's turn, so long that it had better begin another
    std::size_t ahead = 0;                      // of the resident ones: whose first turn has not come; with the schedule's mutex
    std::uint32_t deepest = 0;   // calls of a thread in this launch, where a GPU's stack does not hold them
    std::vector<Seat> seats;
    std::set<PassedBarrier> passed_barriers;    // by its blocks, in this launch
    std::vector<std::unique_ptr<Trace>> traces; // spare ones
    std::vector<Record> aside;                  // room for what is put aside of one
    std::vector<std::pair<WarpUnit*, std::uint32_t>> unpublished;   // the same, for publish(): lanes of the block's warps
    std::condition_variable_any changed;        // with the schedule's mutex: one of its blocks can go on, and
    std::atomic<bool> called{false};            // it was told so since it began to wait
    int crowded_waits = 0, crowd = 0;           // so many it is to spend asleep, for others need its core; as it was last time
    std::atomic<Block*> given{nullptr};         // whose turn has come while it waited, so that it runs that one; else null
    bool asleep = false;                        // it waits so that it has to be notified, too; with the schedule's mutex
    Block* ready = nullptr;                     // the block that it has made ready to wait for; the same
    std::deque<Block*> released;                // its blocks that can go on without the turn
    std::deque<Block*> offered;                 // its blocks that wait for their turn, but need not, to look
    std::map<int, KernelSites> kernels;
    KernelSites* sites = nullptr;
    std::vector<Lazy<std::uint8_t>> loaded_bytes, stored_bytes;   // bitmaps of touched bytes, by Region::id
    std::vector<Finding> findings;
    Patience patience;
    ptx::Statements statements;

    explicit Executor(int number);
    ~Executor();
    void begin_launch(LaunchState* launch);
    void run();                                 // until no block is left
    Block& new_block(std::uint64_t number);
    void run_until_parked(Block& block);
    void load(Block& block);
    void save_shared(Block& block) const;
    void restore_shared(const Block& block);
    Stacks& sit_down(Block& block);
    void keep_stacks(std::size_t count, std::size_t most);   // of a launch whose blocks have so many: other ones are given back
    void give_back_stacks();
    std::unique_ptr<Trace> take();
    void keep(std::unique_ptr<Trace> trace);
    void sort_regions();
    Region* find(Address a, std::size_t bytes);
    bool is_of_other_block(Address a) const;   // shared memory of one that another executor runs, or has run
    std::uint16_t region_index(Address a, std::size_t bytes, std::uint32_t pc) {
        const std::uint16_t touched = site_region[place_of(pc)];
        return touched != no_region && regions[touched]->holds(a, bytes) ? touched : search_region(a, bytes, pc);
    }
    static std::uint32_t place_of(std::uint32_t pc) { return (pc ^ pc >> 10) & 1023; }
    // The array of an access that check_access would let pass, too; no_region: it has to look.
    [[gnu::always_inline]] std::uint16_t known_region(Address a, unsigned bytes, bool writes, std::uint32_t pc) const {
        const Known& it = known[place_of(pc)];
        const bool fits = it.pc == pc && it.region->holds(a, bytes) && !((a | (a + it.region->skew)) & (bytes - 1)) && !it.region->freed && (it.writable || !writes);
        return fits ? it.index : no_region;
    }
    void remember(std::uint16_t index, std::uint32_t pc);
    std::uint16_t search_region(Address a, std::size_t bytes, std::uint32_t pc);
    void first_touch(Region& shared);   // in this launch
};

}  // namespace ladder
