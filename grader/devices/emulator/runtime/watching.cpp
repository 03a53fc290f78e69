#include "watching.h"

#include <algorithm>
#include <set>
#include <utility>

#include "accesses.h"
#include "machine.h"
#include "replay.h"

namespace ladder {

std::size_t Races::count_writers(const Executor& executor, const Region& shared) {
    const auto index = std::find(executor.regions.begin(), executor.regions.end(), &shared) - executor.regions.begin();
    std::set<std::uint16_t> writers;
    for (std::uint64_t word = 0; word < shared.bytes / 4; ++word) {
        const Cell& cell = shadows_[static_cast<std::size_t>(index)].words.at(word, lives_, pool_);
        if (cell.owner == lives_ && cell.write.pc) writers.insert(cell.write.thread);
    }
    return writers.size();
}

namespace {

// Flags, one for each byte of an array: is it initialised? They are read and set by relaxed atomics, because executors whose
// blocks race for an element race for its flags, too.
template <class Word> bool are_set(const std::uint8_t* flags) {
    return __atomic_load_n(reinterpret_cast<const Word*>(flags), __ATOMIC_RELAXED) == static_cast<Word>(0x0101010101010101u);
}
template <class Word> void set(std::uint8_t* flags) {
    __atomic_store_n(reinterpret_cast<Word*>(flags), static_cast<Word>(0x0101010101010101u), __ATOMIC_RELAXED);
}

bool initialised(const std::uint8_t* flags, unsigned bytes) {
    switch (bytes) {
        case 1: return are_set<std::uint8_t>(flags);
        case 2: return are_set<std::uint16_t>(flags);
        case 4: return are_set<std::uint32_t>(flags);
        case 8: return are_set<std::uint64_t>(flags);
        default: return are_set<std::uint64_t>(flags) && are_set<std::uint64_t>(flags + 8);
    }
}

void initialise(std::uint8_t* flags, unsigned bytes) {
    switch (bytes) {
        case 1: return set<std::uint8_t>(flags);
        case 2: return set<std::uint16_t>(flags);
        case 4: return set<std::uint32_t>(flags);
        case 8: return set<std::uint64_t>(flags);
        default: set<std::uint64_t>(flags), set<std::uint64_t>(flags + 8);
    }
}

// What lies between the members of a structure is never written, and is copied with them. Some bytes of this piece of it are,
// or some before it if the structure's alignment is such that all of the piece may lie between two members.
bool may_be_padding(const Region& region, Address a, unsigned bytes, const std::uint8_t* flags, unsigned piece) {
    if (!(piece & whole_flag)) return false;
    const Address before = piece & aligned_flag ? std::min<Address>(15, a - region.begin) : 0;
    return std::any_of(flags - before, flags + bytes, [](const std::uint8_t& flag) { return are_set<std::uint8_t>(&flag); });
}

// "written by 16 of 256", of an array that has an element for each thread and in which only some have stored.
std::string writers_text(const Executor& executor, Block& block, const Region& region) {
    const std::size_t threads = block.threads.size();
    if (!machine().watched.races || region.bytes / 4 < threads) return "";
    const std::size_t writers = block.races.count_writers(executor, region);
    return writers == 0 || writers == threads ? "" : "written by " + std::to_string(writers) + " of " + std::to_string(threads);
}

void report_uninitialised(Executor& executor, const WarpUnit& warp, int lane, const Region& region, Address a, unsigned bytes,
                          std::uint32_t pc, Event event) {
    const bool both_sided = region.sides != Sides::Device;   // mostly zeroes, though CUDA promises none: worth a note
    if (both_sided && event == Event::Atomic) return;        // which may be a mere store
    if (event == Event::Atomic && (site_at(executor, pc).stores || machine().module.blind_exchanges.contains(pc))) return;   // and this is one
    for (Finding& known : executor.findings)
        if (known.pc == pc && known.kind == "uninitialized_read" && known.note == both_sided) {
            ++known.count;
            return;
        }
    Finding finding = finding_at(warp.threads[lane], "uninitialized_read", pc);
    finding.note = both_sided;
    finding.access = event == Event::Atomic ? "atomic" : "read";
    finding.bytes = bytes;
    if (region.filled_line && a - region.begin >= region.filled)
        finding.text = "filled " + std::to_string(region.filled_line) + ' ' + std::to_string(region.filled);
    if (region.unset_line && a - region.begin >= region.unset_begin && a - region.begin < region.unset_end)
        finding.text = "unset " + std::to_string(region.unset_line);
    if (region.space == Space::Shared) finding.text = writers_text(executor, *warp.block, region);
    executor.findings.push_back(std::move(finding.at(region, a)));
}

// The value of an exchange by which others' may be lost. Of other atomics none is kept.
std::uint64_t take_exchanged(WarpUnit& warp, int lane, std::uint32_t pc) {
    if (warp.exchanged.empty() || !machine().module.overwrites.contains(pc)) return 0;
    const auto found = std::find_if(warp.exchanged.begin(), warp.exchanged.end(), [=](const auto& each) { return each.first == lane; });
    if (found == warp.exchanged.end()) return 0;
    const std::uint64_t value = found->second;
    warp.exchanged.erase(found);
    return value;
}

void watch_atomic(Executor& executor, WarpUnit& warp, int lane, const Record& record, Strength strength) {
    if (record.bytes & compare_swap_flag) warp.block->races.excuse(executor, warp, lane, record.region, record.address, record.bytes & bytes_mask);
    const unsigned bytes = record.bytes & bytes_mask;
    warp.block->races.write(executor, warp, lane, record.region, record.address, bytes, record.pc, {strength, width_of(bytes)}, take_exchanged(warp, lane, record.pc));
}

Strength strength_of(const Record& record) {
    switch (record.event) {
        case Event::Atomic: return record.bytes & block_scope_flag ? Strength::BlockAtomic : Strength::DeviceAtomic;
        case Event::VolatileWrite: return record.bytes & own_block_flag ? Strength::BlockVolatile : Strength::Volatile;
        case Event::VolatileRead:
            if (record.bytes & own_block_flag) return Strength::BlockVolatile;
            return record.bytes & strong_flag || machine().module.flag_reads.contains(record.pc) ? Strength::Volatile : Strength::Plain;
        case Event::Read: return machine().module.flag_reads.contains(record.pc) ? Strength::Volatile : Strength::Plain;   // a guess
        default: return Strength::Plain;
    }
}

bool is_cached(const Record& record) {
    return record.event == Event::Read && ((record.bytes & (whole_flag | cached_flag)) == cached_flag || machine().module.cached_reads.contains(record.pc));
}

Manner manner_of(const Request& request) {
    const Event event = request.record.event;
    if (is_cached(request.record)) return {Strength::Plain, cached_width};
    const bool is_vector = (event == Event::VolatileRead || event == Event::VolatileWrite) && request.record.bytes & vector_flag;
    return {strength_of(request.record), is_vector ? any_width : width_of(request.bytes)};
}

// Marks what a store sets; whether nothing had set some of it before.
bool fills(const Region& region, Address a, unsigned bytes) {
    if (!region.initialised || initialised(region.flags_of(a), bytes)) return false;
    initialise(region.flags_of(a), bytes);
    return true;
}

void await_value(Cursor& cursor, Address where, Strength strength, unsigned width, bool fills) {   // of a store: it comes next
    cursor.store_address = where;
    cursor.store_fills = fills;
    cursor.store_strength = strength;
    cursor.store_width = static_cast<std::uint8_t>(width);
}

// Whether all is initialised that a request reads of one array.
bool is_initialised(const Region& region, const Request& request) {
    const Address* const end = request.address + (request.uniform ? 1 : request.lanes);
    return std::all_of(request.address, end, [&](Address a) { return initialised(region.flags_of(a), request.bytes); });
}

// Loads and stores of one array, but for loads of what is not initialised. False: it is for `watch_lanes`.
bool watch_together(Executor& executor, WarpUnit& warp, const Request& request) {
    if (!request.one_array || request.record.event == Event::Atomic) return false;
    const Region& region = *executor.regions[request.record.region];
    const bool writes = request.record.event == Event::Write || request.record.event == Event::VolatileWrite;
    if (region.initialised && !writes && !is_initialised(region, request)) return false;
    const bool races = machine().watched.races;
    if (!writes && races) {
        warp.block->races.read(executor, warp, request, manner_of(request));
        return true;
    }
    const auto [strength, width, _] = manner_of(request);
    int i = 0;
    each_lane(request.mask, [&](int l) {
        const Address a = request.address[i++];
        const bool fresh = writes && fills(region, a, request.bytes);
        await_value(warp.cursor[l], races ? a | std::uint64_t{request.record.region} << 48 : 0, strength, width, fresh);
    });
    return true;
}

// Races and uninitialised reads, lane by lane.
void watch_lanes(Executor& executor, WarpUnit& warp, const Request& request) {
    const Event event = request.record.event;
    const bool reads = event == Event::Read || event == Event::VolatileRead || event == Event::Atomic;
    const bool writes = event != Event::Read && event != Event::VolatileRead;
    const bool atomic = event == Event::Atomic;
    const auto [strength, width, _] = manner_of(request);
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const Region& region = *executor.regions[record.region];
        if (!region.writable) return;   // nothing can race on an input: it is never written
        const Address a = record.address;
        if (region.initialised && reads) {
            std::uint8_t* const flags = region.flags_of(a);
            const unsigned piece = event == Event::Read ? record.bytes : 0;
            if (!initialised(flags, request.bytes) && !may_be_padding(region, a, request.bytes, flags, piece))
                report_uninitialised(executor, warp, l, region, a, request.bytes, record.pc, event);
        }
        const bool fresh = writes && fills(region, a, request.bytes);
        if (!machine().watched.races) warp.cursor[l].store_address = 0;
        else if (!writes) warp.block->races.read(executor, warp, l, record.region, a, request.bytes, record.pc, {strength, width});
        else if (atomic) watch_atomic(executor, warp, l, record, strength);
        else await_value(warp.cursor[l], a | std::uint64_t{record.region} << 48, strength, width, fresh);
    });
}

// What some lanes of a warp have done that is not replayed, with where each lane's begins. One may be running.
template <class F> void each_unreplayed(const WarpUnit& warp, const Thread* running, std::uint32_t lanes, F&& f) {
    each_lane(lanes & ~0u >> (warp_lanes - warp.lanes), [&](int l) {
        const bool runs = running == &warp.threads[l];
        const Record* const end = runs ? running->next : warp.cursor[l].end;
        const Record* const first = runs ? warp.block->trace_of(l) : warp.cursor[l].next;
        for (const Record* record = first; record != end; ++record) f(l, first, *record);
    });
}

bool writes(Event event) { return event == Event::Write || event == Event::VolatileWrite || event == Event::Atomic; }

// Where a lane has read, since `first`, some of what it writes here; null if it has not.
const Record* read_before(const Record* first, const Record& write) {
    if (write.event == Event::Atomic) return &write;
    const Address end = write.address + (write.bytes & bytes_mask);
    const Record* const read = std::find_if(first, &write, [&](const Record& record) {
        const bool reads = record.event == Event::Read || record.event == Event::VolatileRead || record.event == Event::Atomic;
        return reads && record.address < end && write.address < record.address + (record.bytes & bytes_mask);
    });
    return read == &write ? nullptr : read;
}

// What no lane has written before a lane reads it and writes it.
void report_read_before(Executor& executor, const WarpUnit& warp, int lane, const Record& read) {
    const Region& region = *executor.regions[read.region];
    const unsigned bytes = read.bytes & bytes_mask, piece = read.event == Event::Read ? read.bytes : 0;
    const std::uint8_t* const flags = region.flags_of(read.address);
    if (!initialised(flags, bytes) && !may_be_padding(region, read.address, bytes, flags, piece))
        report_uninitialised(executor, warp, lane, region, read.address, bytes, read.pc, read.event);
}

}  // namespace

void watch(Executor& executor, WarpUnit& warp, const Request& request) {
    if (!watch_together(executor, warp, request)) watch_lanes(executor, warp, request);
}

void watch_part(Executor& executor, WarpUnit& warp, int lane, const Record& record, Address a, unsigned wanted) {
    const Region& region = *executor.regions[record.region];
    const std::uint8_t* const flags = region.initialised ? region.flags_of(a) : nullptr;
    if (flags && !std::all_of(flags, flags + wanted, [](const std::uint8_t& flag) { return initialised(&flag, 1); }))
        report_uninitialised(executor, warp, lane, region, a, wanted, record.pc, Event::Read);
    if (machine().watched.races) warp.block->races.read(executor, warp, lane, record.region, a, wanted, record.pc, {Strength::Plain});
}

// First what no lane has read before it writes it: some other lane may have read that after it.
static void publish(WarpUnit& warp, const Thread* running, std::uint32_t lanes, bool read_first) {
    Executor& executor = *warp.block->executor;
    each_unreplayed(warp, running, lanes, [&](int l, const Record* first, const Record& record) {
        if (!writes(record.event)) return;
        const Region& region = *executor.regions[record.region];
        if ((region.space != Space::Global && region.place_in_cluster < 0) || !region.initialised) return;
        const unsigned bytes = record.bytes & bytes_mask;
        std::uint8_t* const flags = region.flags_of(record.address);
        if (initialised(flags, bytes)) return;
        const Record* const read = read_before(first, record);
        if (read && !read_first) return;
        if (read) report_read_before(executor, warp, l, *read);
        initialise(flags, bytes);
    });
}

void publish(Block& block, const Thread* running) {
    if (!block.launch->counting) return;
    std::vector<std::pair<WarpUnit*, std::uint32_t>>& parts = block.executor->unpublished;
    parts.clear();
    for (WarpUnit& warp : block.warps) {
        if (!warp.can_run && !block.sample) continue;   // what its lanes have done is replayed
        const std::uint32_t runs = running && running->warp == &warp ? 1u << running->lane : 0;
        if (const std::uint32_t lanes = unreplayed(warp) | runs) parts.emplace_back(&warp, lanes);
    }
    for (const bool read_first : {false, true})
        for (const auto& [warp, lanes] : parts) publish(*warp, running, lanes, read_first);
}

// What a lane has read before, replay is to say whether it should have.
static void publish_to_block(WarpUnit& warp, const Thread& by, std::uint32_t lanes) {
    each_unreplayed(warp, &by, lanes, [&](int, const Record* first, const Record& record) {
        if (record.event != Event::Write && record.event != Event::VolatileWrite) return;
        const Region& region = *warp.block->executor->regions[record.region];
        const unsigned bytes = record.bytes & bytes_mask;
        std::uint8_t* const flags = region.initialised ? region.flags_of(record.address) : nullptr;
        if (flags && !initialised(flags, bytes) && !read_before(first, record)) initialise(flags, bytes);
    });
}

void publish_to_lanes(const Thread& by) {
    if (!by.next) return;
    for (WarpUnit& warp : by.block->warps)
        if (const std::uint32_t lanes = std::exchange(warp.have_released, 0)) publish_to_block(warp, by, lanes);
}

void touch_unrecorded(Thread& thread, const Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    if (!region.initialised) return;
    std::uint8_t* const flags = region.flags_of(a);
    if (writes) initialise(flags, bytes);
    else if (!initialised(flags, bytes) && !may_be_padding(region, a, bytes, flags, thread.piece))
        report_uninitialised(*thread.executor, *thread.warp, thread.lane, region, a, bytes, pc, Event::Read);
}

}  // namespace ladder
