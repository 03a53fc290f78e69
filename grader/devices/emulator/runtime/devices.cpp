// The devices of a program: how many it sees, which one a host thread has chosen. They share one memory.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "machine.h"

using namespace ladder;

extern "C" {

int ladder_is_program() { return machine().whole_program; }

int ladder_devices() {
    const char* const asked = machine().whole_program ? std::getenv("LADDER_DEVICES") : nullptr;
    return asked ? std::clamp(std::atoi(asked), 1, 16) : 1;
}

int ladder_current_device(int change_to) {
    thread_local int device = 0;
    if (change_to >= 0) device = change_to;
    return device;
}

int ladder_peer_access(int peer, int on) {
    static std::mutex mutex;
    static std::set<std::pair<int, int>> peers;
    const std::lock_guard lock(mutex);
    const std::pair pair(ladder_current_device(-1), peer);
    return on ? peers.insert(pair).second : peers.erase(pair) != 0;
}

const char* ladder_kernel_name(const void* kernel) {
    static std::set<std::string> names;   // without their parameters, as at a launch
    const Symbol* const function = machine().module.function_at(kernel);
    const std::string whole = function ? function->name : "a kernel";
    return names.insert(whole.substr(0, whole.find('('))).first->c_str();
}

}  // extern "C"
