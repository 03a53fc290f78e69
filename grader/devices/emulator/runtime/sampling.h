// Sampling: host code runs at a case's real size, and of each launch a few blocks. What they ask of global memory is
// written down in the order of each warp, for the caches of a multiprocessor (multiprocessor.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "memory.h"
#include "trace.h"

namespace ladder {

struct Block;
struct Executor;
struct Launch;
struct LaunchState;
struct Request;
struct WarpUnit;

// One line of 128 bytes that a request touches, with its sectors; or a barrier that the warp has come to.
struct Asked {
    enum Kind : unsigned { Load, Store, Atomic, Barrier };
    std::uint64_t line : 56, sectors : 4, first : 1, kind : 3;   // first: of its request
};
static_assert(sizeof(Asked) == 8);

// Loads of 4 bytes from shared memory that a warp does at one place in the code, round after round of a loop, each behind
// the last one: nvcc makes them one load of 16 or 8 bytes if it is aligned so.
struct Chain {
    Site* site = nullptr;
    std::uint32_t mask = 0;
    int lanes = 0;
    unsigned length = 0, wavefronts = 0;   // of the single loads
    Address first[32];

    bool goes_on(const Request& request) const;
    void count();                          // it is over
};

struct WarpSample {
    std::vector<Asked> asked;
    std::vector<Chain> chains;
    std::uint64_t steps = 0;                            // basic blocks and accesses
    std::uint64_t load_rounds = 0, shared_rounds = 0;   // basic blocks that loaded from global, from shared memory
    std::uint64_t lone_rounds = 0;    // those from global memory that no compiler begins before the one ahead of them is over:
                                      // a barrier, an atomic or a store to global memory stands in between
    bool loads = false, shares = false, stores = false; // since the last basic block was entered
    bool fenced = false;                                // since it loaded from global memory
    std::uint64_t copied = 0;         // bytes that asynchronous copies bring into shared memory
    std::map<Address, std::uint64_t> copies;            // asynchronous ones under way, by their place: shared_rounds when they began
    bool stopped = false;             // another warp goes on for it
    bool paused = false;              // until all other warps of the block have come as far (thinning.cpp)
    std::size_t beside_others = ~std::size_t{0};        // of `asked`: what came while all warps ran

    std::size_t asked_beside_others() const { return std::min(asked.size(), beside_others); }
    void enter_block();
    void begin_copy(const Request& request);
    void await_copy(Address to);
    void load_shared(Site& site, const Request& request, unsigned wavefronts);
    void end_chains();
};

// Of a block that has run for long one warp goes on for all (thinning.cpp): what was known when the others stopped.
struct Thinned {
    std::size_t kept = 0, warps = 1;  // the number of the one, and how many it goes on for, itself among them
    std::uint64_t steps = 0, copied = 0;   // of the one
    std::vector<Site> sites;
};

// A block that ran.
struct BlockSample {
    std::uint64_t number = 0, barriers = 0;
    std::uint64_t pause_after = 0;    // steps of a warp; 0: all warps run to their ends
    std::uint64_t others_steps = 0;   // that the warps which stopped would have gone on for
    std::optional<Thinned> thinned;
    bool watched = false;             // for races in shared memory: the first block of a launch, while all its warps run
    std::vector<WarpSample> warps;
    std::set<Address> own_words;      // of one thread's local arrays: on a GPU they are registers, if they can be
    std::set<Address> atomic_words;   // in global memory; no more than `most_atomic_words`

    std::uint64_t steps() const;
};
constexpr std::size_t most_atomic_words = 4096;
constexpr std::size_t most_asked = std::size_t{1} << 24;   // lines of a block; what comes after is left out

// From the first line to the last one that so many blocks touch.
struct Lines {
    std::uint64_t first = ~std::uint64_t{0}, last = 0, blocks = 0;
    void include(std::uint64_t line) { first = std::min(first, line), last = std::max(last, line); }
    std::uint64_t bytes() const { return first > last ? 0 : (last - first + 1) * 128; }
};

// What the caches of one multiprocessor made of a launch's loads (multiprocessor.h). Sectors are sums over blocks.
struct RegionTraffic {
    std::uint64_t loaded = 0, stored = 0;               // different sectors, block by block: over all blocks that ran
    Lines loads, stores;                                // between which these lie
    std::uint64_t asked = 0, missed = 0;                // sectors that loads ask of L1, and of L2: over `held` blocks
    std::uint64_t alone = 0, together = 0;              // different sectors of `neighbours` blocks: each by itself, all at once
};
struct Traffic {
    std::map<int, RegionTraffic> regions;               // by Region::id
    std::uint64_t scattered = 0, by_scattered = 0;      // blocks that lie all over the grid, and `loaded` and `stored` of these alone
    std::size_t held = 0, neighbours = 0, resident = 0;
    std::size_t l1_bytes = 0;
};

// One launch, or several with the same kernel, grid and block, of which the first was sampled.
struct LaunchSample {
    std::string function;             // that the kernel is, with its parameters' types; empty if that is not known
    std::uint64_t blocks = 0, threads = 0, repeats = 1;
    std::size_t shared_bytes = 0;     // of a block
    std::size_t allowed_registers = 255;   // of a thread, by its __launch_bounds__
    std::size_t frame_bytes = 0;      // of the stack, that the kernel takes on a CPU: its arrays, and values that it keeps
    bool cooperative = false;
    std::vector<BlockSample> ran;
    Traffic traffic;
};

// What the card is like, as far as sampling has to know.
struct SampledCard {
    int multiprocessors = 0;          // 0: nothing is sampled
    std::size_t l1_bytes = 0;         // of a multiprocessor, with its shared memory
    std::uint64_t steps = 0;          // of warps, that the sampled blocks of one call should need at most
    bool thins = false;               // whether one warp may go on for all
};

// What a thread of a sampled block has added to a word last, and how often: a ticket, if it comes back for another one.
struct Drawn {
    std::uint64_t value = 0, times = 0;
};
constexpr std::size_t most_tickets = 4096;

struct Sampling {
    using Key = std::tuple<std::string, std::uint64_t, std::uint64_t, std::size_t>;   // kernel, blocks, threads, shared bytes
    SampledCard card;
    std::map<int, LaunchSample> launches;   // by the number of their KernelTotals
    std::map<Key, int> known;
    std::uint64_t steps_left = 0;
    std::mutex mutex;
    std::map<std::tuple<Address, std::uint64_t, std::uint32_t>, Drawn> drawn;   // of the blocks that run: by word, block and thread
    std::map<Address, std::uint64_t> before_tickets;   // what such a word held
    std::map<Address, std::uint64_t> after_tickets;    // and of the blocks that ran before: not put back yet

    bool thinned = false;                    // a block of this case has gone on with one warp
    std::uint64_t set_bytes = 0, sets = 0;   // by cudaMemset and copies within device memory
    std::uint64_t skipped = 0;               // of these sets: all but small ones
    std::map<int, std::array<std::uint64_t, 2>> copied;   // by Region::id: bytes that these and other copies read and wrote
    std::map<int, std::uint64_t> set_last;   // by Region::id: bytes that cudaMemset has set behind the last launch

    bool on() const { return card.multiprocessors > 0; }
    void begin_case();
    void begin_tickets();                    // other blocks of the launch run now, as if they were the first (tickets.cpp)
    int number_of(const Launch& launch);     // of its KernelTotals, one for each sampled launch; -1: one like it was sampled
    bool skips(std::uint64_t bytes);         // a cudaMemset or copy that moves so many: a large one is only counted
};

// Blocks that share a multiprocessor with the one in the middle (held), that come right after it, and that lie scattered
// over the grid. The first of them is run alone, to see how many the launch can have.
struct Choice {
    std::vector<std::uint64_t> held, neighbours, scattered;
    std::vector<std::uint64_t> all(std::size_t most) const;   // each once, the most telling first
};
Choice choose_blocks(std::uint64_t blocks, std::size_t resident, std::uint64_t multiprocessors);

// How many blocks of a kernel a multiprocessor holds at once.
std::size_t resident_blocks(std::uint64_t threads, std::size_t shared_bytes, std::size_t registers);
inline std::size_t most_resident(std::uint64_t threads, std::size_t shared_bytes) { return resident_blocks(threads, shared_bytes, 1); }
constexpr std::uint64_t multiprocessors_of_h200 = 132;
std::size_t registers_of(const LaunchSample& launch);   // that a thread wants: an estimate, for nvcc allocates them
std::size_t allowed_registers(const Symbol* function, std::size_t threads);   // by its __launch_bounds__; nvcc ignores what cannot be

void run_chosen(LaunchState& state, void (*run)(LaunchState&));    // all blocks, or those that are asked for: `run` runs a part of them
void begin_sample(Block& block);
void sample_access(Executor& executor, WarpUnit& warp, const Request& request);
void sample_copy(WarpUnit& warp, const Request& request);   // an asynchronous one: it begins, or is waited for
void sample_barrier(Block& block);
void keep_sample(Block& block);                          // it has finished

// ---- tickets.cpp ----
// An atomic operation of a thread is about to change this word.
void draw_for_others(const Thread& thread, const Region& region, Atomic op, Type type, void* word, std::uint64_t value);
std::optional<std::size_t> warp_with_tickets(const Block& block);   // that has drawn one, perhaps for all

// ---- thinning.cpp ----
bool pauses(const Block& block, WarpUnit& warp);         // whether it is to wait here until the others have come as far
bool thin(Block& block);                                 // no warp can go on but paused ones: false if there is none
void stand_for_others(Block& block, BlockSample& sample);   // it has finished

}  // namespace ladder
