#include "accesses.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "machine.h"
#include "watching.h"

namespace ladder {

Site& site_at(Executor& executor, std::uint32_t pc) {
    Module& module = machine().module;
    Site& site = executor.sites->sites[pc - module.text_begin];
    if (!site.listed) {
        site.listed = true;
        site.pc = pc;
        executor.sites->listed.push_back(pc);
    }
    return site;
}

namespace {

void mark(Lazy<std::uint8_t>& bits, Address offset, std::size_t bytes) {
    if (bytes + (offset & 7) <= 8) return void(bits[offset >> 3] |= static_cast<std::uint8_t>(((1u << bytes) - 1) << (offset & 7)));
    while (bytes > 0 && (offset & 7 || bytes < 8)) {
        bits[offset >> 3] |= static_cast<std::uint8_t>(1u << (offset & 7));
        ++offset, --bytes;
    }
    if (bytes >= 8) std::memset(bits.data() + (offset >> 3), 0xff, bytes >> 3);
    for (offset += bytes & ~std::size_t{7}, bytes &= 7; bytes > 0; --bytes, ++offset)
        bits[offset >> 3] |= static_cast<std::uint8_t>(1u << (offset & 7));
}

Lazy<std::uint8_t>& touched_bytes(std::vector<Lazy<std::uint8_t>>& all, const Region& region) {
    if (all.size() <= static_cast<std::size_t>(region.id)) all.resize(region.id + 1);
    auto& bits = all[region.id];
    if (!bits) bits = Lazy<std::uint8_t>(region.bytes / 8 + 2);
    return bits;
}

void mark_touched(Executor& executor, const WarpUnit& warp, const Request& request, bool writes) {
    auto& all = writes ? executor.stored_bytes : executor.loaded_bytes;
    const Region& first = *executor.regions[request.record.region];
    if (request.one_array && request.consecutive)
        return mark(touched_bytes(all, first), request.address[0] - first.begin, request.bytes * static_cast<std::size_t>(request.lanes));
    if (request.one_array && request.uniform) return mark(touched_bytes(all, first), request.address[0] - first.begin, request.bytes);
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const Region& region = *executor.regions[record.region];
        mark(touched_bytes(all, region), record.address - region.begin, request.bytes);
    });
}

// What a request asks for and moves.
struct Amount {
    std::uint64_t requests = 0, sectors = 0, asked = 0, useful = 0;
    unsigned multiplicity = 0;
};

Amount amount_of(const Request& request, Event event) {
    Amount amount;
    const unsigned distinct = count_distinct(request, &amount.multiplicity);
    amount.requests = 1;
    amount.sectors = event == Event::Atomic ? count_atomic_sectors(request) : count_sectors(request);
    amount.asked = static_cast<std::uint64_t>(request.lanes) * request.bytes;
    amount.useful = static_cast<std::uint64_t>(distinct) * request.bytes;
    return amount;
}

// How many of its bytes a PartRead reads.
unsigned wanted_of(const Record& record) { return static_cast<unsigned>(record.address >> part_shift); }

// The same of lanes that read parts of their bytes.
Amount amount_of_parts(const WarpUnit& warp, const Request& reading) {
    Amount amount;
    amount.requests = 1;
    amount.sectors = count_sectors(reading);
    int i = 0;
    each_lane(reading.mask, [&](int l) {
        const unsigned wanted = wanted_of(*warp.cursor[l].next);
        amount.asked += wanted;
        if (std::find(reading.address, reading.address + i, reading.address[i]) == reading.address + i) amount.useful += wanted;
        ++i;
    });
    return amount;
}

// Which of the request's lanes touch the task's own buffers: all, none, or some where a pointer may lead to either.
std::uint32_t lanes_of_task(const Executor& executor, const WarpUnit& warp, const Request& request) {
    if (request.one_array) return executor.regions[request.record.region]->of_task ? request.mask : 0;
    std::uint32_t mask = 0;
    each_lane(request.mask, [&](int l) { mask |= static_cast<std::uint32_t>(executor.regions[warp.cursor[l].next->region]->of_task) << l; });
    return mask;
}

// The request as if its other lanes were off.
Request part_of(const Request& request, std::uint32_t mask) {
    Request part;
    part.mask = mask;
    part.bytes = request.bytes;
    part.consecutive = false;
    part.record = request.record;
    int i = 0;
    each_lane(request.mask, [&](int l) {
        if (mask >> l & 1) part.address[part.lanes++] = request.address[i];
        ++i;
    });
    return part;
}

void count(Site& site, const Amount& amount) {
    site.requests += amount.requests;
    site.sectors += amount.sectors;
    site.asked += amount.asked;
    site.useful += amount.useful;
}

// Ratios that targets ask for are those of the task's own buffers: neat accesses to scratch make none of them better.
void count_task(WarpUnit& warp, Site& site, std::uint32_t mask, const Amount& amount) {
    site.task_requests += amount.requests;
    site.task_sectors += amount.sectors;
    site.task_asked += amount.asked;
    site.task_useful += amount.useful;
    warp.task_bytes += amount.asked;
    warp.touched_task |= mask;
}

// Keeps what a picture of this place shows: a comparison, for nearly all requests.
void keep_worst(Executor& executor, const WarpUnit& warp, Site& site, const Request& request, std::uint64_t waste) {
    const std::uint64_t block = warp.block->number;
    if (site.kept && (waste < site.waste || (waste == site.waste && block >= site.worst_block))) return;
    site.kept = true, site.waste = waste, site.worst_block = block;
    WorstRequest& worst = executor.sites->worst[request.record.pc];
    worst = {array_of(executor, request.record.region), request.bytes, request.mask, {}};
    const Address begin = executor.regions[request.record.region]->begin;
    for (int i = 0; i < request.lanes; ++i) worst.places.push_back(static_cast<long long>(request.address[i] - begin));
}

// What executors note of a region that they share: mostly what stands there.
template <class T> void note(T& kept, T value) {
    const std::atomic_ref<T> shared(kept);
    if (shared.load(std::memory_order_relaxed) != value) shared.store(value, std::memory_order_relaxed);
}

void note_width(Region& region, unsigned bytes) {
    const unsigned before = std::atomic_ref<unsigned>(region.stored_width).load(std::memory_order_relaxed);
    if (before && before != bytes) note(region.stored_otherwise, true);
    note(region.stored_width, bytes);
}

void count_global(Executor& executor, WarpUnit& warp, Site& site, const Request& request, Event event) {
    const Amount amount = amount_of(request, event);
    count(site, amount);
    if (const std::uint32_t mask = lanes_of_task(executor, warp, request))
        count_task(warp, site, mask, mask == request.mask ? amount : amount_of(part_of(request, mask), event));
    if (event == Event::Atomic) {
        site.multiplicity = std::max<std::uint64_t>(site.multiplicity, amount.multiplicity);
        note(executor.regions[request.record.region]->has_atomics, true);
        if (machine().module.blind_exchanges.contains(request.record.pc)) mark_touched(executor, warp, request, true);   // a store
    } else if (!warp.block->sample) {
        keep_worst(executor, warp, site, request, amount.sectors - std::min(amount.sectors, (amount.useful + 31) / 32));
        const bool writes = event == Event::Write || event == Event::VolatileWrite || event == Event::AtomicStore;
        if (writes) note_width(*executor.regions[request.record.region], request.bytes);
        mark_touched(executor, warp, request, writes);
    }
}

bool loads(Event event) { return event == Event::Read || event == Event::VolatileRead || event == Event::AtomicLoad; }

void count_shared(Executor& executor, const WarpUnit& warp, Site& site, const Request& request, Event event) {
    unsigned phases, multiplicity;
    site.requests += 1;
    site.asked += static_cast<std::uint64_t>(request.lanes) * request.bytes;
    const unsigned wavefronts = count_wavefronts(request, loads(event), &phases);
    site.wavefronts += wavefronts;
    site.ideal += phases;
    if (event != Event::Atomic) {
        if (!warp.block->sample) keep_worst(executor, warp, site, request, wavefronts - phases);
        return;
    }
    count_distinct(request, &multiplicity);
    site.multiplicity = std::max<std::uint64_t>(site.multiplicity, multiplicity);
}

// What copies have brought is read; others may be under way meanwhile.
void read_copied(Block& block, const WarpUnit& warp, const Region& region, const Request& request) {
    block.most.copy_bytes = std::max(block.most.copy_bytes, warp.copying);
    for (int i = 0; i < request.lanes; ++i) block.copied.read(request.record.region, request.address[i] - region.begin, request.bytes);
}

// Of a sampled block, shared memory alone: what lies in other memory hangs on blocks that do not run.
bool is_watched(const WarpUnit& warp, const Region& region) {
    const BlockSample* const sample = warp.block->sample.get();
    return !sample || (sample->watched && region.space == Space::Shared);
}

// What a store writes comes next: nobody is to take it for an earlier one's.
void forget_store(WarpUnit& warp, const Request& request) {
    each_lane(request.mask, [&](int l) { warp.cursor[l].store_address = 0; });
}

}  // namespace

Event counted_as(const Request& request, const Site& site) {
    const Event event = request.record.event;
    return event != Event::Atomic ? event : site.loads ? Event::AtomicLoad : site.stores ? Event::AtomicStore : event;
}

void replay_access(Executor& executor, WarpUnit& warp, const Request& request) {
    Region& region = *executor.regions[request.record.region];
    Site& site = site_at(executor, request.record.pc);
    const Event event = counted_as(request, site);
    site.kind = event;
    site.space = region.space;
    site.bytes = static_cast<std::uint8_t>(request.bytes);
    if (!machine().watched.counters && region.space != Space::Local) {
        if (region.writable || !request.one_array) watch(executor, warp, request);
        return;
    }
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
    site.matrices += is_of_matrix(request.record);
    if (warp.block->sample) sample_access(executor, warp, request);
    if (region.space == Space::Global) {
        count_global(executor, warp, site, request, event);
    } else if (region.space == Space::Shared) {
        count_shared(executor, warp, site, request, event);
        if (loads(event) && warp.block->copied.any()) read_copied(*warp.block, warp, region, request);
    } else {
        site.requests += 1;
        site.asked += static_cast<std::uint64_t>(request.lanes) * request.bytes;
        forget_store(warp, request);
        // Only a copy on another stream may race with the read of a constant.
        if (region.space != Space::Constant || !region.outlives_launch() || machine().streams.empty()) return;
    }
    if (!is_watched(warp, region)) forget_store(warp, request);
    else if (region.writable || !request.one_array) watch(executor, warp, request);
}

void replay_part(Executor& executor, WarpUnit& warp, const Request& request) {
    Site& site = site_at(executor, request.record.pc);
    site.kind = Event::Read;
    site.space = Space::Global;
    site.bytes = static_cast<std::uint8_t>(request.bytes);
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
    Request reading;   // by the lanes that read anything: each within one sector, as far as it may be
    reading.bytes = request.bytes;
    reading.consecutive = reading.one_array = false;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const unsigned wanted = wanted_of(record);
        if (!wanted || record.region == no_region) return;
        const Address a = record.address & address_mask;
        reading.mask |= 1u << l;
        reading.address[reading.lanes++] = a;
        const Region& region = *executor.regions[record.region];
        if (region.space == Space::Global && !warp.block->sample) mark(touched_bytes(executor.loaded_bytes, region), a - region.begin, wanted);
        if (!region.writable || warp.block->sample) return;
        watch_part(executor, warp, l, record, a, wanted);
    });
    count(site, amount_of_parts(warp, reading));
    if (warp.block->sample && reading.mask) {
        reading.record = *warp.cursor[__builtin_ctz(reading.mask)].next;
        sample_access(executor, warp, reading);
    }
    if (const std::uint32_t mask = lanes_of_task(executor, warp, reading))
        count_task(warp, site, mask, amount_of_parts(warp, part_of(reading, mask)));
}

void replay_value(Executor& executor, WarpUnit& warp, const Request& request) {
    const bool unchanged = request.record.bytes & unchanged_flag;   // of all its lanes
    each_lane(request.mask, [&](int l) {
        const Cursor& cursor = warp.cursor[l];
        if (cursor.store_address == 0) return;
        if (machine().whole_program && !unchanged && !cursor.store_fills) executor.changing.insert(request.record.pc);
        warp.block->races.write(executor, warp, l, static_cast<std::uint16_t>(cursor.store_address >> 48),
                             cursor.store_address & ((std::uint64_t{1} << 48) - 1), request.bytes, request.record.pc,
                             {cursor.store_strength, cursor.store_width, unchanged}, cursor.next->address);
    });
}

void replay_copy(Executor& executor, WarpUnit& warp, const Request& request) {
    warp.block->copies += request.record.event == Event::Issued;
    if (warp.block->sample) sample_copy(warp, request);
    if (!is_watched(warp, *executor.regions[request.record.region])) return;
    Races& races = warp.block->races;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        if (record.event == Event::Issued) {
            const unsigned bytes = record.bytes & bytes_mask;
            warp.copying += bytes;
            warp.block->copied.bring(record.region, record.address - executor.regions[record.region]->begin, bytes);
            races.issue(executor, warp, l, record.region, record.address, bytes, static_cast<Waited>(record.bytes >> waited_shift));
        } else {
            warp.copying -= record.bytes;
            races.land(executor, warp, l, record.region, record.address, record.bytes);
        }
    });
}

void replay_source(Executor& executor, WarpUnit& warp, const Request& request) {
    if (!machine().watched.races || !is_watched(warp, *executor.regions[request.record.region])) return;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        if (record.event == Event::Given) return warp.block->races.give(warp.number * warp_lanes + static_cast<unsigned>(l), record.address);
        warp.block->races.take(executor, warp, l, record.region, record.address, record.bytes & bytes_mask, record.pc,
                               static_cast<Waited>(record.bytes >> waited_shift));
    });
}

constexpr std::size_t most_freed = 64 * 1024;   // bytes that are looked at

// To other threads that is a write of all of it.
void replay_free(Executor& executor, WarpUnit& warp, const Request& request) {
    if (!machine().watched.races || !is_watched(warp, *executor.regions[request.record.region])) return;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const Region* const memory = machine().heap.around(record.address);
        const std::size_t end = std::min(memory ? memory->bytes : 0, most_freed);
        for (std::size_t at = 0; at < end; at += 4)
            warp.block->races.write(executor, warp, l, record.region, record.address + at, std::min(end - at, std::size_t{4}), record.pc, {Strength::Plain, freed_width}, 0);
    });
}

void count_copy(Address a, std::size_t bytes, bool writes) {
    Machine& m = machine();
    const Region* const region = m.memory.find(a);
    if (!region || region->space != Space::Global || !region->counted) return;
    if (m.sampling.on()) return void(m.sampling.copied[region->id][writes] += bytes);
    if (m.executors.empty()) m.executors.push_back(std::make_unique<Executor>(0));
    mark(touched_bytes(writes ? m.executors[0]->stored_bytes : m.executors[0]->loaded_bytes, *region), a - region->begin, bytes);
    auto& moved = writes ? m.memory.written_by_copies : m.memory.read_by_copies;
    moved.all += bytes;
    moved.of_task += region->of_task ? bytes : 0;
}

}  // namespace ladder
