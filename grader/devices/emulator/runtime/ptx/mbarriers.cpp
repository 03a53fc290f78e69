// mbarrier: barriers in shared memory, whose words are those of a cuda::barrier (include/cuda/barrier).
//
// The copies of cp.async are done at once: that they arrive at a barrier when they are is an arrival of their thread's.
#include "../copies.h"

#include "opcodes.h"

namespace ladder::ptx {

namespace {

constexpr std::uint32_t phase_unit = 1 << 20, phase_numbers = 1 << 12;   // of the second word: which phase it is, and below how many are expected
struct BarrierWords { std::uint32_t arrived, state; };

Address barrier_of(const Lane& l, const Instruction& at) {
    const Operand& operand = at[at.extra];
    return at.flag ? l.shared(operand) : l.generic(operand);
}

std::uint32_t update_word(Lane& l, const Instruction& at, Atomic op, Address word, std::uint32_t value, Acquires when = Acquires::AtFence) {
    return static_cast<std::uint32_t>(do_atomic(&l.thread, op, ladder::Type::U32, Scope::Block, reinterpret_cast<void*>(word), 4, value, 0, l.place(at), when));
}

std::int64_t& bytes_to_come(Lane& l, Address barrier) { return l.thread.block->bytes_to_come[barrier]; }

// The phase ends if all have arrived, and all bytes.
void end_phase_if_all_is_there(Lane& l, const Instruction& at, Address barrier, std::uint32_t arrived, std::uint32_t state) {
    if (arrived != state % phase_unit || bytes_to_come(l, barrier) != 0) return;
    update_word(l, at, Atomic::Exchange, barrier, 0);
    fence(l.thread, Scope::Block);
    update_word(l, at, Atomic::Add, barrier + 4, phase_unit);
}

// What the thread has done comes before what others do behind this phase. Which it is.
std::uint64_t arrive_at(Lane& l, const Instruction& at, Address barrier, std::uint32_t count, bool drops) {
    const Address state = barrier + 4;
    if (at.rounding != 0) fence(l.thread, Scope::Block);   // not of .relaxed
    const std::uint32_t arrived = count + update_word(l, at, Atomic::Add, barrier, drops ? 0 : count, Acquires::Never) - (drops ? count : 0);
    const std::uint32_t before = drops ? update_word(l, at, Atomic::Sub, state, count) - count : reinterpret_cast<const BarrierWords*>(barrier)->state;
    end_phase_if_all_is_there(l, at, barrier, arrived, before);
    return before / phase_unit;
}

// Once, with so many bytes that are to come, or as often as is told.
void run_mbarrier_arrive(Lane& l, const Instruction& at) {
    const std::uint32_t told = at.operands.size() > at.extra + 1 ? l.get<std::uint32_t>(at[at.extra + 1]) : 1;
    const Address barrier = barrier_of(l, at);
    if (at.saturates) bytes_to_come(l, barrier) += told;
    const std::uint64_t phase = arrive_at(l, at, barrier, at.saturates ? 1 : told, at.choice == 1);
    if (at.extra > 0) l.set(at[0], phase);
}

// More bytes are to come (choice 1), or some are there (-1).
void run_mbarrier_bytes(Lane& l, const Instruction& at) {
    const Address barrier = barrier_of(l, at);
    update_word(l, at, Atomic::Sub, barrier, 1, Acquires::Never);   // it hands on what a fence before it covers, and so it changes the word
    const std::uint32_t arrived = 1 + update_word(l, at, Atomic::Add, barrier, 1, Acquires::Never);
    bytes_to_come(l, barrier) += std::int64_t{at.choice} * l.get<std::uint32_t>(at[1]);
    if (at.choice < 0) end_phase_if_all_is_there(l, at, barrier, arrived, update_word(l, at, Atomic::Or, barrier + 4, 0));
}

// A look, after which a thread has nothing to do but to look again.
void run_mbarrier_wait(Lane& l, const Instruction& at) {
    const Address state = barrier_of(l, at) + 4;
    const std::uint32_t now = update_word(l, at, Atomic::Or, state, 0) / phase_unit;
    const bool is_over = at.choice == 1 ? now % 2 != (l.get<std::uint32_t>(at[2]) & 1) : now != l.get<std::uint64_t>(at[2]) % phase_numbers;
    l.set(at[0], std::uint64_t{is_over});
    if (is_over && at.rounding != 0) fence(l.thread, Scope::Block);
    if (is_over) return;
    l.thread.rests_at = reinterpret_cast<const unsigned*>(state);
    l.thread.barrier_line = l.line;
    l.thread.barrier_is_ptx = true;
    ladder_yield(l.line);
}

// .noinc: it is one of the arrivals that are expected; else one more is, for as long as the copies take.
void run_copies_arrive(Lane& l, const Instruction& at) {
    const Address barrier = barrier_of(l, at);
    commit_copies(l.thread);
    await_copies(l.thread, 0, l.place(at));
    if (at.choice < 0) {
        fence(l.thread, Scope::Block);
        update_word(l, at, Atomic::Sub, barrier, 1, Acquires::Never);
        update_word(l, at, Atomic::Add, barrier, 1, Acquires::Never);
    } else {
        arrive_at(l, at, barrier, 1, false);
    }
}

// extra: which operand is the barrier.
void want_barrier(Instruction& it, Modifiers& left, std::size_t operand) {
    it.rounding = left.take_one({"relaxed", "acquire", "release"});
    if (left.take("cluster")) throw Wrong("a cluster is one block: it is emulated for .cta");
    left.take("cta");
    it.flag = left.take_one({"shared", "shared::cta"}) >= 0;
    left.take("b64");
    left.done();
    it.extra = operand;
    want_address(it[operand]);
}

void prepare_mbarrier_init(Instruction& it) {
    Modifiers left(it);
    want_operands(it, 2);
    want_barrier(it, left, 0);
    want_value(it[1], {Kind::Bits, 32, 1});
    it.run = [](Lane& l, const Instruction& at) {
        const BarrierWords words{0, l.get<std::uint32_t>(at[1])};
        if (words.state == 0 || words.state >= phase_unit) l.stop(at, "it waits for 1 to 1048575 arrivals, and not for " + std::to_string(words.state));
        l.store(at, barrier_of(l, at), &words, sizeof words);
        l.thread.block->bytes_to_come.erase(barrier_of(l, at));
    };
}

void prepare_mbarrier_inval(Instruction& it) {
    Modifiers left(it);
    want_operands(it, 1);
    want_barrier(it, left, 0);
    it.run = [](Lane& l, const Instruction& at) {
        const BarrierWords none{};
        l.store(at, barrier_of(l, at), &none, sizeof none);
    };
}

// choice: 1: its thread does not come again. saturates: it is told of bytes.
template <bool drops> void prepare_mbarrier_arrive(Instruction& it) {
    Modifiers left(it);
    it.saturates = left.take("expect_tx");
    const bool counts = left.take("noComplete") || it.saturates;
    want_operands(it, 1, 3);
    const bool gives = it[0].form != Operand::Form::Address;
    want_operands(it, 1 + gives + counts, 2 + gives);
    want_barrier(it, left, gives);
    if (gives) want_register(it[0], {Kind::Bits, 64, 1});
    if (it.operands.size() > 1u + gives) want_value(it[1u + gives], {Kind::Bits, 32, 1});
    it.choice = drops;
    it.run = run_mbarrier_arrive;
}

template <int sign> void prepare_mbarrier_bytes(Instruction& it) {
    Modifiers left(it);
    want_operands(it, 2);
    want_barrier(it, left, 0);
    want_value(it[1], {Kind::Bits, 32, 1});
    it.choice = sign;
    it.run = run_mbarrier_bytes;
}

// choice: 1: it is told the parity of a phase, and no phase. How long a thread is to be suspended changes nothing.
template <bool tries> void prepare_mbarrier_wait(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take("parity");
    want_operands(it, 3, tries ? 4 : 3);
    want_barrier(it, left, 1);
    want_predicate(it[0]);
    want_value(it[2], {Kind::Bits, static_cast<std::uint8_t>(it.choice ? 32 : 64), 1});
    if (it.operands.size() == 4) want_value(it[3], {Kind::Bits, 32, 1});
    it.run = run_mbarrier_wait;
}

void prepare_copies_arrive(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take_one({"noinc"});
    want_operands(it, 1);
    want_barrier(it, left, 0);
    it.run = run_copies_arrive;
}

}  // namespace

void add_mbarriers(Table& table) {
    table.insert({{"mbarrier.init", prepare_mbarrier_init}, {"mbarrier.inval", prepare_mbarrier_inval}, {"mbarrier.arrive", prepare_mbarrier_arrive<false>},
                  {"mbarrier.arrive_drop", prepare_mbarrier_arrive<true>}, {"mbarrier.test_wait", prepare_mbarrier_wait<false>},
                  {"mbarrier.try_wait", prepare_mbarrier_wait<true>}, {"mbarrier.expect_tx", prepare_mbarrier_bytes<1>}, {"mbarrier.complete_tx", prepare_mbarrier_bytes<-1>}, {"cp.async.mbarrier.arrive", prepare_copies_arrive}});
}

}  // namespace ladder::ptx
