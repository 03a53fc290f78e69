// What a CUDA thread may touch: named ranges of addresses, each with its space, its bounds and its initialised bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../include/ladder/abi.h"
#include "index.h"
#include "pages.h"
#include "streams.h"

namespace ladder {

using Address = std::uintptr_t;

// Whose memory it is. Both sides may touch all but the first.
enum class Sides { Device, Managed, Pinned, Registered };

// A launch or an asynchronous copy that touches memory of both sides.
struct DeviceUse { Work work; bool writes; Address begin, end; };   // of these addresses

// From the first to the last byte that a launch touches.
struct Reach {
    Address begin = ~Address{0}, end = 0;
    bool any() const { return begin < end; }
    void add(Address a, std::size_t bytes);   // by executors at once
};

struct Region;
struct SharedLayout { std::vector<Region*> arrays; };   // a kernel's, in the order of their declarations

struct Region {
    Address begin = 0;
    std::size_t bytes = 0;
    Space space = Space::Unknown;
    bool writable = true;
    bool counted = true;               // false: kernel arguments and the emulator's own data, which no GPU would load
    int id = 0;                        // index in the case's list of regions; -1: of a launch
    std::string name;
    int line = 0;                      // of the cudaMalloc
    int device = 0;                    // which the host thread had chosen then
    bool of_task = false;              // a buffer that the judge gives; all else is the submission's own scratch
    std::uint8_t* initialised = nullptr;   // a flag for each byte, aligned to 16 as the byte is; null: all are
    std::vector<std::uint8_t> before;  // what an output of the judge held when host code got its turn
    std::size_t filled = 0;            // bytes from its start that the longest copy or memset of host code has written
    int filled_line = 0;
    std::size_t unset_begin = 0, unset_end = 0;   // bytes that the last such copy has taken from what host code had never set
    int unset_line = 0;
    bool freed = false;
    std::size_t launches_before = 0;   // in the case, when it was allocated
    int freed_by_launch = 0;           // the line of the launch whose copy of an argument has freed it as it ended
    bool set_by_host = false;          // some of it, by a copy or memset
    std::uint32_t read_pc = 0;         // of a __constant__ variable: the first place in the code where a kernel reads it
    std::uint32_t read_early_pc = 0;   // the same before host code set any of it, in this line
    int set_late_line = 0;
    bool touched = false;              // by the launch that runs (shared arrays), by a kernel of the case (variables)
    bool is_heap = false;              // of kernels: what malloc gives there are parts of it (heap.h)
    bool is_variable = false;          // of the library
    bool is_managed = false;           // a __managed__ variable
    bool is_named = false;             // a __device__ or __constant__ variable: to host code its address is no device memory
    bool asked = false;                // host code knows its address on the device
    bool of_other_kernel = false;      // a shared array that the kernel which runs cannot have named
    int place_in_cluster = -1;         // of a shared array that other blocks of its cluster may touch (clusters.h)
    bool of_host = false;              // a variable of host code, by its declaration or because host code has touched it
    Sides sides = Sides::Device;
    std::vector<DeviceUse> uses;       // of memory of both sides: those that the host does not know to be over
    Reach loaded, stored;              // likewise, in the launch that runs; without what it only waits for
    unsigned stored_width = 0;         // bytes that a kernel has written at once, last
    bool stored_otherwise = false;     // others have been, too: it may hold structures, which have gaps
    bool has_atomics = false;          // a kernel has updated some of it
    int looks_for_untouched = 0;
    bool told_untouched = false;       // that kernels have left out some of it (untouched.h)
    unsigned declared = 0, alignment = 0;   // of a kernel's shared array: its place among these, and what nvcc aligns it to
    std::size_t skew = 0;              // bytes from a multiple of 16 to where it would lie on a GPU (shared_layout.h)
    std::shared_ptr<SharedLayout> laid_out;

    bool holds(Address a, std::size_t n) const { return a - begin < bytes && bytes - (a - begin) >= n; }
    bool outlives_launch() const { return id >= 0; }   // global memory, and __constant__ variables
    bool others_see() const { return id >= 0 || place_in_cluster >= 0; }   // blocks
    void note_read(std::uint32_t pc) {   // by any executor, in any order
        std::uint32_t first = __atomic_load_n(&read_pc, __ATOMIC_RELAXED);
        while (!first || pc < first)
            if (__atomic_compare_exchange_n(&read_pc, &first, pc, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
    void fill_from_host(Address from, std::size_t n, int by_line) {
        if (!std::exchange(set_by_host, true) && read_pc) read_early_pc = std::exchange(read_pc, 0), set_late_line = by_line;
        if (from == begin && n >= filled) filled = n, filled_line = by_line;
    }
    std::uint8_t* flags_of(Address a) const { return initialised + (a - begin); }
};

// By what an update of a word is lost (updates.py). A step is a swap for a value that is one more, as others may make it, too.
enum class Loses : std::uint8_t { Nothing, Exchange, Swap, Step };

// What a symbol of the learner's library stands for. Python (kinds.py) reads names and numbers from here.
enum class SymbolKind : int {
    Function,
    SharedArray,    // in the TLS block
    Variable,       // __device__, or a function's own
    NamedVariable,  // __device__ for certain
    HostVariable,
    Managed,        // a variable of both sides
    Constant,       // __constant__
    Uncounted,      // read-only data of the compiler's, which no GPU would load
    LaunchBound,    // its bytes are the most threads of a block
    LaunchBlocks,   // its bytes are the blocks of a multiprocessor for which nvcc is to leave registers
    HostOnly,       // a function that no kernel may run; without a name: it would do there what is not seen
    EmptyLoop,      // no symbol: a jump to itself
    Loop,           // no symbol: the instructions of a loop around a barrier, up to the last jump back,
    LoopEnd,        // and behind it the basic block of that jump
    CallPlace,      // no symbol: the return address of a call that g++ has copied; its bytes: that of the call it is a copy of
    FlagRead,       // no symbol: the return address of a volatile read that looks at a flag
    Overwrite,      // no symbol: the return address of a volatile write by which what others have written may be lost
    Update,         // no symbol: the return address of an atomic for what is calculated from a look at the word; its bytes: Loses
    CachedRead,     // no symbol: the return address of a load by __ldg
    BlindExchange,  // no symbol: the return address of an atomic exchange whose old value goes unused
    Alignment,      // no symbol: the return address of a callback; its bytes: what the access must be a multiple of
    OfEachSide,     // a function, or a class's table of virtual functions, that host code has and a kernel, too
    ClusterSize,    // its bytes say the blocks of a cluster along each axis (cluster_axis)
    Declared,       // marks a kernel's own shared array: its name ends in "ladder_declared_", a number that grows through
                    // the file, and the array's name; its bytes are those to a multiple of which nvcc puts that
    Frame,          // no symbol: where a function begins; its bytes are those that it takes of the stack
    Index,          // no symbol: where an array is indexed, "file:line:column"; its value: local, its bytes: an address is taken
};

// A symbol of the learner's library, as the session read it from the ELF file.
struct Symbol {
    std::uint64_t value;    // offset in the file's image, or in the TLS block
    std::uint64_t bytes;
    SymbolKind kind;
    const char* name;       // demangled
};

// The learner's library as it lies in memory.
struct Module {
    Address base = 0, text_begin = 0, text_end = 0;   // text: offsets from base
    Address data_begin = 0, data_bytes = 0;            // its writable variables
    std::size_t tls_module = 0, tls_bytes = 0;
    std::vector<Symbol> symbols;
    std::vector<std::string> names;
    std::map<std::uint32_t, Loses> updates;
    std::set<std::uint32_t> flag_reads, overwrites, blind_exchanges, cached_reads, empty_loops;
    std::unordered_map<std::uint32_t, std::uint8_t> alignments;   // by callbacks, where an access wants another one than these say
    bool has_unsure = false, has_wide = false;         // among these: what need not lie at a multiple of 16; what wants more than 4
    struct Loop { std::uint64_t first, jump, last; };
    std::vector<Symbol> host_only, of_each_side;       // the second by their addresses
    std::vector<Loop> loops;                           // around barriers
    std::map<std::string, Symbol> indexes;
    struct Declared { unsigned order, alignment; };    // 0: two arrays have this name
    std::map<std::string, Declared> declared;          // shared arrays of kernels, by their names
    std::map<std::uint32_t, std::uint32_t> call_places;   // of copied calls: that of the first; empty: it is not known
    std::map<std::uint64_t, std::size_t> frames;       // bytes of the stack, by where the function begins

    // The TLS block of the calling OS thread: where its copy of every __shared__ array lies.
    Address thread_block() const;
    // Of a function; null: it is not known which. Its own arrays are those declared in it, not in what it calls.
    std::size_t static_shared(const Symbol* function) const;   // bytes
    std::size_t launch_bound(const Symbol* function) const;    // threads that its __launch_bounds__ allow; 0: it has none
    Index cluster_size(const Symbol* function) const;          // that its __cluster_dims__ name; {}: it has none
    std::size_t launch_blocks(const Symbol* function) const;   // of a multiprocessor, that they ask for; 1: none in particular
    const Symbol* function_at(const void* address) const;      // that begins there
    const Symbol* function_around(Address code) const;
    // Whether these return addresses are those of one call in the source.
    bool same_call(std::uint32_t pc, std::uint32_t other) const { return pc == other || are_copies(pc, other); }
    const Symbol* host_only_at(std::uint32_t pc) const;        // null: a kernel may run what is there
    void add_alignment(const Symbol& of_callback);
    void add_declared(const Symbol& mark);
    // That the access behind the callback wants; 0: that is not known, -1: what the callback says.
    int alignment_at(std::uint32_t pc) const {
        const auto found = alignments.find(pc);
        return found == alignments.end() ? -1 : found->second;
    }
    // Whether sixteen bytes that one callback tells of are no vector: it says so of all that lie at a multiple of eight.
    bool is_pair(std::uint32_t pc, Address a) const {
        const int wanted = has_unsure ? alignment_at(pc) : -1;
        return wanted > 0 || (wanted == 0 && a % 16 != 0);
    }

private:
    bool are_copies(std::uint32_t pc, std::uint32_t other) const;
    std::size_t own_bytes(const Symbol* function, SymbolKind kind, std::size_t otherwise) const;   // of its variable of this kind
};

// The function that a variable is declared in: "kernel<...>(...)" of "kernel<...>(...)::As"; empty if there is none.
std::string owner_of(const std::string& variable);

constexpr std::size_t most_filled = std::size_t{64} << 20;   // bytes of fresh memory that are filled, or looked through

// All device memory of one case: the judge's buffers and what the launcher allocates.
class DeviceMemory {
public:
    void begin_case();
    void reserve(std::size_t bytes);   // that a case may allocate; from the next one on
    void add_mapping(Address begin, std::size_t bytes);   // pages that hold buffers: shut while host code runs
    void add_buffer(const char* name, Address begin, std::size_t bytes, bool writable);   // in a mapping, or elsewhere

    Region& add_heap(Address begin);   // empty, as yet
    void add_variables(const Module& module);   // __device__ and __constant__ variables of the learner's library

    int allocate(void** pointer, std::size_t bytes, int line, int poison);   // a CUDA error
    int release(void* pointer);        // a CUDA error
    int add_both_sided(void** pointer, std::size_t bytes, int line, Sides sides);   // a CUDA error
    int remember(void* pointer, std::size_t bytes, int line);   // host memory that is registered; a CUDA error
    int forget(void* pointer);
    Region* both_sided(Address a) const;
    void note_host_writes(Region& region) const;   // that may have been, to fresh memory of both sides
    void note_host_writes();           // of all such memory
    void used(Region& region, const DeviceUse& use);   // by work that runs on after the call
    void host_has_waited();            // for some of that
    void give_to_host(Region& region); // whatever is still under way
    void open_to_host(const Region& region);   // its pages, until the next call of the runtime
    Region* find(Address a) const;     // the region that holds this byte, freed ones included
    Region* variable(Address a) const; // the library's variable that holds this byte
    Region* named_variable(Address a) const;   // the __device__ or __constant__ one
    Region* nearest(Address a) const;  // the last region that begins at or before a, or the first of all
    int order_of(const Region& region) const;   // how often its line had allocated memory before
    bool is_of_earlier_case(Address a) const { return a >= arena_ && a < case_begin_; }   // an allocation that was kept
    bool can_be_device(Address a) const {   // false: certainly not
        return a - arena_ < arena_end_ - arena_ || variables_.hold(a) || registers_ || !mappings_.empty();
    }
    bool is_device(Address a) const;   // within pages that belong to the device, and not to host code
    bool all_blocks_see(Address a) const;   // global memory: buffers, allocations, and the library's __device__ variables
    void open();                       // device code runs: pages may be touched
    void shut();                       // host code runs: touching them is a fault
    void keep_open(bool how) { kept_open_ = how; }   // for calls that come one right behind the other
    void show();                       // the case is over: the grader reads, threads that still run must not write

    // What copies and memsets moved in global memory in this case: all, and in the task's own buffers.
    struct Moved { std::uint64_t all = 0, of_task = 0; };
    Moved read_by_copies, written_by_copies;

    // What host code did in this case: bytes that it copied, and an address that it touched all the same; 0 if none.
    std::size_t copied_to_host = 0, copied_from_host = 0, inputs_to_host = 0;   // of the first, from the task's inputs
    void note_exchange(Address a, std::size_t bytes, bool writes);   // of a __managed__ variable: as if it were copied
    std::atomic<Address> touched_by_host{0};

    const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
    std::size_t allocated_bytes() const { return allocated_; }
    std::size_t peak_bytes() const { return peak_; }
    std::size_t live_bytes() const { return live_; }

private:
    struct Pages {
        Address begin;
        std::size_t bytes;
        bool hold(Address a) const { return a - begin < bytes; }
    };
    void protect(int how);
    void compare_outputs();
    std::vector<std::unique_ptr<Region>> regions_;
    std::vector<std::unique_ptr<Lazy<std::uint8_t>>> initialised_;
    std::vector<Pages> mappings_;
    std::vector<Pages> unmapped_;      // buffers elsewhere: host code may touch them
    std::size_t capacity_ = global_memory;
    Address arena_ = 0, arena_end_ = 0, case_begin_ = 0, arena_next_ = 0;
    Pages variables_{0, 0};
    mutable Region* last_both_sided_ = nullptr;   // that was asked for
    int both_sided_ = 0;               // regions
    std::size_t allocated_ = 0, peak_ = 0, live_ = 0;
    bool is_open_ = true, kept_open_ = false;
    bool registers_ = false;           // host memory, which may be anywhere
};

}  // namespace ladder
