#include "host_accesses.h"

#include "frames.h"

namespace ladder {
namespace {

// The learner's host code touched device memory: a GPU's host would crash. File it and give the entry point up.
[[noreturn]] void host_touched(Address a, unsigned bytes, bool writes, Address caller) {
    Finding finding;
    finding.kind = "host_access";
    finding.pc = program_counter(caller);
    finding.access = writes ? "write" : "read";
    finding.address = a;
    finding.bytes = bytes;
    if (const Region* region = machine().memory.nearest(a)) finding.at(*region, a);
    if (machine().memory.named_variable(a)) finding.text = "variable";
    if (machine().whole_program) finding.callers = calls_to_here();   // a library's function may have been given it
    machine().findings.push_back(finding);
    leave_entry_point();
}

}  // namespace

void host_out_of_time(std::uint32_t pc, bool in_library) {
    if (machine().fault && !machine().whole_program) leave_entry_point();   // a kernel has been blamed already
    Finding finding;
    finding.kind = "timeout";
    finding.pc = pc;
    finding.text = in_library ? "library" : "host";
    machine().findings.push_back(finding);
    leave_entry_point();
}

void host_access(Address a, std::size_t bytes, bool writes, Address caller, bool looks) {
    if (machine().unwritten.any() && (writes || looks)) machine().unwritten.access(a, bytes, writes, program_counter(caller));
    if (machine().page_locked.any()) machine().page_locked.access(a, bytes, writes, program_counter(caller));
    if (!machine().memory.can_be_device(a)) return writes ? note_host_write(a) : void();   // as most of what host code touches
    if (Region* const both = machine().memory.both_sided(a)) {
        if (const Work& now = machine().stream_order.last(); now.on_host) {   // it is ordered as other work of its stream is
            machine().stream_races.copied(a, bytes, writes, now.line);
            return machine().memory.open_to_host(*both);
        }
        if (!both->uses.empty()) both_sided_access(*both, a, static_cast<unsigned>(bytes), writes, program_counter(caller));
        return;
    }
    if (writes) note_host_write(a);
    Region* const variable = machine().memory.variable(a);
    const bool named = machine().memory.named_variable(a) != nullptr;
    if (variable && !variable->touched && !named) variable->of_host = true;
    if (!named && !machine().memory.is_device(a) && (!variable || variable->of_host)) return machine().memory.note_exchange(a, bytes, writes);
    if (can_leave_entry_point()) host_touched(a, static_cast<unsigned>(bytes), writes, caller);
    machine().memory.touched_by_host = a;   // another thread of the host's, or the one that the entry point left behind
}

void host_block(Address caller) {
    if (reached(caller)) return;
    const bool enough = (++machine().host_steps > patient_host_steps && !machine().whole_program) || machine().out_of_time.load(std::memory_order_relaxed);
    if (enough && can_leave_entry_point()) host_out_of_time(program_counter(caller));
}

}  // namespace ladder
