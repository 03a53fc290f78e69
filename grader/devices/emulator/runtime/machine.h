// The whole emulator of this process: device memory, the learner's library, executors, and what a case leaves behind.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "counted_words.h"
#include "executor.h"
#include "heap.h"
#include "host_chance.h"
#include "page_locked.h"
#include "program.h"
#include "recorder.h"
#include "sampling.h"
#include "stream_races.h"
#include "streams.h"
#include "untouched.h"
#include "unwritten.h"

namespace ladder {

struct Machine {
    DeviceMemory memory;
    KernelHeap heap;
    std::size_t gpu_stack = usual_gpu_stack;   // bytes of a thread, as host code has asked for them
    Module module;
    SpareStacks spare_stacks;                   // these two are older than the executors, which give theirs back when they end
    SpareBlocks spare_blocks;
    std::vector<std::unique_ptr<Executor>> executors;
    std::vector<KernelTotals> kernels;
    std::vector<LaunchRecord> launches;
    std::vector<Finding> findings;              // of host code and finished launches
    std::map<std::string, std::size_t> allowed_shared;   // cudaFuncSetAttribute, by function
    std::map<std::string, std::size_t> once_allowed;     // the same in this case or an earlier one: host code may ask for it once
    std::set<std::string> wide_clusters;        // functions whose clusters may have more than 8 blocks, from when they ask for it on
    std::set<std::string> launched;             // functions that have run as kernels
    Acquisitions acquisitions;
    bool counting = true;
    bool whole_program = false;                 // what runs is no graded file: it may do more, and has more of CUDA
    bool only_launches = false;                 // what host code launches is noted, and not run
    std::string noted_launches;
    std::vector<std::uint32_t> sizes_of_call;
    bool elements_turned = false;               // fragments have their elements in another order (wmma.h)
    std::uint64_t grids_before = 0;             // launches of earlier cases, as %gridid counts them
    std::size_t few_blocks = 0;                 // that run of a launch; 0: all
    std::vector<std::uint64_t> only_blocks;     // that run of a launch which has them all; else all
    std::vector<std::uint64_t> told_numbers;    // of a file: half of those may be the blocks, or have the elements, of these
    int multiprocessors = ladder::multiprocessors;   // that host code is told of
    HostChance chance;
    bool blocks_turned = false;                 // the last block of a launch begins first
    bool print_threads = false;                 // each line that a kernel prints begins with its block and thread
    int threads = 1;                            // executors to use
    int last_error = 0;
    int error_asked_for = 0;                    // the one that host code has been told of last
    std::pair<int, std::vector<std::uint32_t>> failed{};   // the last error of a call that has no finding, and where that is
    bool fault_is_known = false;                // to the host, which has waited since
    int fault = 0;                              // of a kernel that died: the device accepts no more work
    bool given_up = false;                      // host code was left before its end
    double seconds_limit = 10;
    double wall_limit = 1e9;   // the same on the clock, whatever else the machine does meanwhile
    double data_elements = 0;                   // of all buffers, with the numbers that the entry point gets (patience.h)
    std::atomic<bool> out_of_time{false};
    Recorder recorder;
    Program program;
    Sampling sampling;
    CountedWords counted_words;
    Watched watched;
    UnwrittenCopies unwritten;                  // that host code has got
    PageLocked page_locked;                     // memory of a graded file
    Extents extents;                            // of a whole program's launches
    std::size_t filled_stack = 0;               // bytes of each thread's that are filled before it begins
    void* given_stream = nullptr;
    std::map<void*, OwnStream> streams;         // that host code has
    std::map<const void*, OwnStream> events;    // that a program has
    StreamOrder stream_order;
    std::uint64_t printed_signs = 0;            // by the kernels of this case: what is seen of them
    std::pair<Work, std::string> printed{};     // the last launch of which something is printed, and its kernel
    StreamRaces stream_races;
    Origin origin;                      // of the kernel that is being launched
    void* escape = nullptr;                     // sigjmp_buf of the running entry point, for faults in host code
    std::uint64_t host_steps = 0;               // basic blocks of host code since the last launch (its threads may miss some)
    pthread_t entry_thread{};                   // which may jump there
    int poison = 0xff;                          // the byte that fresh memory is filled with

    int kernel_number(const Launch& launch);
};

extern Machine the_machine;
inline Machine& machine() { return the_machine; }

// A return address in the learner's library, as findings and counters name it.
inline std::uint32_t program_counter(Address caller) { return static_cast<std::uint32_t>(caller - machine().module.base); }
inline std::uint32_t program_counter(void* caller) { return program_counter(reinterpret_cast<Address>(caller)); }

// ---- both_sides.cpp ----
void both_sided_access(Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc);   // by host code, while it is in use
void note_use_by_launch(bool tells_host);   // by flags: then it is not known what is still in use
void note_use_by_copy(Address a, std::size_t bytes, bool writes, int line);   // by the work that began last, if it is of this line

// ---- report.cpp ----
std::string report();

// ---- session.cpp ----
double processor_seconds();                      // of this process, so far
bool can_leave_entry_point();
[[noreturn]] void leave_entry_point();           // gives up the learner's host code, after its finding was filed
void prepare_signals();                          // on every OS thread that runs learner code

// ---- ending.cpp ----
void finish_case(Machine& m);

}  // namespace ladder

extern "C" int ladder_session_run(void (*entry)(void**), void** arguments);
