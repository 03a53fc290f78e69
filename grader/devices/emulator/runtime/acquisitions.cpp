#include "acquisitions.h"

#include <algorithm>
#include <utility>

#include "clocks.h"

namespace ladder {

void ObjectNumbers::add(std::uint64_t key, unsigned width, std::uint32_t number) {
    if (2 * ++used_ > entries_.size()) {
        const std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(4 * entries_.size()));
        for (const Entry& entry : before)
            if (entry.number) entries_[place_of(entry.key, entry.width)] = entry;
    }
    entries_[place_of(key, width)] = {key, width, number + 1};
}

namespace {
constexpr std::size_t most_cached_parts = 8 << 20;   // 64 MB
constexpr std::size_t most_near_parts = 8, most_own_parts = 64;   // of sets, where many releases are asked for, or a few
constexpr std::size_t many_releases = 64, own_releases = 4;

// Whether what was released comes after an access of the same block.
bool precedes(const Access& access, const Release& release, bool carries) {
    if (access.epoch < release.fence_epoch) return true;
    const bool counts = access.epoch < release.epoch && release.fences && access.thread < release.fences->size();
    if (counts && access.tick < (*release.fences)[access.thread]) return true;
    // The atomic that carries the release comes just after the fence, and is itself seen by the thread that acquires it.
    const std::uint32_t last = release.tick + (carries && access.strength != Strength::Plain);
    if (access.thread == release.thread && access.tick <= last) return true;
    return release.clocks && access.thread / 32u == release.warp && access.clock < (*release.clocks)[access.thread % 32u];
}

bool are_equal(const WarpRow& a, const WarpRow& b) { return a == b || (a && b && *a == *b); }
}  // namespace

void Acquisitions::clear() {
    any_ = false;
    releases_ = 0;
    numbers_.clear();
    objects_.clear();
    by_block_.clear();
    sets_.clear();
    for (Closures& closures : closures_) closures = {};
}

// A thread that polls an address by an atomic releases there again and again. What it has acquired there meanwhile is known to
// all who acquire there after it.
bool Acquisitions::repeats(const Release& before, const Release& now, std::uint32_t object) {
    return before.thread == now.thread && before.epoch == now.epoch && before.fences == now.fences && before.tick == now.tick &&
           before.device == now.device && are_equal(before.clocks, now.clocks) &&
           sets_.without(before.includes, object) == sets_.without(now.includes, object);
}

void Acquisitions::Object::add(Release&& release) {
    last_block = release.block;
    last_thread = release.thread;
    last = release.number;
    last_tick = release.tick;
    last_is_device = release.device;
    handed_on = release.handed_on;
    whole = 0;
    ++size;
    releases.push_back(std::move(release));
}

void Acquisitions::release(std::uint64_t object, unsigned width, Release&& release) {
    std::lock_guard lock(mutex_);
    std::uint32_t place = numbers_.find(object, width);
    if (place == ObjectNumbers::none) {
        numbers_.add(object, width, place = static_cast<std::uint32_t>(objects_.size()));
        objects_.emplace_back().key = object;
    }
    Object& known = objects_[place];
    auto& theirs = by_block_[release.block].all;
    if (!theirs.empty() && theirs.back().object == place && repeats(known.releases[theirs.back().index], release, place)) return;
    theirs.push_back({place, known.size});
    const std::uint32_t number = release.number = releases_.load(std::memory_order_relaxed) + 1;
    for (const bool device : {false, true}) {
        const std::uint32_t before = known.handed_on[device];
        release.handed_on[device] = device && !release.device ? before : sets_.join(before, release.includes);
    }
    known.add(std::move(release));
    releases_.store(number, std::memory_order_relaxed);
    any_.store(true, std::memory_order_relaxed);
}

// Whether who has acquired the first releases of an object thereby knows of this one, and of what that includes.
bool Acquisitions::is_implied(const Where& where, std::uint32_t object, std::uint32_t count) const {
    const Release& release = objects_[where.object].releases[where.index];
    if (!release.device || where.object == object) return release.device && where.index < count;
    const Object& acquired = objects_[object];
    const bool is_last = count == acquired.size;
    if ((is_last ? acquired.last : acquired.releases[count - 1].number) < release.number) return false;   // it came before
    return holds(is_last ? acquired.handed_on[true] : acquired.releases[count - 1].handed_on[true], where);
}

std::uint32_t Acquisitions::Object::count(std::uint32_t most) {
    if (last <= most) return size;
    if (std::exchange(until, most) != most) {
        const auto is_early = [=](const Release& each) { return each.number <= most; };
        early = static_cast<std::uint32_t>(std::partition_point(releases.begin(), releases.end(), is_early) - releases.begin());
    }
    return early;
}

bool Acquisitions::Object::is_ahead(const Object& later) const {
    return last_block == later.last_block && last_thread == later.last_thread && last_thread != ~0u && last_tick < later.last_tick &&
           last < later.last && last_is_device <= later.last_is_device;
}

// Whether a set has a later release of the thread that has released here last: mostly of a flag, behind which this is the data.
bool Acquisitions::has_later(std::uint32_t set, const Acquired& last, const Object& known) const {
    const std::uint32_t place = numbers_.find(last.object, last.width);
    return place != ObjectNumbers::none && known.is_ahead(objects_[place]) && sets_.count(set, place) == objects_[place].size;
}

std::uint32_t Acquisitions::acquire(std::uint64_t object, unsigned width, std::uint32_t already, const By& by, std::uint32_t until) {
    if (empty()) return already;
    std::lock_guard lock(mutex_);
    const std::uint32_t place = numbers_.find(object, width);
    if (place == ObjectNumbers::none) return already;
    Object& known = objects_[place];
    const std::uint32_t count = known.count(until);
    const std::uint32_t before = already ? sets_.count(already, place) : 0;
    if (count <= before) return already;
    const bool is_last = count == known.size;
    const Release* const early = is_last ? nullptr : &known.releases[count - 1];
    const auto [block, thread] = is_last ? std::pair(known.last_block, known.last_thread) : std::pair(early->block, early->thread);
    if (count == before + 1 && block == by.block && thread == by.thread) return already;
    if (count == before + 1 && is_last && already && has_later(already, by.last, known)) return already;
    if (const auto own = already ? by_block_.find(by.block) : by_block_.end(); own != by_block_.end()) {
        const Where& where = own->second.all.back();
        if (is_implied(where, place, count)) already = sets_.minus(already, objects_[where.object].releases[where.index].includes);
    }
    if (!is_last) return sets_.join(already, sets_.one({place, count, early->number}));
    if (!known.whole) known.whole = sets_.one({place, count, known.last});
    return sets_.join(already, known.whole);
}

bool Acquisitions::last_is_of(std::uint64_t block, std::uint64_t object, unsigned width) const {
    std::lock_guard lock(mutex_);
    const std::uint32_t place = numbers_.find(object, width);
    return place == ObjectNumbers::none || objects_[place].last_block == block;
}

std::uint32_t Acquisitions::join(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    std::lock_guard lock(mutex_);
    return sets_.join(a, b);
}

std::uint32_t Acquisitions::anew(std::uint32_t set, std::uint64_t block) {
    if (set == 0) return 0;
    std::lock_guard lock(mutex_);
    const auto own = by_block_.find(block);
    if (own == by_block_.end()) return set;
    const Where& where = own->second.all.back();
    const std::uint32_t rest = sets_.minus(set, objects_[where.object].releases[where.index].includes);
    const auto implies_it = [&](const Part& part) { return is_implied(where, part.object, part.count); };
    return sets_.size(rest) <= most_own_parts && sets_.any(rest, implies_it) ? rest : set;
}

// A set with all that its releases had acquired, and those releases, and so on.
const std::vector<ReleaseSets::Part>& Acquisitions::closure(std::uint32_t set, bool device) const {
    Closures& closures = closures_[device];
    if (const auto known = closures.of.find(set); known != closures.of.end()) return known->second;
    if (closures.parts > most_cached_parts) closures = {};
    counts_.resize(objects_.size());
    std::vector<Part> todo;
    std::vector<std::uint32_t> touched;
    const auto add = [&](const Part& part, bool is_closed) {
        std::uint32_t& count = counts_[part.object];
        if (part.count <= count) return false;
        if (count == 0) touched.push_back(part.object);
        count = part.count;
        if (!is_closed) todo.push_back(part);
        return false;
    };
    const auto add_all = [&](std::uint32_t parts) { sets_.any(parts, [&](const Part& part) { return add(part, false); }); };
    add_all(set);
    while (!todo.empty()) {
        const Part part = todo.back();
        todo.pop_back();
        if (part.count < counts_[part.object]) continue;   // more of its releases were found since
        const std::uint32_t more = objects_[part.object].releases[part.count - 1].handed_on[device];
        if (const auto known = closures.of.find(more); known == closures.of.end()) add_all(more);
        else for (const Part& each : known->second) add(each, true);
    }
    std::sort(touched.begin(), touched.end());
    std::vector<Part> all;
    all.reserve(touched.size());
    for (const std::uint32_t object : touched) all.push_back({object, std::exchange(counts_[object], 0), 0});
    closures.parts += all.size();
    return closures.of[set] = std::move(all);
}

// Whether one of these releases is in a set, or was acquired by one in it, and so on: no release has acquired a later one.
bool Acquisitions::reaches(std::uint32_t set, const std::vector<Where>& goals, bool device) const {
    counts_.resize(objects_.size());
    goals_.resize(objects_.size());
    std::uint32_t first = ~0u;
    for (const Where& goal : goals) {
        std::uint32_t& count = goals_[goal.object];   // that a part must have
        count = count ? std::min(count, goal.index + 1) : goal.index + 1;
        first = std::min(first, objects_[goal.object].releases[goal.index].number);
    }
    std::vector<Part> todo;
    std::vector<std::uint32_t> touched;
    bool found = false;
    const auto add = [&](const Part& part) {
        std::uint32_t& count = counts_[part.object];
        if (part.last < first || part.count <= count) return false;
        found = found || (goals_[part.object] && part.count >= goals_[part.object]);
        if (count == 0) touched.push_back(part.object);
        count = part.count;
        todo.push_back(part);
        return found;
    };
    sets_.any(set, add);
    while (!found && !todo.empty()) {
        const Part part = todo.back();
        todo.pop_back();
        if (part.count == counts_[part.object]) sets_.any(objects_[part.object].releases[part.count - 1].handed_on[device], add);
    }
    for (const std::uint32_t object : touched) counts_[object] = 0;
    for (const Where& goal : goals) goals_[goal.object] = 0;
    return found;
}

// The first releases of an access's own thread that come after it: of many barriers' releases, one of these mostly orders it.
std::span<const Acquisitions::Where> Acquisitions::next_of_thread(OfBlock& releases, const Access& access) const {
    if (releases.all.size() < many_releases) return {};
    const auto of = [&](const Where& where) -> const Release& { return objects_[where.object].releases[where.index]; };
    for (std::size_t i = releases.known; i < releases.all.size(); ++i) {
        const Where& where = releases.all[i];
        const std::uint32_t thread = of(where).thread;
        if (thread == ~0u) continue;
        releases.by_thread.resize(std::max<std::size_t>(releases.by_thread.size(), thread + 1));
        releases.by_thread[thread].push_back(where);
    }
    if (releases.known != releases.all.size()) releases.known = releases.all.size();   // else others read it, perhaps now
    if (access.thread >= releases.by_thread.size()) return {};
    const std::span<const Where> own = releases.by_thread[access.thread];
    const auto first = std::partition_point(own.begin(), own.end(), [&](const Where& where) { return of(where).tick < access.tick; });
    const auto at = static_cast<std::size_t>(first - own.begin());
    return own.subspan(at, std::min(own_releases, own.size() - at));
}

bool Acquisitions::covers(std::uint32_t set, std::uint64_t block, const Access& access, std::uint64_t object, bool other_block, Ordered& known, Reach reach) const {
    if (set == 0) return false;
    if (known.set == set && known.block == block && known.device == other_block && access.epoch < known.epoch) return true;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!rests_) lock.lock();
    const auto theirs = by_block_.find(block);
    if (theirs == by_block_.end()) return false;
    const std::vector<Where>& releases = theirs->second.all;
    if (!lock && releases.size() >= many_releases && theirs->second.known.load() < releases.size()) lock.lock();   // to put them in order
    const auto orders = [&](const Where& where, const auto& is_known) {
        const Release& release = objects_[where.object].releases[where.index];
        const bool carries = ((objects_[where.object].key ^ object) & ~std::uint64_t{7}) == 0;
        if ((other_block && !release.device) || !precedes(access, release, carries) || !is_known(where)) return false;
        known = {set, release.fence_epoch, block, other_block};
        return true;
    };
    for (const Where& where : next_of_thread(theirs->second, access))
        if (orders(where, [&](const Where& its) { return is_near(set, its, other_block, most_own_parts); })) return true;
    const auto likely = releases.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(access.thread, releases.size()));
    const auto ordered = [&](const auto& is_known) {   // where each thread releases for itself, they mostly do so in their order
        const auto is_one = [&](const Where& where) { return orders(where, is_known); };
        return std::any_of(likely, releases.end(), is_one) || std::any_of(releases.begin(), likely, is_one);
    };
    if (ordered([&](const Where& where) { return is_near(set, where, other_block, most_near_parts); })) return true;
    if (reach == Reach::Near) return false;
    if (!lock) lock.lock();
    Closures& closures = closures_[other_block];
    if (!closures.of.contains(set) && ++closures.searched[set] <= most_searches) {
        std::vector<Where> goals;
        ordered([&](const Where& where) { return goals.push_back(where), false; });
        return !goals.empty() && reaches(set, goals, other_block);
    }
    const std::vector<Part>& all = closure(set, other_block);
    return ordered([&](const Where& where) {
        const auto part = std::lower_bound(all.begin(), all.end(), where.object, [](const Part& each, std::uint32_t object) { return each.object < object; });
        return part != all.end() && part->object == where.object && where.index < part->count;
    });
}

// Whether a release is in a set, or was acquired by one in it: most are, and a closure is as large as the grid.
bool Acquisitions::is_near(std::uint32_t set, const Where& where, bool device, std::size_t most_parts) const {
    if (holds(set, where)) return true;
    if (sets_.size(set) > most_parts) return false;
    return sets_.any(set, [&](const Part& part) { return holds(objects_[part.object].releases[part.count - 1].handed_on[device], where); });
}

}  // namespace ladder
