#include "fiber.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "pages.h"

// Only what the ABI calls callee-saved has to survive a switch: to the compiler it is an ordinary function call.
#if defined(__x86_64__)
asm(R"(
.text
.globl ladder_switch
.type ladder_switch, @function
ladder_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size ladder_switch, .-ladder_switch
)");
static constexpr std::size_t saved_words = 6;
static constexpr std::size_t return_slot = 6;   // `ret` pops the entry point from behind the saved registers
#elif defined(__aarch64__)
asm(R"(
.text
.globl ladder_switch
.type ladder_switch, %function
ladder_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size ladder_switch, .-ladder_switch
)");
static constexpr std::size_t saved_words = 20;
static constexpr std::size_t return_slot = 11;   // x30
#else
#error "The emulator switches fibers by hand and knows x86-64 and aarch64 only."
#endif

namespace ladder {

Stacks::Stacks(std::size_t count, std::size_t bytes)
    : count_(count), guard_(page_size()), stride_(bytes + guard_), announced_(count) {
    void* memory = mmap(nullptr, count * stride_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::fprintf(stderr, "the emulator cannot reserve %zu MB for the stacks of its threads\n", count * stride_ >> 20);
        std::abort();
    }
    base_ = static_cast<char*>(memory);
    in_use_ += count;
    for (std::size_t i = 0; i < count; ++i) mprotect(base_ + i * stride_, guard_, PROT_NONE);
}

Stacks::~Stacks() {
    for (Announced& fiber : announced_) fiber.end();
    munmap(base_, count_ * stride_);
    in_use_ -= count_;
}

std::atomic<std::size_t> Stacks::in_use_{0};

std::size_t Stacks::most() {
    static const std::size_t most = [] {
        std::size_t mappings = 0;
        if (!(std::ifstream("/proc/sys/vm/max_map_count") >> mappings)) mappings = 65530;   // the kernel's default
        return mappings / 2 - mappings / 16;   // an eighth is for all else
    }();
    return most;
}

bool Stacks::is_guard(const void* p) const {
    return holds(p) && static_cast<std::size_t>(static_cast<const char*>(p) - base_) % stride_ < guard_;
}

// Staggered: at one distance from each other they would all fall into the same few cache sets.
char* Stacks::top(std::size_t i) const { return base_ + (i + 1) * stride_ - 64 - (i % 32) * 64; }

bool Stacks::is_in_use(std::size_t i, const Fiber& fiber, std::uintptr_t address) const {
    return address >= reinterpret_cast<std::uintptr_t>(fiber.stack_pointer) && address < reinterpret_cast<std::uintptr_t>(top(i));
}

void Stacks::save(std::size_t i, const Fiber& fiber, std::vector<char>& saved) const {
    saved.insert(saved.end(), static_cast<const char*>(fiber.stack_pointer), static_cast<const char*>(top(i)));
}

const char* Stacks::restore(std::size_t i, const Fiber& fiber, const char* saved) {
    const auto bytes = static_cast<std::size_t>(top(i) - static_cast<const char*>(fiber.stack_pointer));
    std::memcpy(fiber.stack_pointer, saved, bytes);
    return saved + bytes;
}

// As a float or a whole number the others are positive, unlike those of the checking build (0xfe).
void Stacks::fill(const Fiber& fiber, std::size_t bytes, bool zeros) {
    std::memset(static_cast<char*>(fiber.stack_pointer) - bytes, zeros ? 0 : 0x3f, bytes);
}

Fiber Stacks::start(std::size_t i, void (*entry)()) {
    announced_[i].begin(base_ + i * stride_ + guard_, stride_ - guard_);
    auto words = reinterpret_cast<std::uintptr_t*>(top(i));
#if defined(__x86_64__)
    *--words = 0;   // where a return address would lie, so that the entry sees the alignment of a called function
#endif
    words -= saved_words + (return_slot == saved_words ? 1 : 0);
    for (std::size_t w = 0; w < saved_words; ++w) words[w] = 0;
    words[return_slot] = reinterpret_cast<std::uintptr_t>(entry);
    return {words, announced_[i]};
}

std::unique_ptr<Stacks> SpareStacks::take(std::size_t count, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(spare_.rbegin(), spare_.rend(), [&](const auto& each) { return each->count() == count; });
    if (found == spare_.rend()) {
        while (!spare_.empty() && Stacks::in_use() + count > Stacks::most()) spare_.erase(spare_.begin());
        return std::make_unique<Stacks>(count, bytes);
    }
    auto stacks = std::move(*found);
    spare_.erase(std::next(found).base());
    return stacks;
}

void SpareStacks::keep(std::unique_ptr<Stacks> stacks, std::size_t most) {
    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(stacks));
    if (spare_.size() > most) spare_.erase(spare_.begin());
}

}  // namespace ladder
