// What the instrumented code of the learner calls: on every memory access, basic block and function (gcc's
// -fsanitize=thread and -fsanitize-coverage=trace-pc), and the C library functions that mean something else on a GPU.
//
// An access is checked here, before it happens, and abandoned if it is bad, so that nothing is ever corrupted. Everything
// that counts is only recorded; replay.cpp makes sense of it.

#include <algorithm>
#include <cstring>
#include <utility>

#include "children.h"
#include "crossing.h"
#include "host_accesses.h"
#include "shared_layout.h"
#include "watching.h"

#define CALLER (reinterpret_cast<Address>(__builtin_return_address(0)))

namespace ladder {
namespace {

constexpr std::uint64_t many_blocks = 100'000;

}  // namespace

std::atomic<bool> unwatched{false};

// Never inlined, for a Finding would give every callback a large frame.
[[gnu::noinline]] void out_of_time(Thread& thread, std::uint32_t pc) {
    if (!has_seen_enough(thread, pc)) return;
    Finding finding = still_running(thread, pc);
    if (machine().whole_program) {
        finding.text = "stopped";
    } else if (thread.block->number >= many_blocks) {   // then it is not this thread that takes so long
        finding.text = "blocks";
        finding.offset = static_cast<long long>(thread.block->number);
        finding.address = thread.block->launch->blocks;
    }
    die(thread, finding);
}

// Of up to 8 bytes it is what they hold, of more a number that tells it from others.
static std::uint64_t value_at(Address a, unsigned bytes) {
    std::uint64_t value[2] = {0, 0};
    const void* const from = reinterpret_cast<const void*>(a);
    switch (bytes) {   // a copy of a fixed size is one instruction
        case 4: std::memcpy(value, from, 4); break;
        case 8: std::memcpy(value, from, 8); break;
        case 16: std::memcpy(value, from, 16); break;
        default: std::memcpy(value, from, bytes);
    }
    return value[0] ^ (value[1] << 7 | value[1] >> 57);
}

// Its value goes into the trace once it has happened.
static inline void await_store(Thread& thread, Address a, unsigned bytes, std::uint32_t pc) {
    thread.stored = a;
    thread.stored_pc = pc;
    thread.stored_bytes = static_cast<std::uint8_t>(bytes);
    if (machine().whole_program) thread.value_before = value_at(a, bytes);
}

// In its trace for this record and one more.
static inline bool has_room(const Thread& thread) { return thread.next + 1 < thread.limit; }

void access(Address a, unsigned bytes, Event event, Address caller, unsigned flags) {
    Thread* const thread = current;
    const bool writes = event == Event::Write || event == Event::VolatileWrite;
    if (!thread) [[unlikely]] return host_access(a, bytes, writes, caller, !(flags & whole_flag));
    if (thread->stored) {
        // To copy a struct, gcc announces the store, then the load, and only then does both: the value is there one event later.
        if (!writes && thread->stored_bytes == bytes && !thread->copying) thread->copying = true;
        else record_stored_value(*thread);
    }
    const std::uint32_t pc = program_counter(caller);
    std::uint16_t region = thread->next && thread->margins.empty() ? thread->executor->known_region(a, bytes, writes, pc) : no_region;
    if (region == no_region) [[unlikely]] {
        region = check_access(*thread, a, bytes, writes, pc, event == Event::VolatileRead);
        if (region == no_region) return;
    }
    record(*thread, event, pc, a, bytes | flags, region);
    if (writes && region != stack_region) await_store(*thread, a, bytes, pc);
}

// Nearly all accesses: nothing is to be settled before them, and there is room for more behind them. Else false.
[[gnu::always_inline]] static inline bool access_at_once(Thread& thread, Address a, unsigned bytes, Event event, Address caller) {
    if (thread.stored || !has_room(thread)) return false;
    const std::uint32_t pc = program_counter(caller);
    const bool own = thread.is_own(a, bytes);   // no other thread may touch it, and its values are of no interest
    const std::uint16_t region = own ? stack_region : thread.executor->known_region(a, bytes, event == Event::Write, pc);
    if (region == no_region || (own && thread.has_margins && !is_clear(thread.margins, a, bytes))) return false;
    *thread.next++ = {pc, event, static_cast<std::uint8_t>(bytes), region, a};
    if (event == Event::Write && !own) await_store(thread, a, bytes, pc);
    return true;
}

// What a volatile read will find, if it may be read at all.
static std::uint64_t readable_value(Thread& thread, Address a, unsigned bytes) {
    std::uint64_t value = 0;
    if (thread.executor->find(a, bytes)) std::memcpy(&value, reinterpret_cast<const void*>(a), std::min(bytes, 8u));
    return value;
}

// Others may wait for this value or give it: in global memory, such accesses happen in a fixed order of the blocks.
void volatile_access(Address a, unsigned bytes, Event event, Address caller, unsigned flags, unsigned elements, Acquires when) {
    Thread* const thread = current;
    if (!thread) return access(a, bytes, event, caller);
    const unsigned element = bytes / elements;
    const Scope scope = flags & own_block_flag ? Scope::Block : Scope::Device;
    const bool shared_by_all = machine().memory.all_blocks_see(a);
    settle_store(*thread);
    if (shared_by_all) begin_ordered(*thread, program_counter(caller));
    if (event == Event::VolatileRead) {
        thread->only_looks = shared_by_all && scope != Scope::Block;
        thread->by_atomic = false;
        spun(*thread, a, std::min(bytes, 8u), readable_value(*thread, a, bytes), 0, false);
        if (shared_by_all) begin_ordered(*thread, program_counter(caller));   // it may have slept
        access(a, bytes, event, caller, flags);
        for (unsigned at = 0; at < bytes; at += element) acquire(*thread, a + at, width_of(element), when, scope);
    } else {
        access(a, bytes, event, caller, flags);
        for (unsigned at = 0; at < bytes; at += element) release(*thread, a + at, width_of(element), scope);
        thread->tells_all = thread->stored && shared_by_all, thread->held = thread->held == a ? 0 : thread->held;
    }
}

// Sizes that are no power of two, or under-aligned structs: nvcc moves them in pieces of the alignment they have.
static void range_access(Address a, std::size_t bytes, Event event, Address caller) {
    const Address alignment = (a | bytes) & -(a | bytes);
    const std::uint32_t pc = program_counter(caller);
    const int wanted = current && (a % 4 != 0 || machine().module.has_wide) ? machine().module.alignment_at(pc) : 0;
    if (wanted > 0 && (a % wanted != 0 || !machine().module.declared.empty())) check_part(*current, a, wanted, static_cast<unsigned>(bytes), pc, event == Event::Write);
    while (bytes > 0) {
        const unsigned piece = bytes >= 4 && a % 4 == 0 ? 4 : bytes >= 2 && a % 2 == 0 ? 2 : 1;
        const unsigned flags = event == Event::Read ? whole_flag | (piece < alignment ? aligned_flag : 0) : 0;
        if (current) current->piece = static_cast<std::uint8_t>(flags);
        access(a, piece, event, caller, flags);
        a += piece, bytes -= piece;
    }
    if (current) current->piece = 0;
}

void record_stored_value(Thread& thread) {
    const Address a = thread.stored;
    thread.stored = 0;
    thread.copying = false;
    const std::uint64_t value = value_at(a, thread.stored_bytes);
    const bool unchanged = machine().whole_program && value == thread.value_before;
    if (std::exchange(thread.tells_all, false)) thread.block->launch->schedule.wake(a, *thread.block);   // before others of the block can run
    record(thread, Event::Value, thread.stored_pc, value, thread.stored_bytes | (unchanged ? unchanged_flag : 0), no_region);
}

static Finding access_finding(Thread& thread, const char* kind, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    Finding finding = finding_at(thread, kind, pc);
    finding.access = writes ? "write" : "read";
    finding.address = a;
    finding.bytes = bytes;
    return finding;
}

static Finding misaligned(Thread& thread, const Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    Finding finding = access_finding(thread, "misaligned", a, bytes, writes, pc).at(region, a);
    if (!(a & (bytes - 1))) finding.text = "behind " + std::to_string(bytes_before(region));
    return finding;
}

// The nearest array that the address can have been meant for.
static const Region* meant(const Executor& executor, Address a, unsigned bytes) {
    const Region* best = nullptr;
    std::size_t distance = std::size_t{1} << 28;   // further away it is a wild pointer
    const Address below_zero = a - (std::size_t{bytes} << 32);   // what an unsigned index was meant for
    for (const Region* region : executor.regions) {
        if (!(region->counted || region->is_named) || region->space == Space::Local || region->bytes == 0 || region->is_heap) continue;
        const Address end = region->begin + region->bytes;
        std::size_t away = a < region->begin ? region->begin - a : a >= end ? a - end : 0;
        if (region->begin - below_zero <= 256 * bytes) away = region->begin - below_zero;
        const bool is_before = region->is_variable && a < region->begin;   // another one's end, rather
        if (is_before) away *= 4;
        if ((region->space == Space::Shared && !region->touched) || region->of_host) away += std::size_t{1} << 20;   // not this kernel's, as far as is known
        if (away < distance) distance = away, best = region;
    }
    return best;
}

std::uint16_t check_access(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc, bool waits) {
    Executor& executor = *thread.executor;
    if (!thread.margins.empty()) touch_margins(thread, a, bytes, writes, pc);
    const std::uint16_t index = executor.region_index(a, bytes, pc);
    if (index == no_region) {
        refuse_address_of_the_host(thread, a, pc);
        Finding finding = access_finding(thread, "out_of_bounds", a, bytes, writes, pc);
        const Region* const near = meant(executor, a, bytes);   // before it counts as touched
        const Region *const at = executor.find(a, 1), *const inside = at && at->space == Space::Shared ? near : at;
        const Address dynamic = reinterpret_cast<Address>(executor.dynamic_shared);
        if (!inside && a >= dynamic && a < dynamic + shared_per_block_optin && executor.launch->launch->shared_bytes == 0) {
            finding.space = "shared";   // an extern __shared__ array, and the launch has asked for no bytes
        } else if (const Region* region = inside ? inside : near) {
            finding.at(*region, a);
        }
        if (inside ? inside->freed : executor.is_of_other_block(a)) finding.text = inside ? "freed" : "other block";
        if (!inside && is_of_a_parent(a)) finding.text = "parent";
        if (machine().memory.is_of_earlier_case(a)) finding.kind = "leak", finding.text = "kept";
        die(thread, finding);
    }
    const Region& region = *executor.regions[index];
    if (region.is_heap) machine().heap.check(thread, a, bytes, writes, pc);
    if (is_misaligned(region, a, bytes)) die(thread, misaligned(thread, region, a, bytes, writes, pc));
    if (region.freed || region.of_host || region.of_other_kernel) {
        Finding finding = access_finding(thread, "out_of_bounds", a, bytes, writes, pc).at(region, a);
        finding.text = region.freed ? "freed" : region.of_host ? "host variable" : "other kernel";
        die(thread, finding);
    }
    if ((index == stack_region && !thread.block->stacks->is_of(thread.number, a)) || (writes && region.space == Space::Constant)) {
        const char* const kind = index == stack_region && !is_of_a_thread(*thread.block, a) ? "stack_overflow" : "out_of_bounds";
        Finding finding = access_finding(thread, kind, a, bytes, writes, pc).at(region, a);
        finding.text = index == stack_region ? "another thread" : "constant";
        die(thread, finding);
    }
    if (region.space == Space::Constant && region.is_named) executor.regions[index]->note_read(pc);
    if (region.sides != Sides::Device && !waits) (writes ? executor.regions[index]->stored : executor.regions[index]->loaded).add(a, bytes);
    if (!writes && bytes == sizeof a && region.sides != Sides::Device) refuse_object_of_the_host(thread, a, pc);
    if (writes && !region.writable) die(thread, access_finding(thread, "input_modified", a, bytes, writes, pc).at(region, a));
    if (!thread.next && !thread.is_only_checked) touch_unrecorded(thread, region, a, bytes, writes, pc);
    executor.remember(index, pc);
    return region.counted ? index : no_region;
}

std::uint16_t check_part(Thread& thread, Address a, unsigned bytes, unsigned wanted, std::uint32_t pc, bool writes) {
    const std::uint16_t region = check_access(thread, a, 1, writes, pc);
    check_access(thread, a + wanted - 1, 1, writes, pc);
    if (const Region& array = *thread.executor->regions[region]; is_misaligned(array, a, bytes))
        die(thread, misaligned(thread, array, a, bytes, writes, pc));
    return region;
}

[[noreturn]] static void refuse_to_run(Thread& thread, const Symbol& function, const void* caller) {
    Finding finding = finding_at(thread, "trap", program_counter(reinterpret_cast<Address>(caller)));
    finding.text = *function.name ? "a pointer leads to `" + std::string(function.name) + "`, a function of the host, which no kernel can run"
                                  : "a function for the host, which a pointer led to, would reach memory out of the emulator's sight";
    die(thread, finding);
}

__attribute__((noinline, cold)) static void enter_basic_block(Address caller) {
    Thread* const thread = current;
    if (!thread) return host_block(caller);
    settle_store(*thread);
    const std::uint32_t pc = program_counter(caller);
    if (machine().out_of_time.load(std::memory_order_relaxed)) out_of_time(*thread, pc);
    if (!thread->next) ++thread->steps;
    record(*thread, Event::Block, pc, 0, 0, no_region);
}

// Calls that go so deep are a recursion's: a GPU's stack cannot hold them, unless the compiler has made a loop of them.
[[gnu::noinline]] static void note_depth(Thread& thread, std::uint32_t pc) {
    Executor& executor = *thread.executor;
    executor.deepest = thread.calls.depth;
    const auto is_known = [](const Finding& each) { return each.kind == "deep_calls"; };
    auto its = std::ranges::find_if(executor.findings, is_known);
    if (its == executor.findings.end()) {
        Finding finding = finding_at(thread, "deep_calls", pc);
        finding.note = true;
        its = executor.findings.insert(its, std::move(finding));
    }
    its->offset = static_cast<std::int64_t>(executor.deepest);
    its->array_bytes = machine().gpu_stack;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// From now on, accesses and basic blocks of kernels and host code are not watched, until a case is out of time.
void ladder_session_unwatched(int yes) { unwatched = yes != 0; }

void __tsan_init() {}
void __tsan_func_entry(void* caller) {
    if (Thread* const thread = current) {
        settle_store(*thread);
        if (const Symbol* const function = machine().module.host_only_at(program_counter(CALLER))) refuse_to_run(*thread, *function, caller);
        thread->calls.enter(program_counter(reinterpret_cast<Address>(caller)));
        if (const std::size_t depth = thread->calls.depth; depth * least_frame > machine().gpu_stack && depth > thread->executor->deepest) [[unlikely]]
            note_depth(*thread, program_counter(reinterpret_cast<Address>(caller)));
        record(*thread, Event::Call, program_counter(reinterpret_cast<Address>(caller)), 0, 0, no_region);
    } else {
        reached(CALLER);
    }
}
void __tsan_func_exit() {
    if (Thread* const thread = current) {
        settle_store(*thread);
        thread->calls.leave();
        record(*thread, Event::Return, program_counter(CALLER), 0, 0, no_region);
    }
}

void __sanitizer_cov_trace_pc() {
    if (unwatched.load(std::memory_order_relaxed)) return;
    Thread* const thread = current;
    if (thread && !thread->stored && has_room(*thread) && !machine().out_of_time.load(std::memory_order_relaxed)) [[likely]]
        *thread->next++ = {program_counter(CALLER), Event::Block, 0, no_region, 0};
    else
        enter_basic_block(CALLER);
}

// Nearly all accesses of a thread that leaves no trace.
static inline bool passes(const Thread& thread, Address a, unsigned bytes, Event event, Address caller) {
    if (thread.is_own(a, bytes)) return !thread.has_margins || is_clear(thread.margins, a, bytes);
    return thread.executor->known_region(a, bytes, event == Event::Write, program_counter(caller)) != no_region;
}

// A GPU makes as many copies as the type asks for.
[[gnu::noinline]] static void any_access(Address a, unsigned bytes, Event event, Address caller) {
    Thread* const thread = current;
    if (bytes == 16 && machine().module.is_pair(program_counter(caller), a)) return range_access(a, bytes, event, caller);
    if (thread && thread->is_unseen_on_stack && thread->is_own(a, bytes)) {
        if (is_clear(thread->margins, a, bytes)) return;
    } else if (thread && (thread->is_only_checked ? passes(*thread, a, bytes, event, caller) : access_at_once(*thread, a, bytes, event, caller))) {
        return;
    }
    if (bytes < 16 && a % bytes != 0 && machine().module.alignment_at(program_counter(caller)) == 0) range_access(a, bytes, event, caller);
    else access(a, bytes, event, caller);
}

// The rest is a call of its own, so that this one has nothing to keep of its caller's registers.
[[gnu::always_inline]] static inline void plain_access(Address a, unsigned bytes, Event event, Address caller) {
    if (unwatched.load(std::memory_order_relaxed)) return;
    Thread* const thread = current;
    const bool is_plain = thread && !thread->has_margins && !(bytes == 16 && machine().module.has_unsure);
    if (is_plain && access_at_once(*thread, a, bytes, event, caller)) [[likely]] return;
    any_access(a, bytes, event, caller);
}

static void unaligned_read(Address a, unsigned bytes, Address caller) {   // in host code by memcpy, as a rule
    current ? access(a, bytes, Event::Read, caller) : host_access(a, bytes, false, caller);
}

#define LADDER_ACCESS(bytes)                                                                                               \
    void __tsan_read##bytes(void* p) { plain_access(reinterpret_cast<Address>(p), bytes, Event::Read, CALLER); }            \
    void __tsan_write##bytes(void* p) { plain_access(reinterpret_cast<Address>(p), bytes, Event::Write, CALLER); }          \
    void __tsan_unaligned_read##bytes(void* p) { unaligned_read(reinterpret_cast<Address>(p), bytes, CALLER); }             \
    void __tsan_unaligned_write##bytes(void* p) { access(reinterpret_cast<Address>(p), bytes, Event::Write, CALLER); }      \
    void __tsan_volatile_read##bytes(void* p) {                                                                             \
        volatile_access(reinterpret_cast<Address>(p), bytes, Event::VolatileRead, CALLER);                                  \
    }                                                                                                                       \
    void __tsan_volatile_write##bytes(void* p) {                                                                            \
        volatile_access(reinterpret_cast<Address>(p), bytes, Event::VolatileWrite, CALLER);                                 \
    }                                                                                                                       \
    void __tsan_unaligned_volatile_read##bytes(void* p) {                                                                   \
        volatile_access(reinterpret_cast<Address>(p), bytes, Event::VolatileRead, CALLER);                                  \
    }                                                                                                                       \
    void __tsan_unaligned_volatile_write##bytes(void* p) {                                                                  \
        volatile_access(reinterpret_cast<Address>(p), bytes, Event::VolatileWrite, CALLER);                                 \
    }
LADDER_ACCESS(1)
LADDER_ACCESS(2)
LADDER_ACCESS(4)
LADDER_ACCESS(8)
LADDER_ACCESS(16)

void __tsan_read_range(void* p, std::size_t n) { range_access(reinterpret_cast<Address>(p), n, Event::Read, CALLER); }
void __tsan_write_range(void* p, std::size_t n) { range_access(reinterpret_cast<Address>(p), n, Event::Write, CALLER); }
void __tsan_vptr_update(void** p, void*) {
    access(reinterpret_cast<Address>(p), 8, Event::Write, CALLER);
    if (current) note_object_of_kernel(reinterpret_cast<Address>(p));
}
void __tsan_vptr_read(void** p) { access(reinterpret_cast<Address>(p), 8, Event::Read, CALLER); }

// ---- the C library, wrapped by the linker (--wrap) in the learner's code; what prints stands in printing.cpp ----
[[noreturn]] void __wrap___assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
    Finding finding;
    if (current) finding = finding_at(*current, "assert", program_counter(CALLER));
    finding.kind = "assert";
    if (machine().whole_program) finding.pc = program_counter(CALLER);   // of which file, __LINE__ does not say
    else finding.line = static_cast<int>(line);
    finding.text = expression;
    if (current) die(*current, finding);
    machine().findings.push_back(finding);
    leave_entry_point();
}

// Bytes that go from here to there: all loads come first, as they may overlap. An instruction either loads or stores, so
// the loads are the last byte of the call, and the stores what comes after it.
static void touch(const void* p, std::size_t bytes, Event event, Address caller) {
    if (current) range_access(reinterpret_cast<Address>(p), bytes, event, caller);
    else if (bytes > 0) host_access(reinterpret_cast<Address>(p), bytes, event == Event::Write, caller);
}
void* ladder_copy_bytes(void* to, const void* from, std::size_t bytes) {
    touch(from, bytes, Event::Read, CALLER - 1);
    touch(to, bytes, Event::Write, CALLER);
    return std::memmove(to, from, bytes);
}
void* ladder_set_bytes(void* to, int value, std::size_t bytes) {
    touch(to, bytes, Event::Write, CALLER);
    return std::memset(to, value, bytes);
}

}  // extern "C"
