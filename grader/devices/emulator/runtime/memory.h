// What a CUDA thread may touch: named ranges of addresses, each with its space, its bounds and its initialised bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../include/ladder/abi.h"

namespace ladder {

using Address = std::uintptr_t;

void* map_zeroes(std::size_t bytes);
void unmap(void* memory, std::size_t bytes);

// A memory-mapped array of zeroes that costs only what is touched.
template <class T> class Lazy {
public:
    Lazy() = default;
    explicit Lazy(std::size_t count) : data_(count ? static_cast<T*>(map_zeroes(count * sizeof(T))) : nullptr), count_(count) {}
    ~Lazy() { if (data_) unmap(data_, count_ * sizeof(T)); }
    Lazy(Lazy&& other) noexcept { swap(other); }
    Lazy& operator=(Lazy&& other) noexcept { swap(other); return *this; }
    T& operator[](std::size_t i) const { return data_[i]; }
    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    explicit operator bool() const { return data_ != nullptr; }

private:
    void swap(Lazy& other) { std::swap(data_, other.data_); std::swap(count_, other.count_); }
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

struct Region {
    Address begin = 0;
    std::size_t bytes = 0;
    Space space = Space::Unknown;
    bool writable = true;
    bool counted = true;               // false: kernel arguments and the emulator's own data, which no GPU would load
    int id = 0;                        // index in the case's list of regions (global memory)
    std::string name;
    int line = 0;                      // of the cudaMalloc
    std::uint8_t* initialised = nullptr;   // one byte for each byte; null: all are
    std::vector<std::uint8_t> before;  // what an output of the judge held when host code got its turn
    bool freed = false;
    bool touched = false;              // by the launch that runs (shared arrays only)

    bool holds(Address a, std::size_t n) const { return a - begin < bytes && bytes - (a - begin) >= n; }
};

// A symbol of the learner's library, as the session read it from the ELF file.
struct Symbol {
    std::uint64_t value;    // offset in the file's image, or in the TLS block
    std::uint64_t bytes;
    int kind;               // as symbols.py numbers them: 0 function, 1 shared array (TLS), 2 gap behind one, 3 variable, ...
    const char* name;       // demangled
};

// The learner's library as it lies in memory.
struct Module {
    Address base = 0, text_begin = 0, text_end = 0;   // text: offsets from base
    Address data_begin = 0, data_bytes = 0;            // its writable variables
    std::size_t tls_module = 0, tls_bytes = 0;
    std::vector<Symbol> symbols;
    std::vector<std::string> names;

    // The TLS block of the calling OS thread: where its copy of every __shared__ array lies.
    Address thread_block() const;
    std::size_t static_shared(const std::string& kernel) const;   // bytes
    std::size_t launch_bound(const std::string& kernel) const;    // threads that its __launch_bounds__ allow; 0: it has none
    const Symbol* function_at(const void* address) const;
};

// The function that a variable is declared in: "kernel<...>(...)" of "kernel<...>(...)::As"; empty if there is none.
std::string owner_of(const std::string& variable);

// The name of a kernel without namespaces and template arguments: how a launch and a symbol are matched.
std::string base_name(const std::string& name);

// All device memory of one case: the judge's buffers and what the launcher allocates.
class DeviceMemory {
public:
    void begin_case();
    void add_buffer(const char* name, Address begin, std::size_t bytes, bool writable);
    void add_mapping(Address begin, std::size_t bytes);   // pages that hold buffers: shut while host code runs

    void add_variables(const Module& module);   // __device__ and __constant__ variables of the learner's library

    int allocate(void** pointer, std::size_t bytes, int line, int poison);   // a CUDA error
    int release(void* pointer);        // a CUDA error
    Region* find(Address a) const;     // the region that holds this byte, freed ones included
    Region* nearest(Address a) const;  // the last region that begins at or before a, or the first of all
    bool is_device(Address a) const;   // within pages that belong to the device, and not to host code
    bool all_blocks_see(Address a) const;   // global memory: buffers, allocations, and the library's __device__ variables
    void open();                       // device code runs: pages may be touched
    void shut();                       // host code runs: touching them is a fault
    void show();                       // the case is over: the grader reads, threads that still run must not write

    // What host code did in this case: bytes that it copied, and an address that it touched all the same; 0 if none.
    std::size_t copied_to_host = 0, copied_from_host = 0;
    std::atomic<Address> touched_by_host{0};

    const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
    std::size_t allocated_bytes() const { return allocated_; }
    std::size_t peak_bytes() const { return peak_; }
    std::size_t live_bytes() const { return live_; }

private:
    struct Pages { Address begin; std::size_t bytes; };
    void protect(int how);
    void compare_outputs();
    std::vector<std::unique_ptr<Region>> regions_;
    std::vector<std::unique_ptr<Lazy<std::uint8_t>>> initialised_;
    std::vector<Pages> mappings_;
    Address arena_ = 0, arena_end_ = 0, arena_next_ = 0;
    Pages variables_{0, 0};
    std::size_t allocated_ = 0, peak_ = 0, live_ = 0;
    bool is_open_ = true;
};

}  // namespace ladder
