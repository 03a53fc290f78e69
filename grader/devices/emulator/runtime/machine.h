// The emulated machine: threads in warps in blocks, run by executors (OS threads) that share one launch.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../include/ladder/abi.h"
#include "fiber.h"
#include "findings.h"
#include "memory.h"
#include "races.h"
#include "recorder.h"
#include "trace.h"

namespace ladder {

constexpr int warp_lanes = 32;
constexpr std::size_t lane_records = 256;          // of trace between two replays: 128 KB a warp stay in the L2 cache
constexpr std::size_t lane_stride = lane_records + 4;   // 4 KB apart, all lanes' records would share one set of the L1 cache
constexpr std::size_t stack_bytes = 128 * 1024;    // of one CUDA thread
constexpr int spins_before_yield = 64;             // volatile reads and atomics of a lane before others get a turn
constexpr int idle_rounds_before_yield = 16;       // of a block whose lanes do nothing but spin

constexpr std::uint16_t no_region = 0xffff;

struct Index { unsigned x, y, z; };

struct Block;
struct WarpUnit;
struct Executor;
struct LaunchState;

enum class State : std::uint8_t { Ready, Full, Spinning, AtBarrier, AtWarp, Done };

// A warp-wide operation that a lane waits in.
struct WarpRequest {
    WarpUnit* warp;
    int op;                  // Warp, or active_mask_op
    unsigned mask;
    std::uint64_t value;
    int argument, width, line;
    std::uint32_t pc;
    std::uint64_t result;
};
constexpr int active_mask_op = -1;
constexpr int grid_barrier = -2;         // in barrier_result while a thread waits: grid.sync()

// An asynchronous copy into shared memory that its thread has not waited for.
struct AsyncCopy { Address to; std::uint8_t bytes; std::uint16_t region; std::size_t group; };

struct Thread {
    void* stack_pointer = nullptr;     // where the fiber continues
    Record* next = nullptr;            // where the next record goes
    Record* limit = nullptr;
    Executor* executor = nullptr;
    Block* block = nullptr;
    WarpUnit* warp = nullptr;
    Index index{};
    std::uint32_t number = 0;          // in the block
    std::uint8_t lane = 0;
    State state = State::Ready;
    int spins = 0;
    std::uint64_t ticks = 0;           // of clock()
    // The last store: its value goes into the trace once it has happened.
    Address stored = 0;
    std::uint32_t stored_pc = 0;
    std::uint8_t stored_bytes = 0;
    bool copying = false;              // a load of as many bytes came right after it
    // Where it waits.
    Barrier barrier_kind = Barrier::Sync;
    int barrier_predicate = 0, barrier_line = 0, barrier_result = 0;
    std::uint32_t barrier_pc = 0;
    WarpRequest request{};
    ThreadClock clock;
    std::vector<AsyncCopy> copies;     // in the order in which they were issued
    std::size_t committed = 0;         // groups of copies
};

// Where replay stands in a lane's trace.
struct Cursor {
    Record* next;
    Record* end;
    std::uint32_t depth;         // of calls
    std::uint32_t acquired;      // what it has acquired (races)
    std::uint32_t tick;          // of its release clock
    Address store_address;       // of the Write whose Value comes next
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
    std::uint32_t came_from[warp_lanes]; // basic block last entered: index in branches
    Branch branches[64];
    std::uint32_t next_branch = 0;
    std::uint32_t touched_global = 0;    // lanes that have read or written global memory
    bool operation_due = false;          // some lanes wait in a warp operation that all its lanes have reached
    WarpClock clock;
    std::uint32_t alive() const;
};

struct Block {
    std::uint64_t number = 0;
    Index index{};
    LaunchState* launch = nullptr;
    Executor* executor = nullptr;
    std::vector<Thread> threads;
    std::vector<WarpUnit> warps;
    std::vector<Record> records = std::vector<Record>(warp_lanes * lane_stride);   // trace of the warp that runs
    std::unique_ptr<Stacks> stacks;      // of its threads, and one more for its scheduler
    void* scheduler = nullptr;           // where a lane goes when it must wait
    void* resume = nullptr;              // where the block continues when its executor comes back to it
    bool finished = false, stopped = false;
    bool recorded = false;               // what it does is written down (recorder.h)
    int idle_rounds = 0;
    std::uint32_t barriers = 0, grid_phase = 0;
    std::vector<char> saved_shared;      // while another block uses the executor's shared memory
    std::vector<std::uint8_t> saved_initialised;
    std::string printed;
    BlockClock clock;
    Races races;                         // kept when another block of the launch is run on this object
    std::set<int> barrier_lines;

    void begin(std::uint64_t number, LaunchState& launch, Executor& executor);
};

// Statistics of one kernel within a case, one set for each executor.
struct KernelSites {
    Lazy<Site> sites;                    // indexed by pc - text_begin
    std::vector<std::uint32_t> listed;   // which of them are in use
};

struct KernelTotals {
    std::string name;
    int line = 0;
    std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0;
    std::uint64_t busy_threads = 0, busy_blocks = 0;   // most in one launch
    std::set<int> barrier_lines;
    std::size_t static_shared = 0, dynamic_shared = 0;
};

struct LaunchRecord { std::string kernel; Index grid, block; std::size_t shared; int line; bool given_stream; };

enum class BlockState : std::uint8_t { Waiting, Running, Yielded, GridSync, Finished };

// Everything the executors share during one launch. Operations whose order can be seen (global atomics, volatile
// accesses) are performed by one block at a time, lowest number first: results and counters are the same on every run.
struct LaunchState {
    const Launch* launch = nullptr;
    int kernel = 0;
    std::uint64_t blocks = 0;
    Index grid{}, block{};
    bool counting = true;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<BlockState> states;
    std::atomic<std::uint64_t> turn{0};        // the block whose turn it is; == blocks: nobody's
    std::uint64_t next_block = 0, first_unfinished = 0;
    bool grid_stuck = false;                   // some blocks wait at grid.sync(), others have returned
    std::atomic<std::uint64_t> stop_after{~std::uint64_t{0}};   // blocks above this one need not run: a lower one failed
    std::atomic<std::uint64_t> busy_threads{0}, busy_blocks{0}, barriers{0};
    std::map<std::uint64_t, std::string> printed;
    std::set<int> barrier_lines;
    LaunchRaces races;

    void settle_turn();   // with the mutex held: find whose turn it is
    std::uint64_t finished_blocks() const;
};

// An OS thread that runs blocks: the first is the one that launched.
struct Executor {
    int number = 0;
    void* stack_pointer = nullptr;              // of the executor's own loop
    LaunchState* launch = nullptr;
    std::vector<Region*> regions;               // by Record::region
    std::vector<std::unique_ptr<Region>> own_regions;
    std::vector<std::uint16_t> order;           // regions by address
    std::uint16_t site_region[1024];            // the region that an instruction touched last, by hash of its pc
    std::unique_ptr<Lazy<std::uint8_t>> shared_initialised;
    Address shared_begin = 0;                   // static arrays: the thread's TLS block of the learner's library
    std::size_t shared_bytes = 0;
    char* dynamic_shared = nullptr;
    Block* loaded = nullptr;                    // whose shared memory is in place
    std::vector<std::unique_ptr<Block>> resident, idle;
    std::map<int, KernelSites> kernels;
    KernelSites* sites = nullptr;
    std::vector<Lazy<std::uint8_t>> loaded_bytes, stored_bytes;   // bitmaps of touched bytes, by Region::id
    std::vector<Finding> findings;

    explicit Executor(int number);
    ~Executor();
    void begin_launch(LaunchState* launch);
    void run();                                 // until no block is left
    Block* pick(std::unique_lock<std::mutex>&);
    Block& new_block(std::uint64_t number);
    void load(Block& block);
    void sort_regions();
    Region* find(Address a, std::size_t bytes);
    std::uint16_t region_index(Address a, std::size_t bytes, std::uint32_t pc) {
        const std::uint16_t known = site_region[(pc ^ pc >> 10) & 1023];
        return known != no_region && regions[known]->holds(a, bytes) ? known : search_region(a, bytes, pc);
    }
    std::uint16_t search_region(Address a, std::size_t bytes, std::uint32_t pc);
};

// The whole emulator of this process.
struct Machine {
    DeviceMemory memory;
    Module module;
    std::vector<std::unique_ptr<Executor>> executors;
    std::vector<KernelTotals> kernels;
    std::vector<LaunchRecord> launches;
    std::vector<Finding> findings;              // of host code and finished launches
    std::map<std::string, std::size_t> allowed_shared;   // cudaFuncSetAttribute, by kernel
    Acquisitions acquisitions;
    bool counting = true;
    int threads = 1;                            // executors to use
    int last_error = 0;
    bool broken = false;                        // a kernel died: the device accepts no more work
    double seconds_limit = 10;
    std::atomic<bool> out_of_time{false};
    Recorder recorder;
    void* given_stream = nullptr;
    std::map<void*, int> streams;               // that host code has: the line of their creation, < 0 after that call
    void* escape = nullptr;                     // sigjmp_buf of the running entry point, for faults in host code
    pthread_t entry_thread{};                   // which may jump there
    int poison = 0xff;                          // the byte that fresh memory is filled with

    int kernel_number(const Launch& launch);
};

extern Machine the_machine;
inline Machine& machine() { return the_machine; }

// A return address in the learner's library, as findings and counters name it.
inline std::uint32_t program_counter(Address caller) { return static_cast<std::uint32_t>(caller - machine().module.base); }
inline std::uint32_t program_counter(void* caller) { return program_counter(reinterpret_cast<Address>(caller)); }

// The CUDA thread that runs on this OS thread; null in host code.
extern __thread Thread* current __attribute__((tls_model("initial-exec")));

template <class F> void each_lane(std::uint32_t mask, F f) {
    for (; mask; mask &= mask - 1) f(__builtin_ctz(mask));
}

// ---- lane.cpp ----
void set_built_ins(const Block& block);          // blockIdx, blockDim, gridDim
void thread_main();                              // a lane's fiber
void run_lane(Thread& thread);                   // until it must wait
void wait(Thread& thread, State state);          // leaves the fiber until the scheduler returns to it
void park(Block& block, BlockState state);       // leaves the block until its executor returns to it
void await_turn(Thread& thread);                 // until order-sensitive work is this block's to do
[[noreturn]] void abandon(Thread& thread);       // the block is given up, after its finding was filed
void spun(Thread& thread);                       // counts towards a spinning lane's yield

Finding finding_at(const Thread& thread, const char* kind, std::uint32_t pc);
[[noreturn]] void die(Thread& thread, Finding finding);   // files the finding and abandons the block

// ---- warp.cpp ----
struct Run { bool progress = false, spinning = false; };
Run run_warp(WarpUnit& warp);                    // until all its lanes wait for other warps, or only spin
const char* name_of(int operation);              // "__shfl_down_sync"

// ---- block.cpp ----
extern __thread Block* starting_block;
void block_main();                               // a block's own fiber, for starting_block

// ---- host.cpp ----
void launch_kernel(const Launch& launch);

// ---- replay.cpp ----
enum class Replay { NeedsTrace, ResolveWarp, Idle };
Replay replay(WarpUnit& warp, Executor& executor, std::uint32_t* group);   // group: lanes that ResolveWarp is about
void begin_replay(WarpUnit& warp);
void load_cursor(WarpUnit& warp, int lane);      // the lane has produced trace, or stopped
void forget_trace(WarpUnit& warp, int lane);     // its trace is used up: it goes on, or is over
void set_aside(WarpUnit& warp, int lane);        // replay does not wait for this lane for now

// ---- callbacks.cpp ----
// Adds to the thread's trace, if there is one.
inline void record(Thread& thread, Event event, std::uint32_t pc, std::uint64_t address, unsigned bytes, std::uint16_t region) {
    if (!thread.next) return;
    *thread.next++ = {pc, event, static_cast<std::uint8_t>(bytes), region, address};
    // Switching fibers inside a callback is sound although gcc believes that callbacks touch no memory: another thread's
    // writes may only be relied upon after a synchronisation, and those are ordinary calls.
    if (thread.next == thread.limit) wait(thread, State::Full);
}
void record_stored_value(Thread& thread);
inline void settle_store(Thread& thread) {       // a store has happened since: its value goes into the trace
    if (thread.stored) record_stored_value(thread);
}
std::uint16_t check_access(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc);

// ---- report.cpp ----
std::string report();

// ---- session.cpp ----
bool can_leave_entry_point();
[[noreturn]] void leave_entry_point();           // gives up the learner's host code, after its finding was filed
void prepare_signals();                          // on every OS thread that runs learner code

}  // namespace ladder
