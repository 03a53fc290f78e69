// While streams are captured into a graph, nothing may wait for their work, and no other work be mixed with it. Such a call
// fails, and so does the end of the capture: there is no graph.
#include <pthread.h>

#include <map>

#include "host_call.h"

namespace ladder {

namespace {

struct Capture { bool relaxed, of_thread, blocking, broken; pthread_t thread; };
std::map<void*, Capture> captures;   // by the streams on which they began

bool is_default(void* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 1; }

template <class Forbids> int refusal(int error, const char* why, int line, Forbids forbids) {
    bool is_first = true, found = false;
    for (auto& [stream, capture] : captures) {
        if (!forbids(capture)) continue;
        is_first &= !capture.broken;
        found = capture.broken = true;
    }
    if (!found) return Success;
    return is_first ? wrong_call(error, why, line) : machine().last_error = error;
}

bool any(const Capture&) { return true; }

}  // namespace

int refusal_while_captured(void* stream, int line) {
    if (!is_default(stream)) return Success;
    return refusal(CaptureImplicit, "capture default", line, [](const Capture& capture) { return capture.blocking; });
}

int memory_while_captured(int line) {
    return refusal(CaptureUnsupported, "capture memory", line, [](const Capture& capture) {
        return !capture.relaxed && !(capture.of_thread && !pthread_equal(capture.thread, pthread_self()));
    });
}

void break_captures() {
    for (auto& [stream, capture] : captures) capture.broken = true;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

void ladder_capture(void* stream, int mode) {
    const HostCall call;
    captures[stream] = {mode == 2, mode == 1, is_blocking(stream), false, pthread_self()};
}

int ladder_capture_ends(void* stream, int is_joined, int line) {
    const HostCall call;
    const auto known = captures.extract(stream);
    if (!known.empty() && known.mapped().broken) return machine().last_error = CaptureInvalidated;
    return is_joined ? Success : wrong_call(CaptureUnjoined, "capture unjoined", line);
}

int ladder_wait_for_captured_event() {
    const HostCall call;
    return refusal(CapturedEvent, "capture waits", 0, any);
}

int ladder_wait_while_captured(void* stream, int is_captured) {
    const HostCall call;
    return is_captured ? refusal(CaptureUnsupported, "capture waits", 0, any) : refusal_while_captured(stream, 0);
}

}  // extern "C"
