#include "races.h"

#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ladder {

// ---- warp clocks ----

void WarpClock::reset() {
    std::fill(std::begin(clock_), std::end(clock_), 0u);
    std::fill(std::begin(strong_), std::end(strong_), 0u);
    std::fill(std::begin(weak_), std::end(weak_), 0u);
    strong_part_.reset();
    weak_part_.reset();
}

void WarpClock::join(Matrix& matrix, std::uint32_t mask) {
    std::uint32_t joined[32];
    for (int t = 0; t < 32; ++t) {
        joined[t] = mask >> t & 1 ? clock_[t] + 1 : 0;
        for (int u = 0; u < 32; ++u)
            if (mask >> u & 1) joined[t] = std::max(joined[t], matrix[u][t]);
    }
    for (int u = 0; u < 32; ++u)
        if (mask >> u & 1) std::copy(joined, joined + 32, matrix[u]);
}

void WarpClock::synchronise(std::uint32_t mask, std::uint32_t alive, bool orders_memory) {
    mask &= alive;
    if (mask == alive) {
        for (int t = 0; t < 32; ++t) {
            if (!(alive >> t & 1)) continue;
            weak_[t] = clock_[t] + 1;
            if (orders_memory) strong_[t] = clock_[t] + 1;
        }
    } else {
        auto& part = orders_memory ? strong_part_ : weak_part_;
        if (!part) part.reset(new Matrix[1]()), std::memset(part.get(), 0, sizeof(Matrix));
        join(*part, mask);
    }
    for (int t = 0; t < 32; ++t) clock_[t] += mask >> t & 1;
}

Edge WarpClock::seen(int observer, int lane, std::uint32_t clock) const {
    if (strong_[lane] > clock || (strong_part_ && (*strong_part_)[observer][lane] > clock)) return Edge::Strong;
    if (weak_[lane] > clock || (weak_part_ && (*weak_part_)[observer][lane] > clock)) return Edge::Weak;
    return Edge::None;
}

// ---- releases ----

void Acquisitions::clear() {
    objects_.clear();
    sets_.assign(1, {});
    numbers_.clear();
}

void Acquisitions::release(std::uint64_t object, const Release& release) {
    std::lock_guard lock(mutex_);
    objects_[object].push_back(release);
}

std::uint32_t Acquisitions::acquire(std::uint64_t object, std::uint32_t already) {
    if (objects_.empty()) return already;
    std::lock_guard lock(mutex_);
    const auto found = objects_.find(object);
    if (found == objects_.end()) return already;
    const auto& known = sets_[already];
    const auto before = known.find(object);
    if (before != known.end() && before->second == found->second.size()) return already;
    Set set = known;
    set[object] = found->second.size();
    const auto [place, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(std::move(set));
    return place->second;
}

std::uint32_t Acquisitions::join(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    std::lock_guard lock(mutex_);
    Set set = sets_[a];
    for (const auto& [object, count] : sets_[b]) set[object] = std::max(set[object], count);
    const auto [place, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(std::move(set));
    return place->second;
}

bool Acquisitions::covers(std::uint32_t set, std::uint64_t block, const Access& access, bool other_block) const {
    if (set == 0) return false;
    std::lock_guard lock(mutex_);
    return covers(sets_[set], block, access, other_block, 0);
}

bool Acquisitions::covers(const Set& set, std::uint64_t block, const Access& access, bool other_block, int depth) const {
    for (const auto& [object, count] : set) {
        const auto& releases = objects_.at(object);
        for (std::size_t i = 0; i < count; ++i) {
            const Release& release = releases[i];
            if (other_block && !release.device) continue;
            if (release.block == block) {
                if (access.epoch < release.epoch) return true;
                // The atomic that carries the release comes just after the fence, and is itself seen by who acquires it.
                const std::uint32_t last = release.tick + (access.strength != Strength::Plain);
                if (access.thread == release.thread && access.tick <= last) return true;
                if (access.thread / 32u == release.warp && access.clock < release.clocks[access.thread % 32u]) return true;
            }
            if (release.includes && depth < 8 && covers(sets_[release.includes], block, access, other_block, depth + 1)) return true;
        }
    }
    return false;
}

// The object's key: shared memory lies at the same addresses for every block of an executor.
static std::uint64_t object_key(const Thread& thread, Address a) {
    const bool global = machine().memory.all_blocks_see(a);
    return global ? a : a ^ (thread.block->number + 1) << 48;
}

void fence(Thread& thread, Scope scope) {
    ThreadClock& clock = thread.clock;
    clock.fenced = true;
    clock.fenced_device = clock.fenced_device || scope != Scope::Block;
    clock.fence_epoch = thread.block->clock.epoch;
    clock.fence_tick = clock.tick;
    const std::uint32_t* row = thread.warp->clock.strong_row();
    std::copy(row, row + 32, clock.fence_clocks);
    BlockClock& block = thread.block->clock;
    block.first_fence_epoch = std::min(block.first_fence_epoch, block.epoch);
    block.device_fence = block.device_fence || scope != Scope::Block;
    record(thread, Event::Clock, 0, ++clock.tick, 0, no_region);
}

void release(Thread& thread, Address a, bool without_fence) {
    const ThreadClock& clock = thread.clock;
    const BlockClock& block = thread.block->clock;
    // A fence by other threads before the last barrier counts as well: the barrier hands their writes to this thread.
    const bool through_barrier = block.first_fence_epoch < block.epoch;
    if (without_fence) fence(thread, Scope::Device);
    if (!clock.fenced && !through_barrier) return;
    Release release{};
    release.block = thread.block->number;
    release.epoch = through_barrier ? block.epoch : clock.fence_epoch;
    release.thread = clock.fenced ? thread.number : ~0u;
    release.tick = clock.fence_tick;
    release.warp = clock.fenced ? thread.number / 32u : ~0u;
    std::copy(clock.fence_clocks, clock.fence_clocks + 32, release.clocks);
    release.device = clock.fenced ? clock.fenced_device || (through_barrier && block.device_fence) : block.device_fence;
    release.includes = clock.acquired;
    machine().acquisitions.release(object_key(thread, a), release);
}

void acquire(Thread& thread, Address a) {
    Acquisitions& acquisitions = machine().acquisitions;
    if (acquisitions.empty()) return;
    const std::uint32_t set = acquisitions.acquire(object_key(thread, a), thread.clock.acquired);
    if (set == thread.clock.acquired) return;
    thread.clock.acquired = set;
    record(thread, Event::Acquired, 0, set, 0, no_region);
}

// ---- races within a block ----

void Races::begin_launch(std::size_t regions) {
    shadows_.clear();
    shadows_.resize(regions);
    pool_.begin_launch();
    touched_.clear();
    covered_.clear();
    reported_.clear();
}

void Races::begin_block(Block& block) {
    block.clock = BlockClock{};
    block.clock.owner = ++lives_;
    pool_.begin_block();
}

void Races::end_block(Block& block) {
    file_guesses(*block.executor);
    if (block.launch->blocks == 1) {
        touched_.clear();
        covered_.clear();
        return;
    }
    const std::uint32_t owner = block.clock.owner;
    BlockSummary summary{block.number, block.grid_phase, std::move(covered_)};
    covered_.clear();
    summary.words.reserve(summary.words.size() + touched_.size());
    for (const auto& [region, word] : touched_) {
        const Region& place = *block.executor->regions[region];
        const std::uint64_t granule = static_cast<std::uint64_t>(place.id) << 40 | word;
        Shadow& shadow = shadows_[region];
        const Cell& cell = shadow.words.at(word, owner, pool_);
        for (unsigned part = 0; part < (cell.split ? 4 : 1); ++part) {
            const Cell& source = cell.split ? shadow.parts.at(word * 4 + part, owner, pool_) : cell;
            if (source.write.pc || source.reads[0].pc)
                summary.words.push_back({granule, source.write, source.reads[0], source.value});
        }
    }
    touched_.clear();
    block.launch->races.add(std::move(summary));
}

constexpr std::size_t most_covered = 4096;   // of a block

// Another block's atomic races with a plain write, also if an atomic of the writer's own block came after it.
void Races::cover(const Region& region, Address a, const Cell& cell) {
    if (region.space != Space::Global || covered_.size() >= most_covered) return;
    const std::uint64_t word = (a - region.begin + (region.begin & 3)) / 4;
    covered_.push_back({static_cast<std::uint64_t>(region.id) << 40 | word, cell.write, Access{}, cell.value});
}

Access Races::make(WarpUnit& warp, int lane, std::uint32_t pc, Strength strength, unsigned mask) const {
    const Cursor& cursor = warp.cursor[lane];
    return {pc, static_cast<std::uint16_t>(warp.number * 32 + lane), static_cast<std::uint8_t>(mask), strength,
            warp.block->clock.epoch, warp.clock.of(lane), cursor.tick, cursor.acquired};
}

// Calls visit(cell, mask, word address) for every cell that the access touches.
template <class Visit>
void Races::visit(Executor& executor, WarpUnit& warp, int, std::uint16_t index, Address a, unsigned bytes, Visit visit) {
    const Region& region = *executor.regions[index];
    Shadow& shadow = shadows_[index];
    if (!shadow.words) shadow.words = Cells(region.bytes / 4 + 2);
    const std::uint32_t owner = warp.block->clock.owner;
    Address offset = a - region.begin + (region.begin & 3);
    for (unsigned left = bytes; left > 0;) {
        const std::uint64_t word = offset / 4;
        const unsigned first = offset % 4, count = std::min(4 - first, left);
        Cell& cell = shadow.words.at(word, owner, pool_);
        if (cell.owner != owner) {
            cell = Cell{};
            cell.owner = owner;
            if (region.space == Space::Global) touched_.emplace_back(index, word);
        }
        if (count < 4 && !cell.split) {
            if (!shadow.parts) shadow.parts = Cells((region.bytes / 4 + 2) * 4);
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
                  bool before_writes, const Access& now, bool now_writes, bool same_value) {
    if (!before.pc || before.thread == now.thread || before.epoch != now.epoch) return;   // a barrier lies between
    if (before.strength != Strength::Plain && now.strength != Strength::Plain) return;
    if (before.thread / 32 == now.thread / 32) {
        const Edge edge = warp.clock.seen(lane, before.thread % 32, before.clock);
        if (edge == Edge::Strong) return;
        if (edge == Edge::Weak) {
            report(executor, warp, lane, region, a, before, before_writes, now, now_writes, Meeting::ShuffleOrder);
            return;
        }
    }
    const Acquisitions& acquisitions = machine().acquisitions;
    const std::uint64_t block = warp.block->number;
    if (acquisitions.covers(now.acquired, block, before, false) || acquisitions.covers(before.acquired, block, now, false)) return;
    report(executor, warp, lane, region, a, before, before_writes, now, now_writes, same_value ? Meeting::SameValue : Meeting::Race);
}

void Races::report(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region_index, Address a, const Access& before,
                   bool before_writes, const Access& now, bool now_writes, Meeting meeting) {
    const bool note = meeting == Meeting::SameValue || meeting == Meeting::ShuffleOrder;
    const char* const kind = meeting == Meeting::ShuffleOrder ? "shuffle_order" : "race";
    const std::uint64_t key = (static_cast<std::uint64_t>(before.pc) << 32 | now.pc) * 4 + (note ? 2 : 0) + now_writes;
    const auto known = reported_.find(key);
    if (known != reported_.end()) {
        ++executor.findings[known->second].count;
        return;
    }
    const bool guess = (before.strength != Strength::Plain) != (now.strength != Strength::Plain) && !(before_writes && now_writes);
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
    finding.access = now.strength != Strength::Plain ? "atomic" : now_writes ? "write" : "read";
    finding.other_access = before.strength != Strength::Plain ? "atomic" : before_writes ? "write" : "read";
    finding.address = a;
    finding.array = region.name;
    finding.array_line = region.line;
    finding.array_bytes = region.bytes;
    finding.offset = static_cast<long long>(a - region.begin);
    finding.space = region.space == Space::Shared ? "shared" : "global";
    finding.other_pc = before.pc;
    finding.other = finding_at(other, kind, before.pc).place;
    finding.text = meeting == Meeting::SameValue ? "same value" : meeting == Meeting::InFlight ? "in flight" : "";
    if (guess) guesses_.push_back({reader, word, std::move(finding)});
    else executor.findings.push_back(std::move(finding));
}

void Races::excuse(const WarpUnit& warp, int lane, Address a, unsigned bytes) {
    const std::uint32_t thread = warp.number * 32 + static_cast<std::uint32_t>(lane);
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
                 Strength strength) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address where, unsigned, unsigned) {
        const Access now = make(warp, lane, pc, strength, mask);
        if (cell.in_flight) return report(executor, warp, lane, region, where, cell.write, true, now, false, Meeting::InFlight);
        check(executor, warp, lane, region, where, cell.write, true, now, false, false);
        Access* reads = cell.reads;
        // Keep one read of each of two warps; a newer read of the same warp replaces the older one.
        if (!reads[0].pc || reads[0].epoch != now.epoch || reads[0].thread / 32 == now.thread / 32) {
            if (reads[0].epoch != now.epoch) reads[1] = Access{};
            // Two lanes of one warp: keep both, so that a write by either is still seen to meet the other.
            if (reads[0].pc && reads[0].epoch == now.epoch && reads[0].thread != now.thread && !reads[1].pc) reads[1] = reads[0];
            reads[0] = now;
        } else {
            reads[1] = now;
        }
    });
}

void Races::write(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes, std::uint32_t pc,
                  Strength strength, std::uint64_t value) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address where, unsigned offset, unsigned size) {
        const Access now = make(warp, lane, pc, strength, mask);
        if (cell.in_flight) return report(executor, warp, lane, region, where, cell.write, true, now, true, Meeting::InFlight);
        // Values of up to 8 bytes are known exactly, wider ones by a hash that is the same for all their words.
        const std::uint64_t part = bytes <= 8 ? value >> 8 * offset & (size == 4 ? 0xffffffffu : 0xffu) : value;
        const bool same_value = part == cell.value && strength == Strength::Plain && cell.write.strength == Strength::Plain;
        check(executor, warp, lane, region, where, cell.write, true, now, true, same_value);
        for (const Access& read : cell.reads) check(executor, warp, lane, region, where, read, false, now, true, false);
        if (strength != Strength::Plain && cell.write.pc && cell.write.strength == Strength::Plain)
            cover(*executor.regions[region], where, cell);
        cell.write = now;
        cell.value = part;
        cell.reads[0] = cell.reads[1] = Access{};
    });
}

void Races::issue(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned, Address, unsigned, unsigned) { cell.in_flight = true; });
}

void Races::land(Executor& executor, WarpUnit& warp, int lane, std::uint16_t region, Address a, unsigned bytes) {
    visit(executor, warp, lane, region, a, bytes, [&](Cell& cell, unsigned mask, Address, unsigned, unsigned) {
        const Access now = make(warp, lane, cell.write.pc, Strength::Plain, mask);
        if (cell.write.thread != now.thread) return;   // another copy into the same place, which has been reported
        cell.in_flight = false;
        cell.write = now;
    });
}

// ---- races between blocks ----

namespace {
constexpr std::uint32_t several = ~0u;   // blocks, that is

std::uint64_t region_of(std::uint64_t granule) { return granule >> 40; }
std::uint64_t word_of(std::uint64_t granule) { return granule & ((std::uint64_t{1} << 40) - 1); }

template <class T> T& entry_of(std::vector<Lazy<T>>& tables, std::uint64_t granule) {
    auto& table = tables[region_of(granule)];
    if (!table) table = Lazy<T>(machine().memory.regions()[region_of(granule)]->bytes / 4 + 2);
    return table[word_of(granule)];
}

struct Entry { Access access; std::uint64_t block; };
struct Word { Entry write, reads[2]; std::uint64_t value; };

Place place_of(const LaunchState& launch, std::uint64_t block, std::uint32_t thread) {
    Place place;
    place.in_kernel = true;
    place.block = block;
    place.block_index[0] = static_cast<unsigned>(block % launch.grid.x);
    place.block_index[1] = static_cast<unsigned>(block / launch.grid.x % launch.grid.y);
    place.block_index[2] = static_cast<unsigned>(block / launch.grid.x / launch.grid.y);
    place.thread_index[0] = thread % launch.block.x;
    place.thread_index[1] = thread / launch.block.x % launch.block.y;
    place.thread_index[2] = thread / launch.block.x / launch.block.y;
    return place;
}

bool conflict(const Entry& before, const Access& now, std::uint64_t block) {
    if (!before.access.pc || before.block == block || !(before.access.mask & now.mask)) return false;
    if (before.access.strength == Strength::DeviceAtomic && now.strength == Strength::DeviceAtomic) return false;
    const Acquisitions& acquisitions = machine().acquisitions;
    return !acquisitions.covers(now.acquired, before.block, before.access, true) &&
           !acquisitions.covers(before.access.acquired, block, now, true);
}

bool is_same_value(const Word& word, const Summary& now) {
    return word.value == now.value && word.write.access.strength == Strength::Plain && now.write.strength == Strength::Plain;
}

class Reporter {
public:
    Reporter(LaunchState& launch, std::vector<Finding>& findings) : launch_(launch), findings_(findings) {}

    void operator()(std::uint64_t granule, const Entry& before, bool before_writes, const Access& now, std::uint64_t block,
                    bool now_writes, bool same_value) {
        const std::uint64_t key = (static_cast<std::uint64_t>(before.access.pc) << 32 | now.pc) * 2 + same_value;
        const auto known = reported_.find(key);
        if (known != reported_.end()) {
            ++findings_[known->second].count;
            return;
        }
        if (reported_.size() >= 64) return;
        reported_[key] = findings_.size();
        const Region& region = *machine().memory.regions()[region_of(granule)];
        Finding finding;
        finding.kind = "race";
        finding.note = same_value;
        finding.kernel = launch_.launch->kernel;
        finding.pc = now.pc;
        finding.place = place_of(launch_, block, now.thread);
        finding.access = now.strength != Strength::Plain ? "atomic" : now_writes ? "write" : "read";
        finding.other_access = before.access.strength != Strength::Plain ? "atomic" : before_writes ? "write" : "read";
        finding.other_pc = before.access.pc;
        finding.other = place_of(launch_, before.block, before.access.thread);
        finding.array = region.name;
        finding.array_line = region.line;
        finding.array_bytes = region.bytes;
        const unsigned shared = now.mask & before.access.mask;
        finding.offset = static_cast<long long>(word_of(granule) * 4) + __builtin_ctz(shared) -
                         static_cast<long long>(region.begin & 3);
        finding.space = "global";
        finding.text = same_value ? "same value" : "other block";
        findings_.push_back(std::move(finding));
    }

private:
    LaunchState& launch_;
    std::vector<Finding>& findings_;
    std::unordered_map<std::uint64_t, std::size_t> reported_;
};

void meet(Word& word, const Summary& now, std::uint64_t block, Reporter& report) {
    if (now.write.pc) {
        if (conflict(word.write, now.write, block))
            report(now.granule, word.write, true, now.write, block, true, is_same_value(word, now));
        for (const Entry& read : word.reads)
            if (conflict(read, now.write, block)) report(now.granule, read, false, now.write, block, true, false);
    }
    if (now.read.pc && conflict(word.write, now.read, block)) report(now.granule, word.write, true, now.read, block, false, false);
    if (now.read.pc) {
        if (word.reads[0].access.pc && word.reads[0].block != block) word.reads[1] = word.reads[0];
        word.reads[0] = {now.read, block};
    }
    const bool covers = word.write.access.pc && word.write.block == block && word.write.access.strength == Strength::Plain &&
                        now.write.strength != Strength::Plain;
    if (now.write.pc && !covers) {
        word.write = {now.write, block};
        word.value = now.value;
    }
}
}  // namespace

void LaunchRaces::add(BlockSummary summary) {
    std::lock_guard lock(mutex_);
    touched_by_.resize(machine().memory.regions().size());
    const auto number = static_cast<std::uint32_t>(summary.block + 1);
    for (const Summary& now : summary.words) {
        std::uint32_t& by = entry_of(touched_by_, now.granule);
        by = by == 0 || by == number ? number : several;
    }
    blocks_.push_back(std::move(summary));
}

void LaunchRaces::check(LaunchState& launch, std::vector<Finding>& findings) {
    std::stable_sort(blocks_.begin(), blocks_.end(), [](auto& a, auto& b) { return std::pair(a.phase, a.block) < std::pair(b.phase, b.block); });
    std::vector<Lazy<Word>> words;
    Reporter report(launch, findings);
    std::uint32_t phase = ~0u;
    for (const BlockSummary& block : blocks_) {
        if (block.phase != phase) {   // grid.sync() orders all that came before
            phase = block.phase;
            words.clear();
            words.resize(machine().memory.regions().size());
        }
        for (const Summary& now : block.words)   // mostly no other block has been there
            if (entry_of(touched_by_, now.granule) == several) meet(entry_of(words, now.granule), now, block.block, report);
    }
    blocks_.clear();
    touched_by_.clear();
}

}  // namespace ladder
