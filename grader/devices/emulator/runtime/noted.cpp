// Calls of which nothing runs: what host code would launch is noted, for the session to compare between sizes.
#include <algorithm>
#include <cstring>
#include <string>

#include "machine.h"
#include "noted.h"

namespace ladder {

// Notes what tells a launch from one of another size: its kernel and block, and of its arguments those that point to a
// buffer of the task, the task's own sizes, and numbers that are 0 or 1, as flags are. A launch like the one before is
// not noted again.
void note_launch(const Launch& launch) {
    std::string text = std::string(launch.kernel) + ' ' + std::to_string(launch.block[0]) + ',' + std::to_string(launch.block[1]) + ',' + std::to_string(launch.block[2]) + ' ';
    const auto* const bytes = static_cast<const std::uint8_t*>(launch.arguments);
    const std::vector<std::uint32_t>& scalars = machine().sizes_of_call;
    for (std::size_t at = 0; at + 4 <= launch.argument_bytes;) {
        Address address = 0;
        std::uint32_t number = 0;
        if (at % 8 == 0 && at + 8 <= launch.argument_bytes) std::memcpy(&address, bytes + at, sizeof address);
        std::memcpy(&number, bytes + at, sizeof number);
        const Region* const region = address ? machine().memory.find(address) : nullptr;
        if (region) text += '&' + region->name + (address == region->begin ? "" : "+");
        else if (const auto known = std::ranges::find(scalars, number); number > 1 && known != scalars.end()) text += static_cast<char>('a' + (known - scalars.begin()) % 26);
        else text += number < 2 ? static_cast<char>('0' + number) : '.';
        at += region ? 8 : 4;
    }
    std::string& all = machine().noted_launches;
    text += ';';
    if (!all.ends_with(text)) all += text;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// From now on no launch runs; what is noted of each names these, the whole numbers that the entry point is given.
void ladder_session_only_launches(const std::uint32_t* sizes, std::size_t count) {
    machine().only_launches = true;
    machine().sizes_of_call.assign(sizes, sizes + count);
}

const char* ladder_session_noted() { return machine().noted_launches.c_str(); }

}  // extern "C"
