// Calls of host code that CUDA refuses, or that are undefined, though their arrays are right.
#include <algorithm>

#include "frames.h"
#include "host_call.h"

namespace ladder {

namespace {
thread_local bool in_host_function = false;   // that CUDA has called, as work on a stream
}

int wrong_call(int error, const std::string& why, int line) {
    file("wrong_call", "", line, why);
    if (!line) machine().findings.back().callers = calls_to_here();
    if (error) machine().last_error = error;
    return error;
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

void ladder_host_function(int begins) { in_host_function = begins && machine().whole_program; }

std::size_t ladder_within(std::size_t bytes, std::size_t to, std::size_t from, int line) {
    const HostCall call;
    const std::size_t room = std::min(to, from);
    if (bytes <= room) return bytes;
    wrong_call(Success, (to < bytes ? "room to " : "room from ") + std::to_string(bytes) + ' ' + std::to_string(to < bytes ? to : from), line);
    return room;
}

int ladder_check_pitch(std::size_t width, std::size_t pitch, int line) {
    const HostCall call;
    if (width <= pitch) return Success;
    return wrong_call(InvalidPitch, "pitch " + std::to_string(width) + ' ' + std::to_string(pitch), line);
}

}  // extern "C"
