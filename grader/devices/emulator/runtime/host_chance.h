// What host code gets of chance: the time, dice of the C library's, and whether a stream is done. When a small case is
// called again, it is another day, dice fall as they rarely do, the first answer about a stream is that it has work, and one call is on the
// default stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ladder {

struct HostChance {
    std::int64_t seconds = 0;        // that the clocks are ahead
    std::int64_t fallen = 0;         // what the first die of a call shows, if there are dice to fall so
    bool falls = false;
    bool is_busy = false;            // the stream that a call got, until host code has asked once
    bool on_default_stream = false;  // is the call: that is what it gets
    bool was_asked = false;          // by the file, for the time or a die, since this was set
};

}  // namespace ladder
