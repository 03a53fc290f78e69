#include "streams.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "children.h"
#include "host_call.h"

namespace ladder {

thread_local Work StreamOrder::last_{};

namespace {
// A handle is never given twice: the work of a stream that was destroyed need not be done.
constexpr std::uintptr_t before_handles = 0x1000;
std::uintptr_t last_handle = before_handles;
}  // namespace

bool is_destroyed(void* stream) {
    const auto handle = reinterpret_cast<std::uintptr_t>(stream);
    return handle > before_handles && handle < last_handle + 0x10 && !machine().streams.contains(stream);
}

constexpr std::uintptr_t before_threads = std::uintptr_t{1} << 44, most_threads = 1 << 20;
bool is_of_thread(void* stream) { return reinterpret_cast<std::uintptr_t>(stream) - before_threads < most_threads * 0x10; }

bool is_blocking(void* stream) { return (reinterpret_cast<std::uintptr_t>(stream) & 1) == 0; }

void StreamOrder::join(Seen& into, const Seen& from) {
    for (const auto& [stream, count] : from) into[stream] = std::max(into[stream], count);
}

void StreamOrder::begin(void* given) {
    given_ = given;
    last_ = {};
    // Before a graded file's first work stands that of the caller, for which it has to wait; before a program's, none.
    if (!machine().whole_program) streams_[given].seen[given] = 1;
}

void StreamOrder::created(void* stream, bool blocking) { streams_[stream].blocking = blocking; }

// The default stream of a program waits for the work of all blocking streams, and theirs for its.
void StreamOrder::join_default(Stream& its) {
    if (&its != &streams_[nullptr]) {
        if (its.blocking) join(its.seen, streams_[nullptr].seen);
        return;
    }
    for (const auto& [stream, other] : streams_)
        if (other.blocking) join(its.seen, other.seen);
}

// cudaStreamPerThread is another stream in each thread of the host, and it waits for the default one.
void* StreamOrder::own_of_thread(void* stream) {
    constexpr std::uintptr_t per_thread = 2;   // include/ladder/streams.h
    if (reinterpret_cast<std::uintptr_t>(stream) != per_thread) return stream;
    static std::atomic<std::uintptr_t> last{before_threads};
    thread_local const auto its = reinterpret_cast<void*>(last += 0x10);
    streams_[its].blocking = is_per_thread_ = true;
    return its;
}

void StreamOrder::work(void* asked, int line, Kind kind) {
    void* const stream = own_of_thread(asked);
    Stream& its = in_order(stream);
    const bool is_known = its.is_behind_kernel && host_knows({stream, its.seen[stream], 0});
    join(its.seen, host_);
    last_ = {stream, ++its.seen[stream], line, kind == Kind::Programmatic && its.is_behind_kernel && !is_known};
    its.is_behind_kernel = kind != Kind::Other;
    its.line = line;
    its.own = machine().streams.contains(stream);
    if (its.own && !machine().whole_program && its.seen[given_] == 0 && std::find(too_early_.begin(), too_early_.end(), line) == too_early_.end())
        too_early_.push_back(line);
}

bool StreamOrder::is_before_last(const Work& earlier) const {
    const Seen& seen = streams_.at(last_.stream).seen;
    const auto known = seen.find(earlier.stream);
    return known != seen.end() && known->second >= earlier.number;
}

// An event, and waiting, are work in this respect: those of the default stream come after that of all blocking streams.
StreamOrder::Stream& StreamOrder::in_order(void* stream) {
    Stream& its = streams_[stream];
    if (machine().whole_program) join_default(its);
    return its;
}

// No kernel begins early behind an event.
void StreamOrder::record(const void* event, void* stream) {
    Stream& its = in_order(own_of_thread(stream));
    its.is_behind_kernel = false;
    join(events_[event] = host_, its.seen);
    Seen& begun = begun_[event];
    begun.clear();
    for (const auto& [each, other] : streams_)
        if (const auto own = other.seen.find(each); own != other.seen.end()) begun[each] = own->second;
}

int StreamOrder::times_nothing(const void* start, const void* stop) {
    int line = 0;
    for (const auto& [stream, until] : begun_[stop]) {
        const std::uint64_t from = begun_[start][stream];
        if (until <= from) continue;
        if (events_[stop][stream] > from) return 0;
        line = streams_[stream].line;
    }
    return line;
}

void StreamOrder::wait(void* stream, const void* event) {
    Stream& its = in_order(own_of_thread(stream));
    its.is_behind_kernel = false;
    join(its.seen, events_[event]);
}

void StreamOrder::host_waits(void* stream) { join(host_, in_order(own_of_thread(stream)).seen); }

void StreamOrder::host_runs(const Work& now) {
    Seen seen = streams_[now.stream].seen;
    seen[now.stream] = now.number - 1;
    join(host_, seen);
}

void StreamOrder::host_waits_for_event(const void* event) { join(host_, events_[event]); }

void StreamOrder::host_waits_for_all() {
    for (const auto& [stream, its] : streams_) join(host_, its.seen);
}

bool StreamOrder::host_knows(const Work& work) const {
    const auto known = host_.find(work.stream);
    return known != host_.end() && known->second >= work.number;
}

bool StreamOrder::host_knows_event(const void* event) const {
    const auto its = events_.find(event);
    return its == events_.end() || std::all_of(its->second.begin(), its->second.end(), [&](const auto& each) {
        return host_knows({each.first, each.second, 0});
    });
}

bool StreamOrder::is_under_way(void* stream, const void* event) {
    const Seen work = event ? events_[event] : in_order(own_of_thread(stream)).seen;
    const bool known = std::all_of(work.begin(), work.end(), [&](const auto& each) { return host_knows({each.first, each.second, 0}); });
    Seen& last = asked_[event ? event : own_of_thread(stream)];
    return !known && std::exchange(last, work) != work;
}

bool StreamOrder::host_knew_all() const {
    return std::all_of(streams_.begin(), streams_.end(), [&](const auto& each) {
        const auto its = each.second.seen.find(each.first);
        const std::uint64_t earlier = its == each.second.seen.end() ? 0 : its->second - (each.first == last_.stream);
        return earlier == 0 || host_knows({each.first, earlier, 0});
    });
}

std::vector<int> StreamOrder::not_joined(void* given) const {
    Seen done = host_;
    if (const auto known = streams_.find(given); known != streams_.end()) join(done, known->second.seen);
    std::vector<int> lines;
    for (const auto& [stream, its] : streams_) {
        const auto own = its.seen.find(stream);
        if (its.own && own != its.seen.end() && own->second > done[stream]) lines.push_back(its.line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// Of a kernel's own: what it launches runs on that kernel's stream, but in no order where these differ.
static void* stream_in_kernel() {
    static std::atomic<std::uintptr_t> last{std::uintptr_t{1} << 48};
    return reinterpret_cast<void*>(last += 0x10);
}

// Its last bits tell headers what the stream was made with (include/ladder/streams.h).
void* ladder_stream_create(int line, int blocking, int urgency) {
    if (current) return stream_in_kernel();
    const HostCall call;
    last_handle += 0x10;
    void* const stream = reinterpret_cast<void*>(last_handle | static_cast<unsigned>(urgency) << 1 | !blocking);
    machine().streams[stream] = {line, machine().module.base, machine().launches.size()};
    machine().stream_order.created(stream, blocking != 0);
    return stream;
}
int ladder_stream_destroy(void* stream) {
    if (current) return Success;
    const HostCall call;
    return machine().streams.erase(stream) ? Success : InvalidHandle;
}

// A graded file's copy or memset on the default stream, which need not wait for the given one: a note, once.
static void note_default_stream(const void* stream, int line) {
    Machine& m = machine();
    const auto is_told = [](const Finding& each) { return each.kind == "other_stream"; };
    if (m.whole_program || stream == m.given_stream || m.streams.contains(const_cast<void*>(stream)) || std::ranges::any_of(m.findings, is_told)) return;
    file("other_stream", "", line, "");
    m.findings.back().note = true;
}
void ladder_default_stream(int line) {
    const HostCall call;
    note_default_stream(nullptr, line);
}
int ladder_stream_work(void* stream, int line) {
    const HostCall call;
    if (const int error = refusal_of_call(stream, line)) return error;
    note_default_stream(stream, line);
    machine().stream_order.work(stream, line);
    return Success;
}
void ladder_stream_wait(void* stream, const void* event) {
    if (current) return a_kernel_waits();
    const HostCall call;
    machine().stream_order.wait(stream, event);
}
void ladder_event_create(const void* event, int line) {
    const HostCall call;
    if (machine().whole_program) machine().events[event] = {line, machine().module.base, machine().launches.size()};
}
void ladder_event_destroy(const void* event) {
    const HostCall call;
    machine().events.erase(event);
}
void ladder_event_record(const void* event, void* stream) {
    const HostCall call;
    machine().stream_order.record(event, stream);
}
static void host_has_waited() {
    Machine& m = machine();
    m.memory.host_has_waited();
    m.fault_is_known = m.fault != Success;
}
void ladder_host_waits(void* stream) {
    const HostCall call;
    machine().stream_order.host_waits(stream);
    host_has_waited();
}
void ladder_host_waits_for_event(const void* event) {
    const HostCall call;
    machine().stream_order.host_waits_for_event(event);
    host_has_waited();
}
void ladder_host_waits_for_all() {
    const HostCall call;
    machine().stream_order.host_waits_for_all();
    host_has_waited();
}
int ladder_is_under_way(void* stream, const void* event) {
    const HostCall call;
    if (std::exchange(machine().chance.is_busy, false)) return true;
    if (machine().whole_program && !machine().fault && machine().stream_order.is_under_way(stream, event)) return true;
    ladder_host_asks(stream, event);
    return false;
}
void ladder_host_asks(void* stream, const void* event) {
    if (!machine().whole_program) return;   // a graded file has to wait
    event ? ladder_host_waits_for_event(event) : ladder_host_waits(stream);
}
int ladder_has_no_time(int line) {
    const HostCall call;
    return machine().whole_program ? wrong_call(InvalidHandle, "no time", line) : InvalidHandle;
}
// Behind work of which neither knows: a note, once for a line.
void ladder_between_events(const void* start, const void* stop, int line) {
    const HostCall call;
    Machine& m = machine();
    const int work = m.whole_program ? m.stream_order.times_nothing(start, stop) : 0;
    const auto is_told = [=](const Finding& each) { return each.kind == "times_nothing" && each.line == line; };
    if (!work || std::ranges::any_of(m.findings, is_told)) return;
    file("times_nothing", "", line, std::to_string(work));
    m.findings.back().note = true;
}
int ladder_asks_too_early(const void* event, int line) {
    const HostCall call;
    if (!machine().whole_program || machine().stream_order.host_knows_event(event)) return false;
    wrong_call(Success, "too early", line);
    ladder_host_asks(nullptr, event);   // so that a program that asks again and again ends
    return true;
}

}  // extern "C"
