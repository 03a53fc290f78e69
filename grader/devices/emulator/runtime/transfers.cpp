// Copies between host and device, and on either side; memset.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "accesses.h"
#include "children.h"
#include "crossing.h"
#include "frames.h"
#include "host_blocks.h"
#include "host_call.h"
#include "variables.h"

using namespace ladder;

extern "C" {

// Of a copy that reaches past the end of what host code has there, of which so many bytes are left.
int ladder_check_host_side(const void* p, std::size_t bytes, std::size_t left, int writes, int line) {
    const auto a = reinterpret_cast<Address>(p);
    const DeviceMemory& memory = machine().memory;
    if (bytes <= left || memory.is_device(a) || memory.both_sided(a) || memory.named_variable(a)) return Success;
    return wrong_call(InvalidValue, (writes ? "into " : "from ") + std::to_string(bytes) + ' ' + std::to_string(left), line);
}

// A copy leaves its array, or writes an input; no region: the nearest one is told.
static int file_copy(Address a, std::size_t bytes, const Region* region, bool writes, int line) {
    const DeviceMemory& memory = machine().memory;
    Finding finding;
    finding.kind = region && !region->writable && writes && region->holds(a, bytes) ? "input_modified" : "out_of_bounds";
    finding.line = line;
    finding.access = writes ? "write" : "read";
    finding.address = a;
    finding.bytes = static_cast<unsigned>(std::min<std::size_t>(bytes, ~0u));
    finding.text = region && region->freed ? works_for_a_kernel() ? "freed by its kernel" : "freed" : "copy";
    if (const Region* near = region ? region : memory.nearest(a)) finding.at(*near, a);
    if (memory.is_of_earlier_case(a)) finding.kind = "leak", finding.text = "kept";
    if (!line) finding.callers = calls_to_here();   // an operator has copied, as `v[i]` of a device_vector
    machine().findings.push_back(std::move(finding));
    return InvalidValue;
}

// A copy is given up if it leaves its arrays or mixes up host and device.
static int check_copy_side(const void* p, std::size_t bytes, bool device, bool writes, int line, const Region* named = nullptr) {
    const auto a = reinterpret_cast<Address>(p);
    const DeviceMemory& memory = machine().memory;
    if (!p) {
        file("out_of_bounds", "", line, writes ? "null destination" : "null source");
        return InvalidValue;
    }
    const Region* region = memory.find(a);
    if (!device) {
        const Region* const both = memory.both_sided(a);
        if (both && both->holds(a, bytes)) return Success;
        if (!both && !memory.is_device(a)) return ladder_check_host_side(p, bytes, host_blocks().bytes_from(a), writes, line);
        if (!region) region = memory.nearest(a);
        if (region->sides != Sides::Device) return file_copy(a, bytes, region, writes, line);
        file("host_access", "", line, writes ? "copy to host" : "copy from host");
        return InvalidValue;
    }
    if (is_address_of_the_host(p, named)) {
        file_address_of_the_host(p, line, "");
        return InvalidValue;
    }
    if (region && region->is_heap) {
        if (!works_for_a_kernel()) return wrong_call(InvalidValue, "heap", line);
        const Region* const given = machine().heap.around(a);
        return given && given->holds(a, bytes) && !given->freed ? Success : file_copy(a, bytes, given, writes, line);
    }
    if (region && region->holds(a, bytes) && !region->freed && (region->writable || !writes)) return Success;
    return file_copy(a, bytes, region, writes, line);
}

// Whether a launch had a thread for each element of what was written, and for no more: the grid was too small.
static bool is_one_launch_full(std::size_t bytes) {
    return std::ranges::any_of(machine().launches, [=](const LaunchRecord& launch) {
        const std::size_t threads = std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z * launch.block.x * launch.block.y * launch.block.z;
        return threads >= warp_lanes && (bytes == 4 * threads || bytes == 8 * threads);
    });
}

// A copy to the host of what nothing has written, not a byte of it or none behind the last thread's: a note, for a program
// that only takes the time may do so.
static bool note_unwritten(const Region& source, Address from, std::size_t bytes, int line) {
    const Machine& m = machine();
    if (!m.whole_program || m.fault || !m.findings.empty() || m.sampling.on() || m.few_blocks || !source.initialised) return false;
    const std::uint8_t* const flags = source.flags_of(from);
    const void* const gap = std::memchr(flags, 0, bytes);
    const std::size_t written = gap ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(gap) - flags) : bytes;
    if (written == bytes || std::memchr(flags + written, 1, bytes - written) || (written && !is_one_launch_full(written))) return false;
    Finding finding;
    finding.kind = "uninitialized_read";
    finding.note = true;
    finding.line = line;
    finding.access = "read";
    finding.text = written ? "copied " + std::to_string(written) : "copy";
    machine().findings.push_back(std::move(finding.at(source, from)));
    return true;
}

// What host code has from malloc and new and never set is no more set on the device: told when a kernel looks at it.
static void leave_unset(Region& target, Address to, Address from, std::size_t bytes, int line) {
    const auto unset = host_blocks().unset(from, bytes);
    for (const auto& [offset, length] : unset) std::memset(target.flags_of(to + offset), 0, length);
    if (unset.empty()) return;
    target.unset_line = line;
    target.unset_begin = to - target.begin + unset.front().first;
    target.unset_end = to - target.begin + unset.back().first + unset.back().second;
}

int ladder_memcpy(void* to, const void* from, std::size_t bytes, Copy kind, int line) {
    const HostCall call;
    const Region* const named = take_named();
    const void* const symbol = take_symbol();
    if (bytes == 0) return Success;
    DeviceMemory& memory = machine().memory;
    if (symbol && !memory.find(reinterpret_cast<Address>(symbol))) return wrong_call(InvalidSymbol, "symbol", line);
    bool to_device = memory.is_device(reinterpret_cast<Address>(to)), from_device = memory.is_device(reinterpret_cast<Address>(from));
    if (kind != Copy::Default) {
        to_device = kind == Copy::HostToDevice || kind == Copy::DeviceToDevice;
        from_device = kind == Copy::DeviceToHost || kind == Copy::DeviceToDevice;
    }
    int error = check_copy_side(from, bytes, from_device, false, line, named);
    if (!error) error = check_copy_side(to, bytes, to_device, true, line, named);
    if (error) return machine().last_error = error;
    if (!from_device) judge_operand_of_graph(from, line);
    if (!to_device) judge_operand_of_graph(to, line);
    const auto apart = static_cast<std::size_t>(std::abs(static_cast<const char*>(to) - static_cast<const char*>(from)));
    if (apart > 0 && apart < bytes) wrong_call(Success, "overlap " + std::to_string(bytes - apart), line);
    if (from_device && to_device && machine().sampling.skips(2 * bytes)) {
        count_copy(reinterpret_cast<Address>(from), bytes, false);
        count_copy(reinterpret_cast<Address>(to), bytes, true);
        return Success;
    }
    if (Region* const shared = memory.both_sided(reinterpret_cast<Address>(from))) memory.note_host_writes(*shared);
    memory.open();
    std::memmove(to, from, bytes);
    if (from_device != to_device) cross_by_copy(to, from, bytes, to_device);
    if (from_device && !to_device) {
        memory.copied_to_host += bytes;
        note_addresses_in(to, bytes);
        const auto a = reinterpret_cast<Address>(from);
        if (Region* const source = memory.find(a)) {
            source->read_early_pc = 0;   // what was set is for the host, too
            if (source->of_task && !source->writable) memory.inputs_to_host += bytes;
            machine().unwritten.copied(to, *source, a, bytes, line);
            if (!note_unwritten(*source, a, bytes, line)) note_untouched(*source, a - source->begin + bytes);
        }
    }
    if (to_device && !from_device) memory.copied_from_host += bytes;
    if (to_device) {
        Region* target = memory.find(reinterpret_cast<Address>(to));
        const Region* source = from_device ? memory.find(reinterpret_cast<Address>(from)) : nullptr;
        target->fill_from_host(reinterpret_cast<Address>(to), bytes, line);
        if (target->initialised) {
            std::uint8_t* flags = target->flags_of(reinterpret_cast<Address>(to));
            if (source && source->initialised) std::memmove(flags, source->flags_of(reinterpret_cast<Address>(from)), bytes);
            else std::memset(flags, 1, bytes);
            if (!from_device && machine().whole_program) leave_unset(*target, reinterpret_cast<Address>(to), reinterpret_cast<Address>(from), bytes, line);
        }
    }
    const auto may_race = [&](const void* p, bool on_device) { return on_device || memory.both_sided(reinterpret_cast<Address>(p)); };
    if (may_race(from, from_device)) machine().stream_races.copied(reinterpret_cast<Address>(from), bytes, false, line);
    if (may_race(to, to_device)) machine().stream_races.copied(reinterpret_cast<Address>(to), bytes, true, line);
    note_use_by_copy(reinterpret_cast<Address>(from), bytes, false, line);
    note_use_by_copy(reinterpret_cast<Address>(to), bytes, true, line);
    if (!current) memory.shut();
    // An asynchronous copy, too, returns to the host only when memory that is not page-locked has all of it.
    if (machine().whole_program && from_device && !to_device && !memory.both_sided(reinterpret_cast<Address>(to))) ladder_host_waits(machine().stream_order.last().stream);
    return Success;
}

void ladder_rows(int begin) {
    const HostCall call;
    DeviceMemory& memory = machine().memory;
    memory.keep_open(begin);
    if (!begin && !current) memory.shut();
}

int ladder_memset(void* to, int value, std::size_t bytes, int line) {
    const HostCall call;
    if (bytes == 0) return Success;
    if (const int error = check_copy_side(to, bytes, true, true, line)) return machine().last_error = error;
    if (machine().sampling.on()) machine().sampling.set_last[machine().memory.find(reinterpret_cast<Address>(to))->id] += bytes;
    if (machine().sampling.skips(bytes)) return count_copy(reinterpret_cast<Address>(to), bytes, true), Success;
    DeviceMemory& memory = machine().memory;
    memory.open();
    std::memset(to, value, bytes);
    Region* const target = memory.find(reinterpret_cast<Address>(to));
    target->fill_from_host(reinterpret_cast<Address>(to), bytes, line);
    if (target->initialised) std::memset(target->flags_of(reinterpret_cast<Address>(to)), 1, bytes);
    machine().stream_races.copied(reinterpret_cast<Address>(to), bytes, true, line);
    note_use_by_copy(reinterpret_cast<Address>(to), bytes, true, line);
    memory.shut();
    return Success;
}

}  // extern "C"
