#include "patience.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "machine.h"

namespace ladder {

namespace {

const Record* trace_of(const Thread& thread) { return thread.block->trace_of(thread.lane); }

bool tells(Event event) { return event != Event::Clock && event != Event::Acquired; }   // their numbers always grow

Stretch stretch_of(const Record* begin, const Record* end) {
    Stretch stretch{{std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()}};
    std::uint32_t block = 0;   // a loop comes to one again and again
    for (const Record* record = begin; record != end; ++record) {
        if (!tells(record->event) || (record->event == Event::Block && record->pc == std::exchange(block, record->pc))) continue;
        const std::uint64_t what = std::uint64_t{record->pc} << 8 | static_cast<std::uint64_t>(record->event);
        std::uint64_t hash = (record->address + 0x9e3779b97f4a7c15u * (what + 1)) * 0xff51afd7ed558ccdu;
        hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53u;
        stretch.least[0] = std::min(stretch.least[0], static_cast<std::uint32_t>(hash));
        stretch.least[1] = std::min(stretch.least[1], static_cast<std::uint32_t>(hash >> 32));
    }
    return stretch;
}

// More than this many steps no kernel needs for data of this size; a program's may, and the user has a limit of time.
double most_steps(const LaunchState& launch) {
    if (machine().whole_program) return std::numeric_limits<double>::infinity();
    const double threads = static_cast<double>(launch.blocks) * launch.block.x * launch.block.y * launch.block.z;
    const double size = machine().data_elements + threads;
    if (machine().sampling.on()) return most_sampled_steps;
    return least_work + work_a_pair * size * size;
}

// Of a thread that is looked at for the first time, it is not known yet.
bool changed_something(Thread& thread, const Record* begin) {
    Stretch stretch = stretch_of(begin, thread.next);
    const Stretch before = std::exchange(thread.part, stretch);   // each may be a part of a loop's round
    if (!(before == Stretch{}))
        for (int i = 0; i < 2; ++i) stretch.least[i] = std::min(stretch.least[i], before.least[i]);
    const bool is_known = !(thread.stretch == Stretch{});
    const bool news = thread.state == State::Done || (is_known && !(stretch == thread.stretch));
    thread.stretch = stretch;
    return news;
}

// Its trace is full, and it has asked for the word that it has found the same again and again.
bool asks_in_vain(const Thread& thread, const Record* begin) {
    if (thread.state != State::Full || thread.stuck < looks_before_yield - 1) return false;
    return std::any_of(begin, static_cast<const Record*>(thread.next), [&](const Record& record) {
        return (record.event == Event::Atomic || record.event == Event::VolatileRead) && record.address == thread.asked;
    });
}

}  // namespace

// So far: what its trace holds, too.
static std::uint64_t steps_of(const Thread& thread) {
    return thread.steps + static_cast<std::uint64_t>(thread.next ? thread.next - trace_of(thread) : 0);
}

bool Patience::looks(const Thread& thread) const { return looked_at == &thread && of_block == thread.block->number; }

bool has_seen_enough(Thread& thread, std::uint32_t pc) {
    Patience& patience = thread.executor->patience;
    if (!patience.looked_at) patience.looked_at = &thread, patience.of_block = thread.block->number;
    if (patience.looks(thread)) ++patience.visits[pc], ++patience.visited;
    if (patience.visited >= blocks_to_look_at) return true;
    return ++patience.visited_by_all >= blocks_in_all && steps_of(thread) > steps_to_a_kernel;   // one that has begun tells a line
}

Finding still_running(const Thread& thread, std::uint32_t pc) {
    Finding finding = finding_at(thread, "timeout", pc);
    LaunchState& launch = *thread.block->launch;
    Progress& progress = finding.progress;
    progress.steps = steps_of(thread);
    for (const Thread& each : thread.block->threads) progress.steps = std::max(progress.steps, each.steps);
    for (const Thread& each : thread.block->threads) progress.threads += 2 * each.steps >= progress.steps;
    if (thread.next)
        for (const Record* record = trace_of(thread); record != thread.next; ++record) progress.pcs.insert(record->pc);
    const Patience& patience = thread.executor->patience;
    if (patience.looks(thread))
        for (const auto& [place, visits] : patience.visits)
            if (visits > 1) progress.pcs.insert(place);
    std::lock_guard lock(launch.schedule.mutex);
    progress.blocks = launch.blocks;
    progress.blocks_done = launch.schedule.finished();
    return finding;
}

void watch_progress(Thread& thread) {
    Patience& patience = thread.executor->patience;
    LaunchState& launch = *thread.block->launch;
    const Record* const begin = trace_of(thread);
    const auto steps = static_cast<std::uint64_t>(thread.next - begin);
    if (steps == 0 && thread.state == State::Ordered) return;   // it goes on where it was
    thread.steps += steps;
    patience.steps += steps;
    const bool spins = thread.state == State::Spinning || asks_in_vain(thread, begin);   // for most of these steps one executor waits for another's turn
    const std::uint64_t spun = spins ? launch.spun.fetch_add(steps, std::memory_order_relaxed) + steps : launch.spun.load(std::memory_order_relaxed);
    const bool is_long = spun > patient_steps;
    if (spins && is_long && spun - steps <= patient_steps) launch.schedule.idle_passes.store(0, std::memory_order_relaxed);
    if (patience.steps < patience.look_from && !is_long) return;
    if (machine().sampling.on() && thread.state != State::Spinning && static_cast<double>(patience.steps) < most_sampled_steps) return;
    if (changed_something(thread, begin)) {
        patience.look_from = patience.steps + steps_between_looks;
        launch.changes.fetch_add(1, std::memory_order_relaxed);
        launch.spun.store(0, std::memory_order_relaxed);
        launch.schedule.idle_passes.store(0, std::memory_order_relaxed);
    }
    const std::uint64_t changes = launch.changes.load(std::memory_order_relaxed);
    if (changes != patience.changes) patience.idle = 0;
    patience.changes = changes;
    if (!spins) patience.idle += steps;
    const bool waits = spins && is_long && launch.schedule.idle_passes.load(std::memory_order_relaxed) >= patient_passes;
    const bool idles = patience.idle > (machine().whole_program ? patient_program_steps : patient_steps);
    if (!waits && !idles && static_cast<double>(patience.steps) < most_steps(launch)) return;
    Finding finding = still_running(thread, thread.next == begin ? 0 : thread.next[-1].pc);
    finding.text = waits ? machine().streams.empty() ? "waits" : "waits streams" : idles ? "idles" : "works";
    if ((waits || idles) && thread.rests_at && thread.asked == reinterpret_cast<Address>(thread.rests_at)) {
        finding.kind = "deadlock";
        finding.line = thread.barrier_line;
        finding.text = arrivals_text(thread.rests_at);
    }
    thread.executor->findings.push_back(std::move(finding));
    thread.block->stopped = true;
}

}  // namespace ladder
