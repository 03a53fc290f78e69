// Calls of host code that CUDA refuses, or that are undefined, though their arrays are right.
#include "host_call.h"

namespace ladder {

namespace {
thread_local bool in_host_function = false;   // that CUDA has called, as work on a stream
}

int wrong_call(int error, const std::string& why, int line) {
    file("wrong_call", "", line, why);
    if (error) machine().last_error = error;
    return error;
}

int refusal_of_call(void* stream, int line) {
    if (in_host_function) return wrong_call(NotPermitted, "host function", line);
    return is_destroyed(stream) ? wrong_call(InvalidHandle, "destroyed", line) : Success;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

void ladder_host_function(int begins) { in_host_function = begins && machine().whole_program; }

int ladder_check_pitch(std::size_t width, std::size_t pitch, int line) {
    const HostCall call;
    if (width <= pitch) return Success;
    return wrong_call(InvalidPitch, "pitch " + std::to_string(width) + ' ' + std::to_string(pitch), line);
}

}  // extern "C"
