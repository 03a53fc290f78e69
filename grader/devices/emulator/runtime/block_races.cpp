#include "block_races.h"

#include <algorithm>
#include <span>
#include <utility>

#include "children.h"
#include "machine.h"
#include "request.h"

namespace ladder {

namespace {

std::uint64_t granule_of(const Block& block, const Region& region, std::uint64_t word) {
    if (region.place_in_cluster < 0) return ladder::granule_of(region, word);
    return granule_in_cluster(static_cast<std::uint64_t>(region.place_in_cluster), block.launch->clusters.of(block.index), word);
}

// By the same thread, or with a barrier in between: what orders nearly all accesses.
bool are_far_apart(const Access& before, const Access& now) { return !before.pc || before.thread == now.thread || before.epoch != now.epoch; }

// Of a read by __ldg, or by a `const` and `__restrict__` pointer: that nothing writes there in this launch.
bool breaks_promise(const Access& read) { return read.width == cached_width && promises(read); }

// Keeps one read of each of two warps; a newer read of the same warp replaces the older one.
inline void keep_read(Access* reads, const Access& now) {
    if (!reads[0].pc || reads[0].epoch != now.epoch || reads[0].thread / 32 == now.thread / 32) {
        if (reads[0].epoch != now.epoch) reads[1] = Access{};
        // Two lanes of one warp: keep both, so that a write by either is still seen to meet the other.
        if (reads[0].pc && reads[0].epoch == now.epoch && reads[0].thread != now.thread && !reads[1].pc) reads[1] = reads[0];
        reads[0] = now;
    } else {
        reads[1] = now;
    }
}

// What an access must still be held against once this write has taken the place of the last one: a plain write that an atomic
// follows, or one atomic of another warp, which the last one need not order.
Access covered_by(const Cell& cell, const Access& now) {
    if (!is_atomic(now.strength)) return {};
    if (cell.write.strength == Strength::Plain) return cell.write;
    const bool is_free = is_atomic(cell.covered.strength) || are_far_apart(cell.covered, now);
    return is_free && is_atomic(cell.write.strength) && cell.write.thread / 32 != now.thread / 32 ? cell.write : cell.covered;
}

template <class Which>
void forget_reads(Cell& cell, Which which) {
    if (which(cell.reads[1])) cell.reads[1] = Access{};
    if (which(cell.reads[0])) cell.reads[0] = std::exchange(cell.reads[1], Access{});
}

}  // namespace

// Where a page is, or is to be.
std::size_t Cells::slot_of(std::uint64_t number, std::uint32_t owner) const {
    std::size_t slot = number * 0x9e3779b97f4a7c15u >> 32;
    while (true) {
        const Place& place = places_[slot &= places_.size() - 1];
        if (place.owner != owner || place.number == number) return slot;
        ++slot;
    }
}

const Cells::Place& Cells::find(std::uint64_t number, std::uint32_t owner, CellPool& pool) {
    if (owner_ != owner) owner_ = owner, used_ = 0;
    if (places_.empty()) places_.resize(16);
    if (Place& place = places_[slot_of(number, owner)]; place.owner == owner) return place;
    if (++used_ * 2 > places_.size()) {
        std::vector<Place> before(places_.size() * 2);
        before.swap(places_);
        for (const Place& place : before)
            if (place.owner == owner) places_[slot_of(place.number, owner)] = place;
    }
    return places_[slot_of(number, owner)] = {number, pool.take(), owner};
}

void Races::begin_launch(std::size_t regions) {
    shadows_.clear();
    shadows_.resize(regions);
    pool_.begin_launch();
    touched_.clear();
    covered_.clear();
    reported_.clear();
    ordered_ = {};
}

// What threads did after they had arrived at their cluster's barrier, and before they waited there.
static BlockSummary take_late(const Block& block, BlockSummary& all) {
    BlockSummary late{all.block, all.grid_phase, all.phase + 1, {}};
    const auto is_late = [&](const Access& access) { return access.pc && access.tick >= block.threads[access.thread].clock.arrival; };
    for (Summary& word : all.words) {
        Summary its{word.granule, {}, {}, word.value, word.changes, word.writes_early, word.reads_early};
        if (is_late(word.write)) std::swap(its.write, word.write);
        if (is_late(word.read)) std::swap(its.read, word.read);
        if (its.write.pc || its.read.pc) late.words.push_back(its);
    }
    return late;
}

void Races::begin_block(Block& block) {
    const bool waited = block.phase > 0 && block.clock.dependency_epoch != not_arrived;   // before it met other blocks
    block.clock = BlockClock{};
    if (waited) block.clock.dependency_epoch = 0;
    block.clock.owner = ++lives_;
    if (taken_) sources_.clear(), taken_ = 0;
    pool_.begin_block();
}

void Races::end_block(Block& block) {
    file_guesses(*block.executor);
    if (block.launch->blocks == 1 && !works_may_race()) return touched_.clear(), covered_.clear();   // it has nothing to race with
    const std::uint32_t owner = block.clock.owner;
    BlockSummary summary{block.number, block.grid_phase, 2 * block.phase, std::move(covered_)};
    covered_.clear();
    summary.words.reserve(summary.words.size() + touched_.size());
    for (const auto& [region, word] : touched_) {
        const Region& place = *block.executor->regions[region];
        const std::uint64_t granule = granule_of(block, place, word);
        Shadow& shadow = shadows_[region];
        const Cell& cell = shadow.words.at(word, owner, pool_);
        for (unsigned part = 0; part < (cell.split ? 4 : 1); ++part) {
            const Cell& source = cell.split ? shadow.parts.at(word * 4 + part, owner, pool_) : cell;
            if (!source.write.pc && !source.reads[0].pc) continue;
            Summary& its = summary.words.emplace_back(Summary{granule, source.write, source.reads[0], source.value});
            if (source.changed) its.write.quiet = false;
            if (cell.split) its.write.mask &= 1u << part, its.read.mask &= 1u << part;   // those from before it was split have all
        }
    }
    touched_.clear();
    if (block.launch->launch->programmatic) note_early(block, summary);
    if (block.launch->clusters.any()) block.launch->races.add(take_late(block, summary), *block.launch);
    block.launch->races.add(std::move(summary), *block.launch);
}

constexpr std::size_t most_covered = 4096;   // of a block

// Another block's atomic races with a plain write, also if an atomic of the writer's own block came after it; and its volatile
// write with a plain read, also if this block has changed the word since by what it read.
void Races::cover(const Block& block, const Region& region, Address a, const Cell& cell, Strength by) {
    const auto is_plain = [](const Access& access) { return access.pc && access.strength == Strength::Plain; };
    const Access write = by != Strength::Plain && is_plain(cell.write) ? cell.write : Access{};
    const Access read = by == Strength::Volatile && is_plain(cell.reads[0]) ? cell.reads[0] : Access{};
    if (!write.pc && !read.pc) return;
    if (!region.others_see() || covered_.size() >= most_covered) return;
    const std::uint64_t word = (a - region.begin + (region.begin & 3)) / 4;
    covered_.push_back({granule_of(block, region, word), write, read, cell.value, write.pc != 0});
}

inline Access Races::make(WarpUnit& warp, int lane, std::uint32_t pc, Manner manner, unsigned mask) const {
    const Cursor& cursor = warp.cursor[lane];
    return {pc, static_cast<std::uint16_t>(warp.number * 32 + lane), manner.unchanged, static_cast<std::uint8_t>(mask & 15), static_cast<std::uint8_t>(manner.width & 15),
            manner.strength, warp.block->clock.epoch, warp.clock.of(lane), cursor.tick, cursor.acquired};
}

Cell& Races::cell_at(Shadow& shadow, const Region& region, std::uint16_t index, std::uint64_t word, std::uint32_t owner) {
    Cell& cell = shadow.words.at(word, owner, pool_);
    if (cell.owner != owner) {
        cell = Cell{};
        cell.owner = owner;
        if (region.others_see()) touched_.emplace_back(index, word);
    }
    return cell;
}

// Calls visit(cell, mask, word address) for every cell that the access touches.
template <class Visit>
void Races::visit(Executor& executor, WarpUnit& warp, int, std::uint16_t index, Address a, unsigned bytes, Visit visit) {
    const Region& region = *executor.regions[index];
    Shadow& shadow = shadows_[index];
    const std::uint32_t owner = warp.block->clock.owner;
    Address offset = a - region.begin + (region.begin & 3);
    for (unsigned left = bytes; left > 0;) {
        const std::uint64_t word = offset / 4;
        const unsigned first = offset % 4, count = std::min(4 - first, left);
        Cell& cell = cell_at(shadow, region, index, word, owner);
        if (count < 4 && !cell.split) {
            cell.split = true;
            for (unsigned part = 0; part < 4; ++part) {
                Cell& byte = shadow.parts.at(word * 4 + part, owner, pool_) = cell;
                byte.value = cell.value >> 8 * part & 0xff;
            }
        }
        const Address where = a + (bytes - left);
        if (!cell.split) visit(cell, 0xfu, where, bytes - left, 4u);
        else
            for (unsigned part = first; part < first + count; ++part)
                visit(shadow.parts.at(word * 4 + part, owner, pool_), 1u << part, where + (part - first), bytes - left + part - first, 1u);
        offset += count;
        left -= count;
    }
}

void Races::check(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, const Access& before,
                  bool before_writes, const Access& now, bool now_writes, bool same_value, Waited by) {
    if (are_far_apart(before, now)) return;
    if (before.strength != Strength::Plain && now.strength != Strength::Plain && same_bytes(before, now)) return;
    const bool one_warp = before.thread / 32 == now.thread / 32;
    const Edge edge = one_warp ? warp.clock.seen(lane, before.thread % 32, before.clock) : Edge::None;
    if (edge == Edge::Strong) return;
    const auto is_known = [&](std::uint32_t set, const Access& access) {
        return set && machine().acquisitions.covers(set, warp.block->id, access, object_key(*warp.block, a), false, ordered_);
    };
    if (is_known(now.acquired, before) || is_known(before.acquired, now)) return;
    if (edge == Edge::Weak) {   // and no barrier object that one has seen the other arrive at
        report(executor, warp, lane, region, a, before, before_writes, now, now_writes, Meeting::ShuffleOrder);
        return;
    }
    const bool unchanged = before_writes != now_writes && (before_writes ? before : now).quiet && by == Waited::Nothing;
    report(executor, warp, lane, region, a, before, before_writes, now, now_writes, same_value ? Meeting::SameValue : unchanged ? Meeting::Unchanged : Meeting::Race, by);
}

void Races::report(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region_index, Address a, const Access& before,
                   bool before_writes, const Access& now, bool now_writes, Meeting meeting, Waited by) {
    const bool note = meeting == Meeting::SameValue || meeting == Meeting::Unchanged || meeting == Meeting::ShuffleOrder || meeting == Meeting::Promised;
    const char* const kind = meeting == Meeting::ShuffleOrder ? "shuffle_order" : meeting == Meeting::Promised ? "written_restricted" : "race";
    const std::uint64_t key = (static_cast<std::uint64_t>(before.pc) << 32 | now.pc) * 4 + (note ? 2 : 0) + now_writes;
    const auto known = reported_.find(key);
    if (known != reported_.end()) {
        ++executor.findings[known->second].count;
        return;
    }
    const bool is_volatile = before.strength == Strength::Volatile || now.strength == Strength::Volatile;
    const bool guess = meeting != Meeting::Cached && meeting != Meeting::Taken && meeting != Meeting::Promised && !is_volatile && (before.strength != Strength::Plain) != (now.strength != Strength::Plain) && !(before_writes && now_writes);
    const std::uint32_t reader = now_writes ? before.thread : now.thread;
    const Address word = a & ~Address{3};
    if (guess) {
        if (guesses_.size() >= 1024) return;
        for (Guess& made : guesses_)
            if (made.thread == reader && made.word == word) {
                ++made.finding.count;
                return;
            }
    } else {
        if (reported_.size() >= 64) return;
        reported_[key] = executor.findings.size();
    }
    const Thread& thread = warp.threads[lane];
    const Thread& other = warp.block->threads[before.thread];
    const Region& region = *executor.regions[region_index];
    Finding finding = finding_at(thread, kind, now.pc);
    finding.note = note;
    finding.access = access_name(now, now_writes);
    finding.other_access = access_name(before, before_writes);
    finding.at(region, a);
    finding.other_pc = before.pc;
    finding.other = finding_at(other, kind, before.pc).place;
    if (meeting == Meeting::SameValue || meeting == Meeting::Unchanged) finding.text = meeting == Meeting::SameValue ? "same value" : unchanged;
    // Who waits for a barrier or a block's pipeline has waited for all threads' copies; for others they are under way.
    const bool waits_for_all = by == Waited::Barrier || by == Waited::Pipeline;
    if (by != Waited::Nothing && (meeting == Meeting::InFlight || meeting == Meeting::Race)) {
        const bool in_flight = meeting == Meeting::InFlight || waits_for_all;   // else its thread has waited for it
        finding.text = (in_flight ? "in flight " : "landed ") + std::to_string(static_cast<int>(by));
    }
    if (is_volatile && !note) finding.text = before.thread / 32 == now.thread / 32 ? "volatile warp" : "volatile";
    if (before.strength != Strength::Plain && now.strength != Strength::Plain) finding.text = widths_text(before, now);
    if (const char* const what = before_writes && now_writes ? loses_exchange(before, now) : nullptr) finding.text = what, finding.note = finding.note || what == lost_step;
    if (meeting == Meeting::Cached) finding.text = cached;
    if (meeting == Meeting::Taken) finding.text = "taken " + std::to_string(static_cast<int>(by));
    if (guess) guesses_.push_back({reader, word, std::move(finding)});
    else executor.findings.push_back(std::move(finding));
}

void Races::excuse(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes) {
    const std::uint32_t thread = warp.number * 32 + static_cast<std::uint32_t>(lane);
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned, Address, unsigned, unsigned) {
        forget_reads(cell, [&](const Access& read) { return read.thread == thread; });
    });
    std::erase_if(guesses_, [&](const Guess& guess) { return guess.thread == thread && guess.word + 4 > a && guess.word < a + bytes; });
}

void Races::file_guesses(Executor& executor) {
    for (Guess& guess : guesses_) {
        const auto same = std::find_if(executor.findings.begin(), executor.findings.end(), [&](const Finding& known) {
            return known.kind == guess.finding.kind && known.pc == guess.finding.pc && known.other_pc == guess.finding.other_pc;
        });
        if (same == executor.findings.end()) executor.findings.push_back(std::move(guess.finding));
        else same->count += guess.finding.count;
    }
    guesses_.clear();
}

void Races::read(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc,
                 Manner manner) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address where, unsigned, unsigned) {
        const Access now = make(warp, lane, pc, manner, mask);
        if (cell.in_flight || has_only_arrived(cell, now))
            return report(executor, warp, lane, region, where, cell.write, true, now, false, Meeting::InFlight, cell.waited);
        if (manner.width == cached_width && cell.write.pc) report(executor, warp, lane, region, where, cell.write, true, now, false, Meeting::Cached);
        else check(executor, warp, lane, region, where, cell.write, true, now, false, false, cell.waited);
        if (is_atomic(cell.covered.strength)) check(executor, warp, lane, region, where, cell.covered, true, now, false, false);
        keep_read(cell.reads, now);
    });
}

// As lane after lane would, for this is what nearly all loads are. Of lanes that read one word in a row the first, the second
// and the last leave what all of them would leave.
void Races::read(Executor& executor, WarpUnit& warp, const Request& request, Manner manner) {
    const std::uint16_t index = request.record.region;
    const std::uint32_t pc = request.record.pc, owner = warp.block->clock.owner, epoch = warp.block->clock.epoch;
    const unsigned bytes = request.bytes;
    const Region& region = *executor.regions[index];
    Shadow& shadow = shadows_[index];
    const Address origin = region.begin & ~Address{3};
    Access now = make(warp, 0, pc, manner, 15);   // of lane 0, until a lane sets what is its own
    const auto read_word = [&](int lane, Address a) {   // whether nothing in this word is of this epoch but reads
        const std::uint64_t word = (a - origin) / 4;
        Cell* cell = &shadow.words.at(word, owner, pool_);
        if (cell->owner != owner) [[unlikely]] cell = &cell_at(shadow, region, index, word, owner);
        const bool is_quiet = !cell->split && !cell->in_flight && (!cell->write.pc || (cell->write.epoch != epoch && manner.width != cached_width));
        if (is_quiet) keep_read(cell->reads, now);
        else read(executor, warp, lane, index, a, 4, pc, manner);
        return is_quiet;
    };
    int i = 0, in_a_row = 0;   // lanes before this one that have read the same, all of whose words were quiet
    each_lane(request.mask, [&](int lane) {
        const Address a = request.address[i];
        if (i == 0 || a != request.address[i - 1]) in_a_row = 0;
        ++i;
        if (in_a_row >= 2 && i < request.lanes && request.address[i] == a) return;
        if (bytes < 4) return read(executor, warp, lane, index, a, bytes, pc, manner);
        now.thread = static_cast<std::uint16_t>(warp.number * warp_lanes + static_cast<unsigned>(lane));
        now.clock = warp.clock.of(lane), now.tick = warp.cursor[lane].tick, now.acquired = warp.cursor[lane].acquired;
        bool is_quiet = read_word(lane, a);
        for (unsigned at = 4; at < bytes; at += 4) is_quiet = read_word(lane, a + at) && is_quiet;
        in_a_row = is_quiet ? in_a_row + 1 : 0;
    });
}

void Races::write(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc,
                  Manner manner, std::uint64_t value) {
    const Strength strength = manner.strength;
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address where, unsigned offset, unsigned size) {
        Access now = make(warp, lane, pc, manner, mask);
        if (cell.write.pc && cell.write.epoch == now.epoch && !cell.write.quiet) now.quiet = false;   // then that one has changed it
        cell.changed = cell.changed || !now.quiet;
        if (cell.in_flight) return report(executor, warp, lane, region, where, cell.write, true, now, true, Meeting::InFlight, cell.waited);
        // Values of up to 8 bytes are known exactly, wider ones by a hash that is the same for all their words.
        const std::uint64_t part = bytes <= 8 ? value >> 8 * offset & (size == 4 ? 0xffffffffu : 0xffu) : value;
        if (cell.taken) [[unlikely]] {
            const Source* const source = source_at(where, size);
            cell.taken = source || taken_;
            if (source) return report(executor, warp, lane, region, where, source->read, false, now, true, Meeting::Taken, source->by);
        }
        const bool same_value = manner.width != freed_width && part == cell.value && strength == Strength::Plain && cell.write.strength == Strength::Plain;
        if (!are_far_apart(cell.write, now)) check(executor, warp, lane, region, where, cell.write, true, beside(cell.write, now, part == cell.value), true, same_value, cell.waited);
        for (const Access& read : cell.reads)
            if (!are_far_apart(read, now)) check(executor, warp, lane, region, where, read, false, now, true, false);
            else if (breaks_promise(read)) report(executor, warp, lane, region, where, read, false, now, true, Meeting::Promised);
        const bool meets_covered = is_atomic(strength) ? cell.write.strength != Strength::Plain : is_atomic(cell.covered.strength);
        if (meets_covered) check(executor, warp, lane, region, where, cell.covered, true, now, true, false);
        cell.covered = covered_by(cell, now);
        if (strength != Strength::Plain) cover(*warp.block, *executor.regions[region], where, cell, strength);
        cell.write = now;
        cell.waited = Waited::Nothing;
        cell.value = part;
        // What comes behind a plain write races with it, if it races with a read before it. Another atomic does not.
        forget_reads(cell, [&](const Access& read) { return !is_atomic(strength) || read.strength != Strength::Plain; });
    });
}

void Races::issue(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes, Waited by) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned, Address, unsigned, unsigned) { cell.in_flight = true, cell.waited = by; });
}

void Races::land(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address, unsigned, unsigned) {
        const Access now = make(warp, lane, cell.write.pc, {Strength::Plain}, mask);
        if (cell.write.thread != now.thread) return;   // another copy into the same place, which has been reported
        cell.in_flight = false, cell.changed = true;
        cell.write = now;
    });
}

void Races::take(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc, Waited by) {
    const Access read = make(warp, lane, pc, {Strength::Plain}, 15);
    if (sources_.size() <= read.thread) sources_.resize(read.thread + 1u);
    sources_[read.thread].push_back({a, bytes, by, read});
    ++taken_;
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned, Address, unsigned, unsigned) { cell.taken = true; });
}

void Races::give(std::uint32_t thread, Address a) {
    if (sources_.size() <= thread) return;
    std::vector<Source>& its = sources_[thread];
    const auto first = std::ranges::find(its, a, &Source::from);
    if (first == its.end()) return;
    its.erase(first);
    --taken_;
}

const Races::Source* Races::source_at(Address a, unsigned bytes) const {
    for (const std::vector<Source>& its : taken_ ? std::span(sources_) : std::span<const std::vector<Source>>())
        for (const Source& source : its)
            if (source.from < a + bytes && a < source.from + source.bytes) return &source;
    return nullptr;
}

}  // namespace ladder
