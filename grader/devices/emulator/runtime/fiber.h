// A fiber: a stack and a place to continue. Switching costs 5-10 ns, where ucontext costs 180 (it calls the kernel).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sanitizers.h"

namespace ladder {

// Saves the caller's registers and stack pointer in *from and continues at `to`.
extern "C" void ladder_switch(void** from, void* to);

// Where a fiber, or an OS thread that has switched to one, continues.
struct Fiber {
    void* stack_pointer = nullptr;
    [[no_unique_address]] Announced announced;
};

// Continues at `to`, until something switches back to `from`. Inlined always: see ThreadSanitizer's part of sanitizers.h.
[[gnu::always_inline]] inline void switch_fiber(Fiber& from, const Fiber& to) {
    from.announced.leave(to.announced);
    ladder_switch(&from.stack_pointer, to.stack_pointer);
    from.announced.arrive();
}

// Continues at `to`; this fiber is over, whatever functions it is in.
[[noreturn, gnu::always_inline]] inline void leave_fiber(const Fiber& to) {
    void* nowhere;
    Announced::leave_for_good(to.announced);
    ladder_switch(&nowhere, to.stack_pointer);
    __builtin_unreachable();
}

// The first thing that a fiber does.
inline void begin_fiber() { Announced{}.arrive(); }

// A pool of equal stacks, each with a guard page below it; memory is committed as it is used.
class Stacks {
public:
    Stacks(std::size_t count, std::size_t bytes);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // A fresh fiber on stack i that will call `entry`, which calls begin_fiber() first and never returns.
    Fiber start(std::size_t i, void (*entry)());
    // Before the fiber begins: so many bytes, where its first variables will lie, are zeros, or others.
    static void fill(const Fiber& fiber, std::size_t bytes, bool zeros);
    // What stack i holds of a fiber that is to continue there: added to `saved`, and put back; where the next one's begins.
    void save(std::size_t i, const Fiber& fiber, std::vector<char>& saved) const;
    const char* restore(std::size_t i, const Fiber& fiber, const char* saved);
    bool holds(const void* p) const { return p >= base_ && p < base_ + count_ * stride_; }
    bool is_guard(const void* p) const;
    std::uintptr_t bottom(std::size_t i) const { return reinterpret_cast<std::uintptr_t>(base_) + i * stride_ + guard_; }
    bool is_of(std::size_t i, std::uintptr_t address) const { return address - reinterpret_cast<std::uintptr_t>(base_) - i * stride_ < stride_; }
    // Whose stack an address is on that `holds` knows; and whether it is where that fiber has its variables.
    std::size_t owner_of(std::uintptr_t address) const { return (address - reinterpret_cast<std::uintptr_t>(base_)) / stride_; }
    bool is_in_use(std::size_t i, const Fiber& fiber, std::uintptr_t address) const;
    char* base() const { return base_; }
    std::size_t bytes() const { return count_ * stride_; }
    std::size_t count() const { return count_; }
    // How many there may be in the process, about: each is two mappings, with its guard, and the kernel allows so many.
    static std::size_t most();
    static std::size_t in_use() { return in_use_.load(std::memory_order_relaxed); }

private:
    static std::atomic<std::size_t> in_use_;
    char* top(std::size_t i) const;   // where the stack of a fresh fiber begins
    char* base_;
    std::size_t count_, guard_, stride_;
    std::vector<Announced> announced_;   // of the fiber on each stack
};

// Stacks that no block has now. To make new ones costs a call of the kernel for each thread, and a page fault later.
class SpareStacks {
public:
    std::unique_ptr<Stacks> take(std::size_t count, std::size_t bytes);   // all are asked for with the same `bytes`
    void keep(std::unique_ptr<Stacks> stacks, std::size_t most);          // beside as many others: those kept for longest go

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Stacks>> spare_;   // in the order of their coming
};

}  // namespace ladder
