// cp.async: copies from global to shared memory that go on while the thread does something else (../copies.h).
#include "../copies.h"

#include "opcodes.h"

namespace ladder::ptx {

namespace {

// cp.async.ca.shared.global [to], [from], bytes {, how many of them are read} {, cache policy}: the rest becomes zero.
// Instead of a number, a predicate may say that nothing is read. Its load is counted at a place of its own.
void run_copy(Lane& l, const Instruction& at) {
    const auto bytes = static_cast<unsigned>(at.extra);
    unsigned wanted = bytes;
    if (at.choice == 1) wanted = l.get<unsigned>(at[3]);
    if (wanted > bytes) l.stop(at, "it cannot read " + std::to_string(wanted) + " of " + std::to_string(bytes) + " bytes");
    if (at.choice == 2) wanted = l.predicate(at[3]) ? 0 : bytes;
    const Address to = l.shared(at[0]), from = l.generic(at[1]);
    const std::uint32_t loads = l.pc - 1 - std::min(at.place, 3u);
    const Quad value = at.choice ? load_part_for_copy(l.thread, from, bytes, wanted, loads) : load_for_copy(l.thread, from, bytes, loads);
    l.store(at, to, &value, bytes);
    issue_copy(l.thread, to, wanted ? from : 0, bytes, Waited::Ptx, l.place(at));
}

void prepare_copy(Instruction& it) {
    Modifiers left(it);
    if (left.take("bulk")) throw Wrong("");   // nor are its groups
    const int level = left.take_one({"ca", "cg"});
    if (level < 0) throw Wrong("it needs .ca or .cg");
    if (left.take_one({"shared", "shared::cta", "shared::cluster"}) < 0 || !left.take("global")) throw Wrong("it copies from .global to .shared");
    const bool hinted = left.take("L2::cache_hint");
    left.drop_caching();
    left.done();
    want_operands(it, 3, hinted ? 5 : 4);
    want_address(it[0]);
    want_address(it[1]);
    if (it[2].form != Operand::Form::Number) throw Wrong("the number of bytes must be a constant");
    it.extra = static_cast<std::uint64_t>(it[2].value);
    if (it.extra != 16 && (level == 1 || (it.extra != 4 && it.extra != 8))) throw Wrong(level == 1 ? "with .cg it copies 16 bytes" : "it copies 4, 8 or 16 bytes");
    const bool has_more = it.operands.size() > (hinted ? 4u : 3u);
    it.choice = !has_more ? 0 : it[3].form == Operand::Form::Register && it[3].type.kind == Kind::Predicate ? 2 : 1;
    if (it.choice == 1) want_value(it[3], {Kind::Bits, 32, 1});
    it.run = run_copy;
}

void prepare_commit(Instruction& it) {
    Modifiers(it).done();
    want_operands(it, 0);
    it.run = [](Lane& l, const Instruction&) { commit_copies(l.thread); };
}

void prepare_wait(Instruction& it) {
    Modifiers(it).done();
    want_operands(it, 1);
    if (it[0].form != Operand::Form::Number) throw Wrong("the number of groups must be a constant");
    it.run = [](Lane& l, const Instruction& at) { await_copies(l.thread, static_cast<std::size_t>(at[0].value), l.place(at)); };
}

// For all copies, also those of no group.
void prepare_wait_all(Instruction& it) {
    Modifiers(it).done();
    want_operands(it, 0);
    it.run = [](Lane& l, const Instruction& at) {
        commit_copies(l.thread);
        await_copies(l.thread, 0, l.place(at));
    };
}

}  // namespace

void add_copies(Table& table) {
    table.insert({{"cp.async", prepare_copy}, {"cp.async.commit_group", prepare_commit}, {"cp.async.wait_group", prepare_wait}, {"cp.async.wait_all", prepare_wait_all}});
}

}  // namespace ladder::ptx
