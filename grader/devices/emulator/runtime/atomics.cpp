// Atomic operations. Those on global memory are performed by one block at a time, in turns (schedule.h), so that sums
// of floats and tickets are the same on every run.
#include <cstring>

#include "../include/ladder/narrow.h"
#include "accesses.h"
#include "host_accesses.h"
#include "machine.h"

namespace ladder {

namespace {

unsigned size_of(Type type) {
    switch (type) {
        case Type::I64: case Type::U64: case Type::F64: return 8;
        case Type::F16: case Type::BF16: case Type::I16: case Type::U16: return 2;
        case Type::I8: case Type::U8: return 1;
        default: return 4;
    }
}

template <class T> T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> std::uint64_t to_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> T integer(Atomic op, T old, T value, T compare) {
    switch (op) {
        case Atomic::Add: return static_cast<T>(old + value);
        case Atomic::Sub: return static_cast<T>(old - value);
        case Atomic::Exchange: return value;
        case Atomic::Min: return value < old ? value : old;
        case Atomic::Max: return value > old ? value : old;
        case Atomic::Increment: return old >= value ? T{0} : static_cast<T>(old + 1);
        case Atomic::Decrement: return old == 0 || old > value ? value : static_cast<T>(old - 1);
        case Atomic::CompareSwap: return old == compare ? value : old;
        case Atomic::And: return old & value;
        case Atomic::Or: return old | value;
        case Atomic::Xor: return old ^ value;
    }
    return old;
}

template <class T> std::uint64_t integers(Atomic op, std::uint64_t old, std::uint64_t value, std::uint64_t compare) {
    return to_bits(integer(op, from_bits<T>(old), from_bits<T>(value), from_bits<T>(compare)));
}

template <class T> T floating(Atomic op, T old, T value) {
    switch (op) {
        case Atomic::Sub: return static_cast<T>(old - value);
        case Atomic::Exchange: return value;
        case Atomic::Min: return value < old ? value : old;
        case Atomic::Max: return value > old ? value : old;
        default: return static_cast<T>(old + value);
    }
}

// Of two values of 16 bits, in float and rounded once.
template <class Format> std::uint16_t narrow_floating(Atomic op, std::uint16_t old, std::uint16_t value) {
    return narrow<Format>(floating(op, widen<Format>(old), widen<Format>(value)));
}

std::uint64_t compute(Atomic op, Type type, std::uint64_t old, std::uint64_t value, std::uint64_t compare) {
    const bool bitwise = op == Atomic::Exchange || op == Atomic::CompareSwap;
    const auto low = [](std::uint64_t v) { return static_cast<std::uint16_t>(v); };
    const auto high = [](std::uint64_t v) { return static_cast<std::uint16_t>(v >> 16); };
    switch (type) {
        case Type::I8: return integers<std::int8_t>(op, old, value, compare);
        case Type::U8: return integers<std::uint8_t>(op, old, value, compare);
        case Type::I16: return integers<std::int16_t>(op, old, value, compare);
        case Type::U16: return integers<std::uint16_t>(op, old, value, compare);
        case Type::I32: return integers<std::int32_t>(op, old, value, compare);
        case Type::I64: return integers<std::int64_t>(op, old, value, compare);
        case Type::U64: return integer(op, old, value, compare);
        case Type::F32: if (bitwise) break; return to_bits(floating(op, from_bits<float>(old), from_bits<float>(value)));
        case Type::F64: if (bitwise) break; return to_bits(floating(op, from_bits<double>(old), from_bits<double>(value)));
        case Type::F16: if (bitwise) break; return narrow_floating<Binary16>(op, low(old), low(value));
        case Type::BF16: if (bitwise) break; return narrow_floating<Brain16>(op, low(old), low(value));
        case Type::F16x2:
            if (bitwise) break;
            return narrow_floating<Binary16>(op, low(old), low(value)) | std::uint64_t{narrow_floating<Binary16>(op, high(old), high(value))} << 16;
        case Type::BF16x2:
            if (bitwise) break;
            return narrow_floating<Brain16>(op, low(old), low(value)) | std::uint64_t{narrow_floating<Brain16>(op, high(old), high(value))} << 16;
        default: return integers<std::uint32_t>(op, old, value, compare);
    }
    return integer(op, old, value, compare);
}

// What so many bytes hold, eight at most. A processor waits long for eight that it has just stored as fewer.
std::uint64_t word_at(const void* address, unsigned bytes) {
    std::uint64_t word = 0;
    if (bytes == sizeof(std::uint32_t)) {
        std::uint32_t narrow;
        std::memcpy(&narrow, address, sizeof narrow);
        word = narrow;
    } else {
        std::memcpy(&word, address, bytes);
    }
    return word;
}

// Whether this look needs no turn: it may find what the word held when the block was woken.
bool takes_offer(Thread& thread, Address a, unsigned bytes, bool only_looks) {
    return std::exchange(thread.is_offered, false) && only_looks && a == thread.asked && bytes == thread.asked_bytes;
}

// Whether it asks for another word by a swap while it has one, as for a second lock. Where blocks take two in different
// orders, each has its first and waits for the other's on a GPU: so a block lets the others come in between, a few times.
bool takes_second_lock(const Thread& thread, Atomic op, Address a, std::uint64_t value, std::uint64_t compare, Acquires when) {
    if (!thread.held || thread.held == a || thread.block->second_locks == most_second_locks) return false;
    return value != 0 && ((op == Atomic::CompareSwap && compare == 0) || (op == Atomic::Exchange && when != Acquires::Never));
}

}  // namespace

std::uint64_t do_atomic(Thread* thread, Atomic op, Type type, Scope scope, void* address, unsigned bytes, std::uint64_t value,
                        std::uint64_t compare, std::uint32_t pc, Acquires when) {
    const auto a = reinterpret_cast<Address>(address);
    const bool shared_by_all = thread && machine().memory.all_blocks_see(a);
    if (!thread) note_host_write(a);
    if (thread) {
        settle_store(*thread);
        const bool only_looks = value == 0 && type <= Type::U64 && (op == Atomic::Add || op == Atomic::Or);
        bool is_offered = shared_by_all && takes_offer(*thread, a, bytes, only_looks);
        if (shared_by_all && !is_offered) begin_ordered(*thread, pc);
        if (shared_by_all && takes_second_lock(*thread, op, a, value, compare, when)) {
            let_others_take_locks(*thread);
            begin_ordered(*thread, pc);
        }
        // Of an input the least it can do is to look, as a load by atomics does; anywhere else it is a write, as its name says.
        const Region* const asked = only_looks ? thread->executor->find(a, bytes) : nullptr;
        const bool looks = asked && !asked->writable && asked->space == Space::Global;
        const std::uint16_t region = check_access(*thread, a, bytes, !looks, pc);
        const bool is_known = region != no_region && scope == Scope::System;
        if (is_known && thread->executor->regions[region]->sides != Sides::Device) thread->block->launch->tells_host = true;
        const std::uint64_t found = is_offered ? thread->offered : word_at(address, bytes);
        const bool changes = compute(op, type, found, value, compare) != found;
        thread->only_looks = only_looks && shared_by_all && scope != Scope::Block;
        thread->by_atomic = true;
        if (!is_offered) {
            spun(*thread, a, bytes, found, value ^ compare * 0x9e3779b97f4a7c15u, changes);
            is_offered = shared_by_all && takes_offer(*thread, a, bytes, only_looks);   // it may have slept
            if (shared_by_all && !is_offered) begin_ordered(*thread, pc);
        }
        const unsigned flags = (scope == Scope::Block ? block_scope_flag : 0u) | (op == Atomic::CompareSwap ? compare_swap_flag : 0u) |
                               (type >= Type::F32 && type <= Type::BF16x2 ? float_flag : 0u);
        if (region != no_region) {
            record(*thread, Event::Atomic, pc, a, bytes | flags, region);
            if (thread->next && machine().module.overwrites.contains(pc)) thread->warp->exchanged.emplace_back(thread->lane, value);
        }
        acquire(*thread, a, width_of(bytes), when, scope, is_offered ? thread->offered_releases : all_releases);
        if (is_offered) return thread->offered;
        if (region != no_region) {
            draw_for_others(*thread, *thread->executor->regions[region], op, type, address, value);
            if (shared_by_all) value = count_in_word(*thread->executor->regions[region], op, type, address, value, pc);
        }
    }
    const std::uint64_t old = word_at(address, bytes);
    const std::uint64_t result = compute(op, type, old, value, compare);
    std::memcpy(address, &result, bytes);
    if (!thread) return old;
    // The memory model makes it a release, too, but one that no code can use: a thread that finds this value may as well have
    // come before it. So a loop that asks by atomicAdd(&flag, 0) publishes nothing in each round.
    if (result == old) return old + machine().counted_words.more_from(a);
    if (op == Atomic::CompareSwap || op == Atomic::Exchange) thread->held = thread->held == a ? 0 : a;
    release(*thread, a, width_of(bytes), scope);
    if (shared_by_all) thread->block->launch->schedule.wake(a, *thread->block);
    return old + machine().counted_words.more_from(a);
}

// It never counts as a look that finds the same: of these 16 bytes only some may be what a thread waits for.
static Quad do_wide_atomic(Thread& thread, Atomic op, Scope scope, void* address, Quad value, Quad compare, std::uint32_t pc) {
    constexpr unsigned bytes = sizeof(Quad);
    const auto a = reinterpret_cast<Address>(address);
    const bool shared_by_all = machine().memory.all_blocks_see(a);
    settle_store(thread);
    if (shared_by_all) begin_ordered(thread, pc);
    const std::uint16_t region = check_access(thread, a, bytes, true, pc);
    spun(thread, a, bytes / 2, 0, 0, true);
    if (shared_by_all) begin_ordered(thread, pc);
    const unsigned flags = (scope == Scope::Block ? block_scope_flag : 0u) | (op == Atomic::CompareSwap ? compare_swap_flag : 0u);
    if (region != no_region) record(thread, Event::Atomic, pc, a, bytes | flags, region);
    acquire(thread, a, width_of(bytes), Acquires::Now, scope);
    Quad old;
    std::memcpy(&old, address, bytes);
    if (op == Atomic::CompareSwap && std::memcmp(&old, &compare, bytes) != 0) return old;
    if (std::memcmp(&old, &value, bytes) == 0) return old;   // as of other atomics, no release
    std::memcpy(address, &value, bytes);
    thread.held = thread.held == a ? 0 : a;
    release(thread, a, width_of(bytes), scope);
    if (shared_by_all) thread.block->launch->schedule.wake(a, *thread.block);
    return old;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

std::uint64_t ladder_atomic(Atomic op, Type type, Scope scope, void* address, std::uint64_t value, std::uint64_t compare, int) {
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    return do_atomic(current, op, type, scope, address, size_of(type), value, compare, pc);
}

std::uint64_t ladder_ordered_atomic(Atomic op, Type type, Scope scope, void* address, std::uint64_t value, std::uint64_t compare, bool moves) {
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    if (moves && current) site_at(*current->executor, pc).*(op == Atomic::Exchange ? &Site::stores : &Site::loads) = true;
    const Acquires when = moves && op == Atomic::Exchange ? Acquires::Never : Acquires::AtFence;
    return do_atomic(current, op, type, scope, address, size_of(type), value, compare, pc, when);
}

Quad ladder_wide_atomic(Atomic op, Scope scope, void* address, Quad value, Quad compare) {
    return do_wide_atomic(*current, op, scope, address, value, compare, program_counter(__builtin_return_address(0)));
}

unsigned ladder_arrival(Scope scope, unsigned* arrived, unsigned count) {
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    return static_cast<unsigned>(do_atomic(current, Atomic::Add, Type::U32, scope, arrived, sizeof *arrived, count, 0, pc, Acquires::Never));
}

void ladder_fence(Scope scope, int) {
    if (!current) return;
    settle_store(*current);
    fence(*current, scope);
}

}  // extern "C"
