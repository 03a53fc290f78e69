// What a lane does to memory, and how lanes meet.
#include "lane.h"

namespace ladder::ptx {

Address Lane::shared(const Operand& address) const {
    return reinterpret_cast<Address>(ladder_shared_pointer(static_cast<std::uint32_t>(generic(address))));
}

// at.flag: its scope is the block.
static unsigned flags_of(const Instruction& at, unsigned elements) { return (elements > 1 ? vector_flag : 0u) | (at.flag ? own_block_flag : 0u); }

void Lane::load(const Instruction& at, Address from, void* to, unsigned bytes, Order order, unsigned elements) {
    const Address caller = machine().module.base + place(at);
    if (order == Order::Weak || order == Order::Cached) access(from, bytes, Event::Read, caller, order == Order::Cached ? cached_flag : 0);
    else volatile_access(from, bytes, Event::VolatileRead, caller, strong_flag | flags_of(at, elements), elements, order == Order::Relaxed ? Acquires::AtFence : Acquires::Now);
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

void Lane::store(const Instruction& at, Address to, const void* from, unsigned bytes, Order order, unsigned elements) {
    const Address caller = machine().module.base + place(at);
    if (order == Order::Weak) access(to, bytes, Event::Write, caller);
    else volatile_access(to, bytes, Event::VolatileWrite, caller, flags_of(at, elements), elements);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    settle_store(thread);
}

void Lane::meet(const Instruction& at, std::uint32_t mask, Meet what) {
    thread.request = {thread.warp, instruction_op, mask, 0, 0, 0, line, place(at), 0, this, &at, what};
    wait(thread, State::AtWarp);
}

std::uint64_t Lane::warp(const Instruction& at, Warp op, std::uint32_t mask, std::uint64_t value, int argument, int width) {
    thread.request = {thread.warp, static_cast<int>(op), mask, value, argument, width, line, place(at), 0};
    wait(thread, State::AtWarp);
    return thread.request.result;
}

void Lane::stop(const Instruction& at, const std::string& why) {
    ladder_trap(("`" + at.name + "`: " + why).c_str(), line);
}

void Meeting::stop(const std::string& why) {
    const Thread& first = warp.threads[__builtin_ctz(lanes)];
    Finding finding = finding_at(first, "trap", 0);
    finding.line = first.request.line;
    finding.text = "`" + instruction->name + "`: " + why;
    warp.block->executor->findings.push_back(std::move(finding));
    warp.block->stopped = true;
}

std::string name_of(const Instruction& instruction) { return instruction.name; }

void meet(WarpUnit& warp, std::uint32_t group) {
    const WarpRequest& request = warp.threads[__builtin_ctz(group)].request;
    Meeting meeting{warp, group, request.instruction};
    request.what(meeting, *request.instruction);
    each_lane(group, [&](int l) { warp.threads[l].state = State::Ready; });
    if (!warp.block->stopped) warp.clock.synchronise(group, warp.alive(), false);
}

}  // namespace ladder::ptx
