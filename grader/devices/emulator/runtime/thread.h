// CUDA threads in warps in blocks: what each is doing, and how it is made to go on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <string_view>
#include <vector>

#include "block_races.h"
#include "clocks.h"
#include "copied_words.h"
#include "fiber.h"
#include "findings.h"
#include "index.h"
#include "margins.h"
#include "memory.h"
#include "patience.h"
#include "sampling.h"
#include "trace.h"

extern __thread ladder::Index built_in_thread_index asm("threadIdx") __attribute__((tls_model("initial-exec")));

namespace ladder {

constexpr int warp_lanes = 32;
constexpr std::size_t lane_records = 256;          // of trace between two replays: 128 KB a warp stay in the L2 cache
constexpr std::size_t lane_stride = lane_records + 4;   // 4 KB apart, all lanes' records would share one set of the L1 cache
constexpr int records_at_once = 4;                    // of a lane, a cache line, which are compared with another's: so many may be looked at behind its last one
constexpr std::size_t stack_bytes = 128 * 1024;    // of one CUDA thread
constexpr std::size_t usual_gpu_stack = 1024;      // that on an H200, and what nvcc 13 puts there at least for a call that comes back
constexpr std::size_t least_frame = 16;
constexpr int spins_before_yield = 64;             // volatile reads and atomics of a lane before others get a turn: later fewer, half as many or more
constexpr std::uint8_t looks_before_yield = 4, looks_in_turn = 2;   // of these, such as ask the same again and find the same; in the turn nothing changes
constexpr int idle_rounds_before_yield = 4;        // of a block whose lanes do nothing but spin; 1 once it has slept so often:
constexpr int naps_of_the_patient = 4;
constexpr int most_second_locks = 4;

constexpr std::uint16_t no_region = 0xffff;
constexpr std::uint16_t stack_region = 0;   // of all stacks of a block

struct WarpUnit;
namespace ptx {
struct Instruction;
struct Meeting;
// What asm statements without volatile gave a thread last, by their places, and for which inputs in which calls.
struct Moved {
    struct Given { std::vector<std::uint64_t> inputs, outputs; int rounds = 0; };   // rounds: in a row, before, with these inputs
    std::map<std::uint32_t, Given> by_place;
};
std::string name_of(const Instruction& instruction);     // lane.cpp
void meet(WarpUnit& warp, std::uint32_t group);
}

struct Block;
struct RecordedBlock;
struct Executor;
struct LaunchState;

enum class State : std::uint8_t {   // of a thread
    Ready, Full, Spinning,
    Ordered,                 // before an operation for which the block needs the turn, and has none
    AtBarrier, AtNamed, AtWarp, Done,
};

// A warp-wide operation that a lane waits in.
struct WarpRequest {
    WarpUnit* warp;
    int op;                  // Warp, or active_mask_op
    unsigned mask;
    std::uint64_t value;
    int argument, width, line;
    std::uint32_t pc;
    std::uint64_t result;
    void* lane = nullptr;    // of an instruction in inline PTX (ptx/lane.h)
    const ptx::Instruction* instruction = nullptr;
    void (*what)(ptx::Meeting&, const ptx::Instruction&) = nullptr;
};
constexpr int active_mask_op = -1;
constexpr int instruction_op = -3;       // lanes meet in inline PTX
constexpr int grid_barrier = -2;         // in barrier_result while a thread waits: grid.sync()
constexpr int cluster_barrier = -3;      // the same: cluster.sync()

// An asynchronous copy into shared memory that its thread has not waited for.
struct AsyncCopy { Address to, from; std::uint8_t bytes; std::uint16_t region, source; std::size_t group; };   // source: no_region if it stays as it is

// The calls that a thread is in, of functions that were not inlined: their return addresses, the outermost first.
struct Calls {
    std::uint32_t depth = 0;   // where there are more than there is room for, none is known
    std::array<std::uint32_t, 16> pcs;

    void enter(std::uint32_t pc) {
        if (depth < pcs.size()) pcs[depth] = pc;
        ++depth;
    }
    void leave() { depth -= depth > 0; }
    std::span<const std::uint32_t> known() const { return {pcs.data(), depth <= pcs.size() ? depth : 0}; }
};

// What each callback looks at lies in its first cache line, what a barrier does in the second, what coming back to it takes in
// the third: a thousand blocks that wait for each other do not fit into the caches, so each line counts.
struct alignas(64) Thread {
    Fiber fiber;
    Record* next = nullptr;            // where the next record goes
    Record* limit = nullptr;
    Address stored = 0;                // where the last store goes, which stored_bytes and what follows tell of
    Executor* executor = nullptr;
    Block* block = nullptr;
    Address stack = 0;                 // where its own begins
    std::uint32_t number = 0;          // in the block
    std::uint8_t lane = 0;
    State state = State::Ready;
    bool has_margins = false;          // around its own arrays: in the checking build
    bool is_unseen_on_stack = false;   // then what it does there is only held against these: nothing of a graded file is counted
    // Where it waits.
    ThreadClock clock;
    int barrier_predicate = 0, barrier_line = 0, barrier_result = 0;
    std::uint32_t barrier_pc = 0, barrier_call = 0;   // the second is the return address, where the first is within inline PTX
    Barrier barrier_kind = Barrier::Sync;
    bool barrier_is_ptx = false;
    // The last store: its value goes into the trace once it has happened.
    std::uint8_t stored_bytes = 0;
    std::uint64_t value_before = 0;    // what lay there, in a whole program
    bool tells_all = false;            // it is volatile and in global memory: blocks may wait for it
    bool copying = false;              // a load of as many bytes came right after it
    std::uint8_t piece = 0;            // flags of a piece that it copies of a structure (trace.h)
    bool is_only_checked = false;      // nothing of it is recorded or counted: its block is one of a few (run_few)
    std::uint32_t stored_pc = 0;
    Index index{};
    std::uint64_t steps = 0;           // records of its trace, up to its last turn; basic blocks, if it leaves none
    WarpUnit* warp = nullptr;
    Calls calls;
    std::uint8_t asked_bytes = 0, most_looks = looks_before_yield;   // at the word that it has asked for last: or looks_in_turn
    int spins = 0;
    Address held = 0;                  // a word that it has taken by a swap, as a lock, and not given back by another
    std::uint32_t yields = 0;          // how often it has let others come
    // How often in a row it has asked for the same word, found the same value and left it as it was.
    int stuck = 0;
    Address asked = 0;
    std::uint64_t found = 0;
    std::uint64_t operand = 0;         // of what it did there
    bool only_looks = false;           // that leaves every value as it is, and is
    bool by_atomic = false;            // an atomic operation, which can be given what it finds
    bool is_offered = false;           // what the word held when the block was woken, after so many releases: its next look
    std::uint32_t offered_releases = 0;    // may find that, and needs no turn
    std::uint64_t offered = 0;
    Acquired acquired_last;
    std::uint64_t ticks = 0;           // of clock()
    const Record* looked = nullptr;    // where its trace stood when it was asked for last
    int looks = 0;                     // at the clock, one after another and nothing else
    bool carry = false;                // of inline PTX: what `add.cc` has left for the next `addc`
    std::uint8_t last_error = 0;              // of a launch: what its own cudaGetLastError() says
    bool is_missed = false;                   // it has returned, and a barrier has gone on without it
    bool works_at_end = false;                // it has touched memory in the last of last_blocks
    std::unique_ptr<Habit> habit;      // what it did in its last turns, once that is looked at
    const unsigned* awaited = nullptr;     // the phase of a cuda::barrier, until it is no longer this one
    const unsigned* rests_at = nullptr;    // the same, of one in global memory, if that is the word that it has asked for last
    unsigned awaited_phase = 0;
    std::vector<std::uint32_t> last_blocks;   // basic blocks since it waited last, once it has returned; some, in order
    WarpRequest request{};
    std::vector<AsyncCopy> copies;     // in the order in which they were issued
    std::size_t committed = 0;         // groups of copies
    std::uint64_t groups_under_way = 0; // of these: not empty, and not waited for
    std::vector<Margin> margins;       // around arrays in the functions that it is in
    std::vector<std::uint64_t> ptx_results;   // of the asm statement that it has run last
    std::unique_ptr<ptx::Moved> moved;        // what asm statements without volatile gave

    bool is_own(Address a, unsigned bytes) const { return a - stack < stack_bytes && !(a & (bytes - 1)); }   // on its stack, and aligned
    void reset();                      // to what a new one is, but its room for last_blocks
};

using Trace = std::array<Record, warp_lanes * lane_stride>;

// Where replay stands in a lane's trace.
struct Cursor {
    Record* next;
    Record* end;
    std::uint32_t depth;         // of calls
    std::uint32_t acquired;      // what it has acquired (races)
    std::uint32_t tick;          // of its release clock
    std::uint8_t store_width : 7, store_fills : 1;   // of the Write whose Value comes next (width_of), whether nothing had been there, and
    Strength store_strength;
    Address store_address;       // where it goes
};

// A basic block as a group of lanes left it: where they go next says whether it diverged.
struct Branch { std::uint32_t mask; std::uint32_t pc; bool divergent; };

struct WarpUnit {
    Block* block = nullptr;
    std::uint32_t number = 0;
    int lanes = 0;                       // of which exist
    Thread* threads = nullptr;           // lane 0
    std::int32_t key[warp_lanes];        // replay order: deeper calls first, then lower addresses; idle_key: nothing to replay
    Cursor cursor[warp_lanes];
    std::vector<Record> aside;           // what is not replayed of its lanes, while another warp leaves its trace
    std::uint32_t came_from[warp_lanes]; // basic block last entered: index in branches
    Branch branches[64];
    std::uint32_t next_branch = 0;
    std::uint32_t touched_task = 0;      // lanes that have read or written a buffer of the task
    std::uint64_t task_bytes = 0;        // that they have asked for there
    std::uint64_t copying = 0;           // bytes of asynchronous copies that its lanes have not waited for
    bool can_run = true;                 // a lane is ready, or spins; else
    bool needs_others = false;           // whether all its lanes wait for other warps, or have returned
    bool is_away = false;                // another block has used its lanes' stacks since:
    std::vector<char> saved_stacks;      // what was in use on them
    std::vector<std::pair<int, std::uint64_t>> exchanged;   // what lanes have put into words that they had looked at, until that is replayed
    std::uint32_t have_released = 0;     // lanes, since another one has looked for that
    bool operation_due = false;          // some lanes wait in a warp operation that all its lanes have reached
    std::uint32_t spun = 0;              // lanes that have spun in the turn, before the others run again
    WarpClock clock;
    std::uint32_t alive() const;
    std::uint32_t lanes_in(State state) const;
};

// The most that was seen at once: in a block, or over the blocks of a launch or of a kernel.
struct Peaks {
    std::uint64_t barriers = 0;     // that a block has passed
    std::uint64_t copy_groups = 0;  // of asynchronous copies: committed by a thread, not waited for
    std::uint64_t copy_bytes = 0;   // of such copies: under way for a warp while it loads from shared memory

    void take(const Peaks& other) {
        barriers = std::max(barriers, other.barriers);
        copy_groups = std::max(copy_groups, other.copy_groups);
        copy_bytes = std::max(copy_bytes, other.copy_bytes);
    }
};

// A barrier that PTX names by its number, or that only some of a block's threads come to: behind PTX's 16 come those of the
// 16 tiles of 64 threads, the 8 of 128, and so on.
struct NamedBarrier {
    std::vector<Thread*> waiting;
    std::vector<std::uint32_t> places;         // how many had come before each of these
    std::vector<const Thread*> ahead;          // those that have come and do not wait, in their order
    std::uint32_t arrived = 0, expected = 0;   // threads, with those that do not wait
    std::uint32_t phase = 0;                   // how often it has let threads go on

    // The place in memory at which those meet who come to it so many phases later: a thread that only arrives may be ahead.
    Address place_of(std::uint32_t later) const {
        return reinterpret_cast<Address>(this) + (phase + later) % (sizeof(NamedBarrier) / sizeof(Address)) * sizeof(Address);
    }
};
constexpr std::size_t ptx_barriers = 16, tile_barriers = 16 + 8 + 4 + 2 + 1;

// A barrier in this line that has let threads go on: after how many of a block's, or a warp's, where it was not for all.
struct PassedBarrier {
    int line;
    std::uint32_t some = 0, all = 0;
    auto operator<=>(const PassedBarrier&) const = default;
};

// How often a block's threads have met at a barrier.
struct Meetings { std::uint32_t barrier, count; };

struct Block {
    std::uint64_t number = 0;
    std::uint64_t id = 0;                // LaunchState::id_of
    Index index{};
    LaunchState* launch = nullptr;
    Executor* executor = nullptr;
    std::vector<Thread> threads;
    std::vector<WarpUnit> warps;
    std::unique_ptr<Trace> trace;        // of the warp that runs; none while the block does not
    WarpUnit* traced = nullptr;          // that warp
    Stacks* stacks = nullptr;            // of its threads, and one more for its scheduler
    std::vector<char> saved_stack;       // what was in use on the scheduler's, while another block uses them
    Fiber scheduler;                     // where a lane goes when it must wait
    Fiber resume;                        // where that continues when the block's executor comes back to it
    bool finished = false, stopped = false;
    bool faulted = false;                // a thread has been given up, and the others go on: a recorded block's (recorder.h)
    RecordedBlock* recorded = nullptr;   // where what it does is written down (recorder.h), if anywhere
    int awaiting = 0;                    // lanes: the turn
    bool orders = false;                 // the lane that runs has needed it,
    std::uint32_t ordered_at = 0;        // the place where one did last
    bool has_ordered = false;            // some lane has since the block got it,
    bool has_passed = false;             // the block has handed it on, and needed none since
    std::uint64_t unordered_steps = 0;   // since a lane has needed it, or since it was handed on
    std::uint64_t turn_steps = 0;        // since the block got it
    std::vector<Address> changed;        // words in its turn, while others wait for some
    std::vector<std::uint32_t> asking;   // its lanes that ask for words which others must change, once it sleeps
    bool watches = false;                // it sleeps until a word changes: else it only lets others come first
    bool dozes = false;                  // it counts as asleep, but still replays
    int idle_rounds = 0, naps = 0;       // the second: how often it has slept
    int second_locks = 0;                // before which it has let others come
    std::uint32_t barriers = 0, grid_phase = 0;
    std::uint32_t phase = 0;             // how often it has met other blocks: those of the grid, or of its cluster
    Peaks most;
    std::uint64_t copies = 0;            // requests for asynchronous copies
    CopiedWords copied;                  // what they have brought
    std::vector<char> saved_shared;      // while another block uses the executor's shared memory
    std::string printed;
    std::uint32_t printer = 0;           // the thread that has printed last
    BlockClock clock;
    std::unique_ptr<BlockSample> sample; // while launches are sampled
    Races races;                         // kept when another block of the launch is run on this object
    std::vector<Meetings> meetings;      // of its threads, at each barrier
    NamedBarrier named[ptx_barriers + tile_barriers];
    bool has_named = false;              // a thread has come to one, or to a cuda::barrier
    std::unordered_map<Address, std::int64_t> bytes_to_come;   // that an mbarrier waits for, too (expect_tx)

    void begin(std::uint64_t number, LaunchState& launch, Executor& executor);
    Record* trace_of(int lane) const { return trace->data() + static_cast<std::size_t>(lane) * lane_stride; }
    void save_stacks(const Block* next = nullptr);   // which comes in its place
    void restore_stack();                // the scheduler's; a warp's lanes get theirs back once they run (bring_back)
    void fetch(const WarpUnit& warp) const;
};

// The CUDA thread that runs on this OS thread; null in host code.
extern __thread Thread* current __attribute__((tls_model("initial-exec")));

template <class F> void each_lane(std::uint32_t mask, F f) {
    for (; mask; mask &= mask - 1) f(__builtin_ctz(mask));
}

// ---- lane.cpp ----
void set_built_ins(const Block& block);          // blockIdx, blockDim, gridDim
void thread_main();                              // a lane's fiber
void wait(Thread& thread, State state);          // leaves the fiber until the scheduler returns to it
void leave(Block& block);                        // its scheduler leaves the block until its executor returns to it
void park(Block& block, BlockState state);       // the same, in this state
void make_way(Block& block);                     // where another one of its executor has got the turn, and all others may wait for that
void await_turn(Block& block);                   // until order-sensitive work is this block's to do; no lane runs meanwhile
void consider_turn(Block& block, std::uint64_t steps);   // a lane has run so far: hands the turn on if it had no use for it
void begin_ordered(Thread& thread, std::uint32_t pc);              // what a lane does up to its next call of wait() is done in the block's turn
[[noreturn]] void abandon(Thread& thread);       // the block is given up, after its finding was filed
void let_others_take_locks(Thread& thread);     // before it asks for its second one
// Counts towards a spinning lane's yield: an operation on this word that found this value, with that operand (two, mixed).
void spun(Thread& thread, Address a, unsigned bytes, std::uint64_t found, std::uint64_t operand, bool changes);
bool offer_look(Thread& thread);    // to a lane that spins, if it only looks

Finding finding_at(const Thread& thread, const char* kind, std::uint32_t pc);
[[noreturn]] void die(Thread& thread, Finding finding);   // files the finding and abandons the block

// ---- warp.cpp ----
struct Run {
    bool progress = false, spinning = false, ordered = false;

    void add(const Run& other) { progress |= other.progress, spinning |= other.spinning, ordered |= other.ordered; }
};
Run run_warp(WarpUnit& warp);                    // until all its lanes wait for other warps or for the turn, or only spin
void leave_trace(Block& block);                  // what is not replayed is put aside: another warp or block is to use the trace
void run_ordered(Block& block);                  // in its turn: the lanes that have waited for it
std::string name_of(const WarpRequest& request); // "__shfl_down_sync"
std::string name_with_mask(const WarpRequest& request);

// ---- ptx/barriers.cpp ----
bool release_phase(Thread& thread);              // that waits at a cuda::barrier whose phase is over; whether it does
bool release_named_barriers(Block& block);       // those to which all have come; whether there was one

// ---- device.cpp ----
void wait_in_cluster(Thread& thread, int line, std::uint32_t pc, std::uint32_t call);   // for its other blocks

// ---- printing.cpp ----
std::size_t visible_signs(std::string_view text);
void print_in_kernel(Thread& thread, std::string_view text);

// ---- block.cpp ----
inline unsigned arrivals_of(unsigned phase) { return phase % (1 << 20); }   // that a cuda::barrier waits for
std::string arrivals_text(const Block& block, const unsigned* phase, bool is_ptx = false);   // of a cuda::barrier, or an mbarrier
extern __thread Block* starting_block;
void block_main();                               // a block's own fiber, for starting_block

// ---- atomics.cpp ----
// `bytes` is 4 or 8 where a GPU has such an atomic; 1 and 2 are done as well.
std::uint64_t do_atomic(Thread* thread, Atomic op, Type type, Scope scope, void* address, unsigned bytes, std::uint64_t value,
                        std::uint64_t compare, std::uint32_t pc, Acquires when = Acquires::Now);

// ---- callbacks.cpp ----
// Adds to the thread's trace, if there is one.
inline void record(Thread& thread, Event event, std::uint32_t pc, std::uint64_t address, unsigned bytes, std::uint16_t region) {
    if (!thread.next) return;
    *thread.next++ = {pc, event, static_cast<std::uint8_t>(bytes), region, address};
    // Switching fibers inside a callback is sound although gcc believes that callbacks touch no memory: another thread's
    // writes may only be relied upon after a synchronisation, and those are ordinary calls.
    if (thread.next == thread.limit) wait(thread, State::Full);
}
std::uint64_t clock_of(Thread& thread);   // of events, the same on every run
void record_stored_value(Thread& thread);
inline void settle_store(Thread& thread) {       // a store has happened since: its value goes into the trace
    if (thread.stored) record_stored_value(thread);
}
// An access by `current`, before it happens; `caller` is where, and flags are those of a record. Volatile: in the blocks' order,
// and each of the elements may hand something over.
void access(Address a, unsigned bytes, Event event, Address caller, unsigned flags = 0);
void volatile_access(Address a, unsigned bytes, Event event, Address caller, unsigned flags = 0, unsigned elements = 1,
                     Acquires when = Acquires::Now);
// Whether accesses and basic blocks are neither checked nor recorded, as where nothing but results is wanted of a block,
// until time is up.
[[gnu::visibility("hidden")]] extern std::atomic<bool> unwatched;
void out_of_time(Thread& thread, std::uint32_t pc);   // does not come back once it knows where the thread goes round
std::uint16_t check_access(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc, bool waits = false);
std::uint16_t check_part(Thread& thread, Address a, unsigned bytes, unsigned wanted, std::uint32_t pc, bool writes = false);

}  // namespace ladder
