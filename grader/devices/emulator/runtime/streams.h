// Streams of the learner's own: what is done before what, on them, on the stream that was given, and on the host.
// Everything is done at once here; the order of the calls says what a GPU may do later.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ladder {

// A launch or an asynchronous copy: the number of its stream's works so far, and host code's line.
// overlaps: it may begin before the one in front of it on its stream is over (cudaLaunchAttributeProgrammaticStreamSerialization).
// on_host: a function of host code, which CUDA calls as this work.
struct Work { void* stream; std::uint64_t number; int line; bool overlaps = false, on_host = false; };

// Of a kernel that a kernel has launched: by which work, from 1 (StreamRaces::works), and which of its blocks, on which stream
// of that block's, and what its threads know by then, as if they had acquired it from the thread that launched them. 0: of all
// other work.
struct Origin { std::size_t parent = 0; std::uint64_t block = 0; void* stream = nullptr; std::uint32_t acquired = 0; };
constexpr std::uintptr_t tail_stream = 3, free_stream = 4;   // cudaStreamTailLaunch: behind all others; cudaStreamFireAndForget

bool is_destroyed(void* stream);
bool is_of_thread(void* stream);  // cudaStreamPerThread, of one of the host's
bool is_blocking(void* stream);   // of host code's own: it waits for the default stream

// A stream that host code has made, or a program's event: in which line, < 0 once that call has ended, in which library, and behind
// how many launches.
struct OwnStream { int line; std::uintptr_t module; std::size_t launches_before; };

class StreamOrder {
public:
    // Work 1 of the given stream is what its owner has asked of it before the call: to fill the inputs, for example.
    void begin(void* given);
    enum class Kind : std::uint8_t { Other, Kernel, Programmatic };
    void work(void* stream, int line, Kind kind = Kind::Other);
    const Work& last() const { return last_; }      // of this host thread's
    void run_part_of(const Work& work) { last_ = work; }   // on an OS thread of its own
    bool is_before_last(const Work& earlier) const;
    const std::vector<int>& too_early() const { return too_early_; }   // lines of work on own streams that does not wait for work 1
    void record(const void* event, void* stream);
    void wait(void* stream, const void* event);
    void host_waits(void* stream);
    void host_runs(const Work& now);                // as the work in front of it on its stream is done
    void host_waits_for_event(const void* event);
    void host_waits_for_all();
    bool host_knows(const Work& work) const;        // that it is over
    bool host_knows_event(const void* event) const; // likewise
    // Whether no work that began between two events is over at the second one, as of another stream: its line, or 0.
    int times_nothing(const void* start, const void* stop);
    // Whether host code that asks is told that this is under way: once, for what it has not asked about before.
    bool is_under_way(void* stream, const void* event);
    bool host_knew_all() const;                     // the same of all work before the last one
    void created(void* stream, bool blocking);
    bool is_per_thread() const { return is_per_thread_; }   // host code uses cudaStreamPerThread
    std::vector<int> not_joined(void* given) const; // lines of the last work of other streams that nothing joins to this one

private:
    using Seen = std::map<void*, std::uint64_t>;    // of each stream, how much of its work is done before
    struct Stream { Seen seen; int line; bool own; bool blocking; bool is_behind_kernel; };
    void join_default(Stream& its);
    Stream& in_order(void* stream);
    static void join(Seen& into, const Seen& from);
    void* own_of_thread(void* stream);
    bool is_per_thread_ = false;
    Seen host_;
    void* given_ = nullptr;
    static thread_local Work last_;   // a copy is told in a second call, and another host thread may call between the two
    std::vector<int> too_early_;
    std::map<void*, Stream> streams_;
    std::map<const void*, Seen> events_;
    std::map<const void*, Seen> begun_;             // of each stream, how much had begun when the event was recorded
    std::map<const void*, Seen> asked_;             // by the stream or event
};

}  // namespace ladder
