// Calls of host code that CUDA refuses, or that are undefined, though their arrays are right.
#include <sys/mman.h>

#include <cerrno>

#include "frames.h"
#include "host_accesses.h"
#include "host_call.h"
#include "pages.h"

namespace ladder {

namespace {
thread_local bool in_host_function = false;   // that CUDA has called, as work on a stream
thread_local Address host_function_frame = 0;  // its stack lies below
thread_local bool host_function_tells = false;
thread_local Address graph_frame = 0;   // of what launches a graph now: functions that have returned had their variables below it
}

int wrong_call(int error, const std::string& why, int line) {
    file("wrong_call", "", line, why);
    if (!line) machine().findings.back().callers = calls_to_here();
    if (error) machine().last_error = error;
    return error;
}

int refusal_of_result(const void* result, const char* by, int line) {
    const auto a = reinterpret_cast<Address>(result);
    Machine& m = machine();
    void* const page = reinterpret_cast<void*>(a / page_size() * page_size());
    const bool is_nowhere = m.whole_program && msync(page, 1, MS_ASYNC) != 0 && errno == ENOMEM;
    if (a == 0 || is_nowhere) {
        wrong_call(InvalidValue, "no pointer", line);
        m.findings.back().note = a == 0;   // CUDA gives an error, which the program may look at
        return InvalidValue;
    }
    if (!m.memory.is_device(a) || m.memory.both_sided(a)) return Success;
    Finding finding;
    finding.kind = "host_access";
    finding.line = line;
    finding.access = "write";
    finding.text = std::string("result of ") + by;
    if (const Region* region = m.memory.nearest(a)) finding.at(*region, a);
    m.findings.push_back(std::move(finding));
    if (can_leave_entry_point()) leave_entry_point();
    return InvalidValue;
}

int refusal_of_free(const void* p, std::uintptr_t caller) {
    const auto a = reinterpret_cast<Address>(p);
    Machine& m = machine();
    if (!m.memory.can_be_device(a)) return Success;   // as nearly all
    const HostCall call;
    const Region* const region = m.memory.find(a);
    if (!region || region->is_variable || region->sides == Sides::Registered || !m.memory.is_device(a)) return Success;
    Finding finding;
    finding.kind = "invalid_free";
    finding.pc = program_counter(caller);
    finding.text = "by the C library";
    m.findings.push_back(std::move(finding.at(*region, a)));
    return InvalidValue;
}

void judge_operand_of_graph(const void* p, int line) {
    constexpr Address near = Address{64} << 10;   // of a stack: surely no other memory
    const auto a = reinterpret_cast<Address>(p);
    if (a < graph_frame && a + near > graph_frame) wrong_call(Success, "returned", line);
}

void note_host_write(Address a) {
    constexpr Address most_stack = Address{8} << 20;
    if (in_host_function && !(a < host_function_frame && a + most_stack > host_function_frame)) host_function_tells = true;
}

int refusal_of_call(void* stream, int line) {
    if (in_host_function) return wrong_call(NotPermitted, "host function", line);
    return is_destroyed(stream) ? wrong_call(InvalidHandle, "destroyed", line) : refusal_while_captured(stream, line);
}

int refusal_of_memory(int line) {
    if (in_host_function) return wrong_call(NotPermitted, "host function", line);
    return memory_while_captured(line);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// What such a function writes besides, as a flag, may be what host code waits for: only then it is known to be over.
void ladder_host_function(int begins) {
    if (!machine().whole_program) return;   // a graded file has to wait
    const HostCall call;
    in_host_function = begins;
    Work now = machine().stream_order.last();
    now.on_host = begins;
    machine().stream_order.run_part_of(now);
    if (begins) {
        machine().stream_order.host_runs(now);
        machine().memory.host_has_waited();
        machine().fault_is_known = machine().fault != Success;
        host_function_frame = reinterpret_cast<Address>(__builtin_frame_address(0));
        host_function_tells = false;
    } else if (host_function_tells) {
        machine().stream_order.host_waits(now.stream);
    }
}

void ladder_graph_launch(int begins) { graph_frame = begins ? reinterpret_cast<Address>(__builtin_frame_address(0)) : 0; }

void ladder_reads_argument(const void* from, int number, int line) {
    const HostCall call;
    const Region* const region = machine().memory.find(reinterpret_cast<Address>(from));
    if (!region || region->is_variable || region->of_host || region->sides != Sides::Device) return;
    wrong_call(Success, "argument " + std::to_string(number), line);
}

int ladder_temporary(const void* memory, std::size_t bytes, std::size_t wanted) {
    const HostCall call;
    const auto a = reinterpret_cast<Address>(memory);
    const Region* const region = machine().memory.nearest(a);
    if (bytes < wanted) return wrong_call(InvalidValue, "told fewer " + std::to_string(bytes) + ' ' + std::to_string(wanted), 0);
    if (!region || a < region->begin || a > region->begin + region->bytes) return wrong_call(InvalidValue, "temporary", 0);
    if (region->freed) return wrong_call(InvalidValue, "temporary freed", 0);
    const std::size_t there = region->begin + region->bytes - a;
    if (there < bytes) return wrong_call(InvalidValue, "temporary of " + std::to_string(there) + ' ' + std::to_string(bytes), 0);
    return Success;
}

int ladder_check_pitch(std::size_t width, std::size_t pitch, int line) {
    const HostCall call;
    if (width <= pitch) return Success;
    return wrong_call(InvalidPitch, "pitch " + std::to_string(width) + ' ' + std::to_string(pitch), line);
}

int ladder_check_texture_pitch(std::size_t width, std::size_t pitch, int line) {
    const HostCall call;
    constexpr std::size_t alignment = 32;   // cudaDeviceProp::texturePitchAlignment of all GPUs from Kepler on
    if (width > pitch) return wrong_call(InvalidValue, "texture row " + std::to_string(width) + ' ' + std::to_string(pitch), line);
    if (pitch % alignment == 0) return Success;
    return wrong_call(InvalidValue, "texture pitch " + std::to_string(pitch), line);
}

int ladder_check_direction(Copy kind, int to_symbol, int line) {
    const HostCall call;
    const Copy opposite = to_symbol ? Copy::DeviceToHost : Copy::HostToDevice;
    if (kind != opposite && kind != Copy::HostToHost) return Success;
    return wrong_call(InvalidDirection, to_symbol ? "direction to" : "direction from", line);
}

}  // extern "C"
