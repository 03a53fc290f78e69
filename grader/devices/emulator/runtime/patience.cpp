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

enum class Look { Unknown, Same, News };

void join(Stretch& all, const Stretch& part) {
    for (int i = 0; i < 2; ++i) all.least[i] = std::min(all.least[i], part.least[i]);
}

// A round of a loop has as many stretches as it has barriers, and more where a trace is full meanwhile. So what the last two
// or the last eight did together is compared with what it was a turn ago; of fewer it is not known yet.
Look look_at(Thread& thread, const Record* begin) {
    if (!thread.habit) thread.habit = std::make_unique<Habit>();
    Habit& habit = *thread.habit;
    const std::uint64_t news = thread.executor->patience.news;
    if (habit.since != news) habit = {.since = news};
    const Stretch part = stretch_of(begin, thread.next);
    Stretch pair = habit.known > 0 ? habit.parts[(habit.known - 1) % most_parts] : part, all = part;
    join(pair, part);
    habit.parts[habit.known++ % most_parts] = part;
    for (int i = 0; i < std::min(habit.known, most_parts); ++i) join(all, habit.parts[i]);
    const bool pair_again = std::exchange(habit.pair, pair) == pair && habit.known > 2;
    const bool all_again = std::exchange(habit.all, all) == all && habit.known > most_parts;
    if (thread.state == State::Done) return Look::News;
    if (pair_again || all_again) return Look::Same;
    return habit.known > most_parts ? Look::News : Look::Unknown;
}

// Its trace is full, and it has asked for the word that it has found the same again and again.
bool asks_in_vain(const Thread& thread, const Record* begin) {
    if (thread.state != State::Full || thread.stuck < thread.most_looks - 1) return false;
    return std::any_of(begin, static_cast<const Record*>(thread.next), [&](const Record& record) {
        return (record.event == Event::Atomic || record.event == Event::VolatileRead) && record.address == thread.asked;
    });
}

// A program may compute for long where no trace shows it; not where something wrong is known that may be what keeps it,
// and the loop looks at memory.
std::uint64_t patience_of(const Thread& thread, const Record* begin) {
    if (!machine().whole_program) return patient_steps;
    const auto is_of_memory = [](const Record& record) { return tells(record.event) && record.event != Event::Block; };
    if (std::none_of(begin, static_cast<const Record*>(thread.next), is_of_memory)) return patient_program_steps;
    const std::vector<Finding>& findings = thread.executor->findings;   // of this launch
    const bool is_wrong = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return !finding.note; });
    return is_wrong ? patient_steps : patient_program_steps;
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
    const Look look = look_at(thread, begin);
    if (look == Look::News) {
        const std::uint64_t from = std::max(patience.looked_from, steps_before_looking);
        const std::uint64_t looked = patience.steps > from ? patience.steps - from : 0;
        patience.look_from = patience.looked_from = patience.steps + std::max(steps_between_looks, rest_from_looking * looked);
        ++patience.news;
        launch.changes.fetch_add(1, std::memory_order_relaxed);
        launch.spun.store(0, std::memory_order_relaxed);
        launch.schedule.idle_passes.store(0, std::memory_order_relaxed);
    }
    const std::uint64_t changes = launch.changes.load(std::memory_order_relaxed);
    if (changes != patience.changes) patience.idle = 0;
    patience.changes = changes;
    if (!spins && look == Look::Same) patience.idle += steps;
    const bool waits = spins && is_long && launch.schedule.idle_passes.load(std::memory_order_relaxed) >= patient_passes;
    const bool idles = patience.idle > patient_steps && patience.idle > patience_of(thread, begin);
    if (!waits && !idles && static_cast<double>(patience.steps) < most_steps(launch)) return;
    Finding finding = still_running(thread, thread.next == begin ? 0 : thread.next[-1].pc);
    const bool has_lock = thread.held && thread.held != thread.asked && thread.block->second_locks;
    const char* const waiting = has_lock ? "waits locks" : machine().streams.empty() ? "waits" : "waits streams";
    finding.text = waits ? waiting : idles ? "idles" : "works";
    if ((waits || idles) && thread.rests_at && thread.asked == reinterpret_cast<Address>(thread.rests_at)) {
        finding.kind = "deadlock";
        finding.line = thread.barrier_line;
        finding.text = arrivals_text(*thread.block, thread.rests_at, thread.barrier_is_ptx);
    }
    thread.executor->findings.push_back(std::move(finding));
    thread.block->stopped = true;
}

}  // namespace ladder
