// Streams of the learner's own: whether what they do is done before the entry point's stream goes on, or the host does.
// Everything is done at once here; the order of the calls says what a GPU may do later.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ladder {

class StreamOrder {
public:
    void work(void* stream, int line);              // a launch or an asynchronous copy
    void record(const void* event, void* stream);
    void wait(void* stream, const void* event);
    void host_waits(void* stream);
    void host_waits_for_event(const void* event);
    void host_waits_for_all();
    std::vector<int> not_joined(void* given) const; // lines of the last work of other streams that nothing joins to this one

private:
    using Seen = std::map<void*, std::uint64_t>;    // of each stream, how much of its work is done before
    struct Stream { Seen seen; int line; bool own; };
    static void join(Seen& into, const Seen& from);
    Seen host_;
    std::map<void*, Stream> streams_;
    std::map<const void*, Seen> events_;
};

}  // namespace ladder
