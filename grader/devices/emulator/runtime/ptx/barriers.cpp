// bar and barrier, with numbers and with parts of a block; fences; what ends a thread.
//
// Barrier 0 for all threads is __syncthreads(). Any other one is settled here: its threads wait until as many have come as
// it names. It orders memory between those that came, as a release at a place of its own, and an acquire.
#include <set>

#include "opcodes.h"

namespace ladder::ptx {

namespace {

std::uint32_t number_at(const Lane& l, const Instruction& at, std::size_t operand) { return l.get<std::uint32_t>(at[operand]); }

NamedBarrier& come_to(Lane& l, const Instruction& at) {
    const std::uint32_t number = number_at(l, at, 0);
    if (number >= ptx_barriers) l.stop(at, "there are barriers 0 to 15, and not " + std::to_string(number));
    NamedBarrier& barrier = l.thread.block->named[number];
    const auto threads = static_cast<std::uint32_t>(l.thread.block->threads.size()), all = (threads + 31) / 32 * 32;
    std::uint32_t expected = at.operands.size() > 1 ? number_at(l, at, 1) : all;
    if (expected % 32 != 0 || expected == 0 || expected > all) l.stop(at, "it waits for " + std::to_string(expected) + " threads, and the block has " + std::to_string(threads) + ": the number must be a multiple of 32, up to that");
    expected = std::min(expected, threads);   // the last warp may not be full
    if (barrier.arrived > 0 && barrier.expected != expected)
        l.stop(at, "barrier " + std::to_string(number) + " waits for " + std::to_string(barrier.expected) + " threads already, and not for " + std::to_string(expected));
    barrier.expected = expected;
    ++barrier.arrived;
    l.thread.block->has_named = true;
    return barrier;
}

void run_sync(Lane& l, const Instruction& at) {
    const std::uint32_t number = number_at(l, at, 0);
    const std::size_t all = l.thread.block->threads.size();
    if (number == 0 && (at.operands.size() == 1 || (number_at(l, at, 1) == all && !l.thread.block->named[0].arrived))) {
        l.thread.barrier_kind = Barrier::Sync;
        l.thread.barrier_predicate = l.thread.barrier_result = 0;
        l.thread.barrier_line = l.line;
        l.thread.barrier_pc = l.place(at);
        l.thread.barrier_call = l.pc;
        l.thread.barrier_is_ptx = true;
        return wait(l.thread, State::AtBarrier);
    }
    NamedBarrier& barrier = come_to(l, at);
    barrier.waiting.push_back(&l.thread);
    barrier.places.push_back(barrier.arrived - 1);
    l.thread.barrier_line = l.line;
    l.thread.barrier_pc = l.place(at);
    wait(l.thread, State::AtNamed);
}

// It does not wait, but what it has done comes before what the others do behind the barrier.
void run_arrive(Lane& l, const Instruction& at) {
    NamedBarrier& barrier = come_to(l, at);
    barrier.ahead.push_back(&l.thread);
    fence(l.thread, Scope::Block);
    release(l.thread, barrier.place_of((barrier.arrived - 1) / barrier.expected), any_width);
}

void run_reduction(Lane& l, const Instruction& at) {
    static constexpr Barrier kinds[] = {Barrier::Count, Barrier::And, Barrier::Or};
    if (number_at(l, at, 1) != 0) l.stop(at, "it is emulated for barrier 0, with all threads");
    l.thread.barrier_kind = kinds[at.choice];
    l.thread.barrier_predicate = l.predicate(at[at.operands.size() - 1]);
    l.thread.barrier_result = 0;
    l.thread.barrier_line = l.line;
    l.thread.barrier_pc = l.place(at);
    l.thread.barrier_call = l.pc;
    l.thread.barrier_is_ptx = true;
    wait(l.thread, State::AtBarrier);
    l.set(at[0], static_cast<std::uint64_t>(l.thread.barrier_result));
}

void prepare_cluster_barrier(Instruction& it, Modifiers& left) {
    const int what = left.take_one({"arrive", "wait"});
    left.take_one({"release", "relaxed", "acquire"});
    left.take("aligned");
    left.done();
    if (what < 0) throw Wrong("it needs .arrive or .wait");
    want_operands(it, 0);
    it.run = [](Lane& l, const Instruction& at) {
        if (l.thread.clock.arrival != not_arrived) l.stop(at, "it comes twice without a barrier.cluster.wait between");
        arrive_in_cluster(l.thread);
    };
    if (what == 0) return;
    it.run = [](Lane& l, const Instruction& at) {
        if (l.thread.clock.arrival == not_arrived) l.stop(at, "there was no barrier.cluster.arrive before it");
        wait_in_cluster(l.thread, l.line, l.place(at), l.pc);
    };
}

void prepare_barrier(Instruction& it) {
    Modifiers left(it);
    if (left.take("cluster")) return prepare_cluster_barrier(it, left);
    left.take("cta");
    left.take("aligned");
    const int what = left.take_one({"sync", "arrive", "red"});
    it.choice = left.take_one({"popc", "and", "or"});
    if (what == 2) left.needed_type();
    left.done();
    if (what < 0) throw Wrong("it needs .sync, .arrive or .red");
    want_operands(it, what == 2 ? 3 : what == 1 ? 2 : 1, what == 2 ? 4 : 2);
    const std::size_t first = what == 2 ? 1 : 0, end = it.operands.size() - first;
    for (std::size_t i = first; i < end; ++i) want_value(it[i], {Kind::Unsigned, 32, 1});
    if (what == 2) want_predicate(it[it.operands.size() - 1]);
    if (what == 2 && it.operands.size() == 4) throw Wrong("it is emulated for all threads");
    it.run = what == 0 ? run_sync : what == 1 ? run_arrive : run_reduction;
}

// ---- fences ----

void prepare_fence(Instruction& it) {
    Modifiers left(it);
    const bool of_proxy = left.take("proxy");   // between ways to memory of which there is one here: that of loads and stores
    if (of_proxy && left.take_one({"async", "alias"}) < 0) throw Wrong("it is emulated for .async and .alias");
    if (of_proxy) left.take_one({"global", "shared::cta", "shared::cluster"});
    left.take("mbarrier_init");
    left.take_one({"acq_rel", "sc", "acquire", "release"});
    const int scope = left.take_one({"cta", "gl", "sys", "cluster", "gpu"});
    left.done();
    want_operands(it, 0);
    it.choice = static_cast<int>(scope == 0 ? Scope::Block : scope == 2 ? Scope::System : Scope::Device);
    it.run = [](Lane& l, const Instruction& at) { fence(l.thread, static_cast<Scope>(at.choice)); };
    if (of_proxy) it.run = [](Lane&, const Instruction&) {};
}

void prepare_exit(Instruction& it) {
    want_operands(it, 0);
    it.run = [](Lane& l, const Instruction&) {
        l.thread.state = State::Done;
        leave_fiber(l.thread.block->scheduler);
    };
}

}  // namespace

void add_barriers(Table& table) {
    table.insert({{"bar", prepare_barrier}, {"barrier", prepare_barrier}, {"membar", prepare_fence}, {"fence", prepare_fence}, {"exit", prepare_exit}});
}

}  // namespace ladder::ptx

namespace ladder {

namespace {

// One lane of each warp tells what all of it has done, for they have met here; then all hear of it. name: 0 where other threads
// wait for this barrier, too, and which of them belong together is up to chance: then each warp has met itself alone.
void order_memory(Block& block, const std::vector<Thread*>& threads, Address name) {
    for (WarpUnit& warp : block.warps) {
        std::uint32_t lanes = 0;
        for (const Thread* thread : threads) lanes |= thread->warp == &warp ? 1u << thread->lane : 0u;
        if (!lanes) continue;
        warp.clock.synchronise(lanes, warp.alive(), true);
        if (!name) continue;
        Thread& first = warp.threads[__builtin_ctz(lanes)];
        first.next = nullptr;   // nothing of this is traced: it has no place among the lanes' instructions
        fence(first, Scope::Block);
        release(first, name, any_width);
        warp.cursor[first.lane].tick = first.clock.tick;
    }
    for (Thread* thread : threads) {
        if (!name) break;
        thread->next = nullptr;
        acquire(*thread, name, any_width);
        thread->warp->cursor[thread->lane].acquired = thread->clock.acquired;
    }
}

void note_passed(const Thread& thread, std::uint32_t expected) {
    const auto all = static_cast<std::uint32_t>(thread.block->threads.size());
    thread.executor->passed_barriers.insert(expected < all ? PassedBarrier{thread.barrier_line, expected, all} : PassedBarrier{thread.barrier_line});
}

// Takes those out that have come after as many as the barrier waits for: they wait for its next time.
NamedBarrier take_late(NamedBarrier& barrier) {
    NamedBarrier late, now;
    late.phase = barrier.phase + 1, now.phase = barrier.phase;
    if (barrier.arrived <= barrier.expected) return late;   // none
    late.expected = now.expected = barrier.expected;
    late.arrived = barrier.arrived - barrier.expected;
    for (std::size_t i = 0; i < barrier.waiting.size(); ++i) {
        const bool is_late = barrier.places[i] >= barrier.expected;
        (is_late ? late : now).waiting.push_back(barrier.waiting[i]);
        (is_late ? late : now).places.push_back(barrier.places[i] - (is_late ? barrier.expected : 0));
    }
    const auto first_late = barrier.ahead.begin() + static_cast<std::ptrdiff_t>(barrier.expected - now.waiting.size());
    late.ahead.assign(first_late, barrier.ahead.end());
    barrier = std::move(now);
    return late;
}

// Those that have returned and have not come before: they are not waited for.
std::uint32_t gone_without(const Block& block, const NamedBarrier& barrier) {
    const auto is_gone = [](const Thread& thread) { return thread.state == State::Done; };
    const auto gone = std::count_if(block.threads.begin(), block.threads.end(), is_gone);
    if (gone == 0) return 0;
    const std::set<const Thread*> came(barrier.ahead.begin(), barrier.ahead.end());
    const auto both = std::count_if(came.begin(), came.end(), [&](const Thread* thread) { return is_gone(*thread); });
    return static_cast<std::uint32_t>(gone - both);
}

}  // namespace

bool release_phase(Thread& thread) {
    if (thread.state != State::AtNamed || !thread.awaited || *thread.awaited == thread.awaited_phase) return false;
    thread.state = State::Ready;
    thread.warp->can_run = true;
    note_passed(thread, arrivals_of(*thread.awaited));
    return true;
}

bool release_named_barriers(Block& block) {
    bool released = false;
    for (NamedBarrier& barrier : block.named) {
        if (barrier.arrived == 0) continue;
        const bool may_lack = barrier.arrived < barrier.expected && barrier.expected == block.threads.size();
        const std::uint32_t gone = may_lack ? gone_without(block, barrier) : 0;
        if (barrier.arrived + gone < barrier.expected) continue;
        NamedBarrier late = take_late(barrier);
        const bool are_mixed = !late.waiting.empty() && barrier.waiting.size() == barrier.expected;
        order_memory(block, barrier.waiting, are_mixed ? 0 : barrier.place_of(0));
        for (Thread* thread : barrier.waiting) {
            thread->state = State::Ready;
            thread->warp->can_run = true;
            note_passed(*thread, barrier.expected);
        }
        barrier = std::move(late);
        ++block.barriers;
        released = true;
    }
    std::set<const unsigned*> ended;   // phases of barriers for all threads: each is a barrier that the block passes
    for (Thread& thread : block.threads) {
        const unsigned* const awaited = thread.awaited;
        if (!release_phase(thread)) continue;
        released = true;
        if (arrivals_of(*awaited) >= block.threads.size()) ended.insert(awaited);
    }
    block.barriers += static_cast<std::uint32_t>(ended.size());
    return released;
}

}  // namespace ladder
