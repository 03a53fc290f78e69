// Replay: 32 recorded traces become warp instructions, and from these come the counters.
//
// A warp runs the lanes at the lowest program counter first (deepest call first), so lanes that went different ways meet
// again where their ways join: gcc lays the blocks out in source order (-fno-reorder-blocks). tinygrad's PTX emulator does
// the same. The accesses that meet at one program counter are one warp instruction, a *request*. Sectors and wavefronts
// are counted as Nsight Compute defines them; docs/emulator.md has the table.

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "machine.h"

namespace ladder {

namespace {

constexpr std::int32_t idle_key = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t needs_trace_key = std::numeric_limits<std::int32_t>::min();

std::int32_t key_of(std::uint32_t depth, std::uint32_t pc) {
    return static_cast<std::int32_t>((7 - std::min(depth, 7u)) << 28 | (pc & 0x0fffffffu));
}

// Keys of lanes that wait in a warp operation: their place in the code once all lanes that it names have come, else idle.
void key_waiting_lanes(WarpUnit& warp) {
    std::uint32_t arrived = 0;
    warp.operation_due = false;
    const std::uint32_t alive = warp.alive();
    for (int l = 0; l < warp.lanes; ++l)
        if (warp.threads[l].state == State::AtWarp && warp.cursor[l].next == warp.cursor[l].end) arrived |= 1u << l;
    each_lane(arrived, [&](int l) {
        const WarpRequest& request = warp.threads[l].request;
        bool complete = true;
        if (request.op != active_mask_op) {
            const std::uint32_t needed = request.mask & alive;
            complete = (needed & arrived) == needed && needed >> l & 1;
            each_lane(complete ? needed : 0u, [&](int other) {
                const WarpRequest& theirs = warp.threads[other].request;
                complete = complete && theirs.mask == request.mask && theirs.op == request.op;
            });
        }
        warp.key[l] = complete ? key_of(warp.cursor[l].depth, request.pc) : idle_key;
        warp.operation_due = warp.operation_due || complete;
    });
}

void advance(WarpUnit& warp, int lane, bool& arrivals) {
    Cursor& cursor = warp.cursor[lane];
    if (cursor.next < cursor.end) {
        warp.key[lane] = key_of(cursor.depth, cursor.next->pc);
        return;
    }
    const State state = warp.threads[lane].state;
    warp.key[lane] = state == State::Full || state == State::Spinning || state == State::Ready ? needs_trace_key : idle_key;
    arrivals = arrivals || state == State::AtWarp || state == State::Done;
}

// ---- one warp instruction ----

// The lanes at one program counter that do the same there: same event, width and kind of memory make one instruction.
struct Request {
    std::uint32_t mask = 0;
    int lanes = 0;
    unsigned bytes = 0;          // of one lane
    bool consecutive = true;     // lane after lane, without gaps
    bool one_array = true;
    Record record;               // of the first lane
    Address address[warp_lanes]; // of the active lanes, in order
};

// Two arrays make one request if they lie in the same kind of memory: a pointer may point to either.
bool same_kind(const Executor& executor, std::uint16_t a, std::uint16_t b) {
    return a == b || (a != no_region && b != no_region && executor.regions[a]->space == executor.regions[b]->space);
}

void gather(const Executor& executor, const WarpUnit& warp, std::uint32_t candidates, Request& request) {
    const Record first = request.record = *warp.cursor[__builtin_ctz(candidates)].next;
    request.bytes = first.bytes & bytes_mask;
    each_lane(candidates, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        if (record.event != first.event || record.bytes != first.bytes || !same_kind(executor, record.region, first.region)) return;
        request.mask |= 1u << l;
        request.one_array = request.one_array && record.region == first.region;
        request.consecutive = request.consecutive && record.address == first.address + static_cast<Address>(request.lanes) * request.bytes;
        request.address[request.lanes++] = record.address;
    });
}

std::uint64_t head(const Record& record) {   // all but its address
    std::uint64_t bits;
    std::memcpy(&bits, &record, sizeof bits);
    return bits;
}

// The same, for a warp all of whose lanes are at one place; false if they do not do the same there.
bool gather_all(const WarpUnit& warp, Request& request) {
    const Record first = request.record = *warp.cursor[0].next;
    request.bytes = first.bytes & bytes_mask;
    std::uint64_t different = 0, gaps = 0;
    for (int l = 0; l < warp_lanes; ++l) {
        const Record& record = *warp.cursor[l].next;
        different |= head(record) ^ head(first);
        gaps |= record.address ^ (first.address + static_cast<Address>(l) * request.bytes);
        request.address[l] = record.address;
    }
    request.consecutive = gaps == 0;
    return different == 0;
}

// Distinct 32-byte sectors over the whole warp.
unsigned count_sectors(const Request& request) {
    if (request.consecutive)
        return static_cast<unsigned>((request.address[request.lanes - 1] + request.bytes - 1) / 32 - request.address[0] / 32 + 1);
    Address sectors[warp_lanes];   // an aligned access of up to 16 bytes lies in one sector
    unsigned count = 0;
    for (int i = 0; i < request.lanes; ++i) {
        const Address sector = request.address[i] / 32;
        if (count && sectors[count - 1] == sector) continue;
        if (std::find(sectors, sectors + count, sector) == sectors + count) sectors[count++] = sector;
    }
    return count;
}

unsigned count_distinct(const Request& request, unsigned* most_at_one) {
    if (request.consecutive) {
        *most_at_one = 1;
        return static_cast<unsigned>(request.lanes);
    }
    Address sorted[warp_lanes];
    std::copy(request.address, request.address + request.lanes, sorted);
    std::sort(sorted, sorted + request.lanes);
    unsigned distinct = 0, run = 0;
    *most_at_one = 0;
    for (int i = 0; i < request.lanes; ++i) {
        run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        distinct += run == 1;
        *most_at_one = std::max(*most_at_one, run);
    }
    return distinct;
}

// Atomics of several lanes on one address take turns: a sector is sent as often as its most wanted address is asked for.
// Not documented; measured on an H200 for 32-bit atomics (benchmarks/fidelity).
unsigned count_atomic_sectors(const Request& request) {
    Address sorted[warp_lanes];
    std::copy(request.address, request.address + request.lanes, sorted);
    std::sort(sorted, sorted + request.lanes);
    unsigned total = 0, most = 0, run = 0;
    for (int i = 0; i < request.lanes; ++i) {
        const bool new_sector = i == 0 || sorted[i] / 32 != sorted[i - 1] / 32;
        if (new_sector) total += most, most = 0;
        run = !new_sector && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        most = std::max(most, run);
    }
    return total + most;
}

// Wide loads run in half as many phases if neighbouring lanes share their addresses: if each active lane T has the address
// of lane T^1 (or that lane is off), or each that of T^2. Not documented; measured on an H200 (benchmarks/fidelity).
bool lanes_share(const Request& request) {
    Address at[warp_lanes] = {};
    int i = 0;
    each_lane(request.mask, [&](int l) { at[l] = request.address[i++]; });
    const auto all_share = [&](int distance) {
        bool share = true;
        each_lane(request.mask, [&](int l) {
            const int other = l ^ distance;
            share = share && (!(request.mask >> other & 1) || at[l] == at[other]);
        });
        return share;
    };
    return all_share(1) || all_share(2);
}

// Shared memory has 32 banks of 4 bytes. A request runs in 1, 2 or 4 phases for 32-, 64- or 128-bit lanes (all lanes,
// halves, quarters of the warp); each phase takes as many wavefronts as the worst bank has different words.
unsigned count_wavefronts(const Request& request, bool loads, unsigned* phases) {
    int lanes_per_phase = request.bytes <= 4 ? 32 : request.bytes == 8 ? 16 : 8;
    if (loads && request.bytes > 4 && lanes_share(request)) lanes_per_phase *= 2;
    unsigned wavefronts = 0, i = 0;
    *phases = 0;
    std::uint32_t rest = request.mask;
    for (int first = 0; first < warp_lanes; first += lanes_per_phase) {
        const std::uint32_t in_phase = lanes_per_phase == 32 ? ~0u : ((1u << lanes_per_phase) - 1) << first;
        const int active = __builtin_popcount(rest & in_phase);
        if (!active) continue;
        ++*phases;
        Address words[32][32];
        unsigned char count[32] = {};
        unsigned worst = 1;
        for (int n = 0; n < active; ++n, ++i) {
            for (unsigned part = 0; part < request.bytes || part == 0; part += 4) {
                const Address word = (request.address[i] + part) / 4;
                const unsigned bank = word % 32;
                if (std::find(words[bank], words[bank] + count[bank], word) != words[bank] + count[bank]) continue;
                words[bank][count[bank]++] = word;
                worst = std::max<unsigned>(worst, count[bank]);
            }
        }
        wavefronts += worst;
    }
    return wavefronts;
}

Site& site_at(Executor& executor, std::uint32_t pc) {
    Module& module = machine().module;
    Site& site = executor.sites->sites[pc - module.text_begin];
    if (!site.listed) {
        site.listed = 1;
        site.pc = pc;
        executor.sites->listed.push_back(pc);
    }
    return site;
}

void mark(Lazy<std::uint8_t>& bits, Address offset, std::size_t bytes) {
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
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const Region& region = *executor.regions[record.region];
        mark(touched_bytes(all, region), record.address - region.begin, request.bytes);
    });
}

void count_global(Executor& executor, const WarpUnit& warp, Site& site, const Request& request) {
    const Event event = request.record.event;
    unsigned multiplicity;
    const unsigned distinct = count_distinct(request, &multiplicity);
    site.requests += 1;
    site.sectors += event == Event::Atomic ? count_atomic_sectors(request) : count_sectors(request);
    site.asked += static_cast<std::uint64_t>(request.lanes) * request.bytes;
    site.useful += static_cast<std::uint64_t>(distinct) * request.bytes;
    if (event == Event::Atomic) site.multiplicity = std::max<std::uint64_t>(site.multiplicity, multiplicity);
    else mark_touched(executor, warp, request, event == Event::Write || event == Event::VolatileWrite);
}

void count_shared(Site& site, const Request& request, Event event) {
    unsigned phases, multiplicity;
    site.requests += 1;
    site.asked += static_cast<std::uint64_t>(request.lanes) * request.bytes;
    site.wavefronts += count_wavefronts(request, event == Event::Read || event == Event::VolatileRead, &phases);
    site.ideal += phases;
    if (event != Event::Atomic) return;
    count_distinct(request, &multiplicity);
    site.multiplicity = std::max<std::uint64_t>(site.multiplicity, multiplicity);
}

bool initialised(const Region& region, Address a, unsigned bytes) {
    const std::uint8_t* valid = region.initialised + (a - region.begin);
    if (bytes == 4) {
        std::uint32_t word;
        std::memcpy(&word, valid, 4);
        return word == 0x01010101u;
    }
    for (unsigned i = 0; i < bytes; ++i)
        if (!valid[i]) return false;
    return true;
}

void report_uninitialised(Executor& executor, const WarpUnit& warp, int lane, const Region& region, Address a, unsigned bytes,
                          std::uint32_t pc, Event event) {
    for (Finding& known : executor.findings)
        if (known.pc == pc && known.kind == "uninitialized_read") {
            ++known.count;
            return;
        }
    Finding finding = finding_at(warp.threads[lane], "uninitialized_read", pc);
    finding.access = event == Event::Atomic ? "atomic" : "read";
    finding.address = a;
    finding.bytes = bytes;
    finding.array = region.name;
    finding.array_line = region.line;
    finding.array_bytes = region.bytes;
    finding.offset = static_cast<long long>(a - region.begin);
    finding.space = region.space == Space::Shared ? "shared" : "global";
    executor.findings.push_back(std::move(finding));
}

void watch_atomic(Executor& executor, WarpUnit& warp, int lane, const Record& record, Strength strength) {
    if (record.bytes & compare_swap_flag) warp.block->races.excuse(warp, lane, record.address, record.bytes & bytes_mask);
    warp.block->races.write(executor, warp, lane, record.region, record.address, record.bytes & bytes_mask, record.pc, strength, 0);
}

// Races and uninitialised reads, lane by lane.
void watch(Executor& executor, WarpUnit& warp, const Request& request) {
    const Event event = request.record.event;
    const bool reads = event == Event::Read || event == Event::VolatileRead || event == Event::Atomic;
    const bool writes = event != Event::Read && event != Event::VolatileRead;
    const bool atomic = event == Event::Atomic;
    const Strength strength = atomic ? (request.record.bytes & block_scope_flag ? Strength::BlockAtomic : Strength::DeviceAtomic)
                              : event == Event::VolatileRead || event == Event::VolatileWrite ? Strength::DeviceAtomic
                                                                                            : Strength::Plain;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        const Region& region = *executor.regions[record.region];
        if (!region.writable) return;   // nothing can race on an input: it is never written
        const Address a = record.address;
        if (region.initialised) {
            if (reads && !initialised(region, a, request.bytes)) report_uninitialised(executor, warp, l, region, a, request.bytes, record.pc, event);
            if (writes) std::memset(region.initialised + (a - region.begin), 1, request.bytes);
        }
        if (!writes) warp.block->races.read(executor, warp, l, record.region, a, request.bytes, record.pc, strength);
        else if (atomic) watch_atomic(executor, warp, l, record, strength);
        else warp.cursor[l].store_address = a | std::uint64_t{record.region} << 48;   // its value comes next
    });
}

void access(Executor& executor, WarpUnit& warp, const Request& request) {
    Region& region = *executor.regions[request.record.region];
    const Event event = request.record.event;
    Site& site = site_at(executor, request.record.pc);
    site.kind = static_cast<std::uint8_t>(1 + static_cast<int>(event));
    site.space = static_cast<std::uint8_t>(region.space);
    site.bytes = static_cast<std::uint8_t>(request.bytes);
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
    if (region.space == Space::Global) {
        count_global(executor, warp, site, request);
        warp.touched_global |= request.mask;
    } else if (region.space == Space::Shared) {
        count_shared(site, request, event);
    } else {
        site.requests += 1;
        site.asked += static_cast<std::uint64_t>(request.lanes) * request.bytes;
        each_lane(request.mask, [&](int l) { warp.cursor[l].store_address = 0; });
        return;
    }
    if (region.writable || !request.one_array) watch(executor, warp, request);
}

// A store has happened: now its value is known.
void value(Executor& executor, WarpUnit& warp, const Request& request) {
    const std::uint32_t pc = request.record.pc;
    const bool plain = site_at(executor, pc).kind == 1 + static_cast<int>(Event::Write);
    each_lane(request.mask, [&](int l) {
        const Cursor& cursor = warp.cursor[l];
        if (cursor.store_address == 0) return;
        warp.block->races.write(executor, warp, l, static_cast<std::uint16_t>(cursor.store_address >> 48),
                             cursor.store_address & ((std::uint64_t{1} << 48) - 1), request.bytes, pc,
                             plain ? Strength::Plain : Strength::DeviceAtomic, cursor.next->address);
    });
}

void copy_asynchronously(Executor& executor, WarpUnit& warp, const Request& request) {
    Races& races = warp.block->races;
    each_lane(request.mask, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        if (record.event == Event::Issued) races.issue(executor, warp, l, record.region, record.address, record.bytes);
        else races.land(executor, warp, l, record.region, record.address, record.bytes);
    });
}

void enter_block(Executor& executor, WarpUnit& warp, const Request& request) {
    const std::uint32_t mask = request.mask;
    Site& site = site_at(executor, request.record.pc);
    site.kind = 1;
    site.warps += 1;
    site.threads += static_cast<std::uint64_t>(request.lanes);
    // Did the block that these lanes came from send other lanes elsewhere? Not if this is the whole warp.
    const std::uint32_t number = warp.next_branch++;
    if (mask == ~0u) std::fill_n(warp.came_from, warp_lanes, number);
    std::uint32_t seen = ~0u;
    each_lane(mask == ~0u ? 0 : mask, [&](int l) {
        const std::uint32_t came_from = std::exchange(warp.came_from[l], number);
        if (came_from == seen) return;
        seen = came_from;
        Branch& branch = warp.branches[came_from % 64];
        if (branch.divergent || (branch.mask & ~mask) == 0) return;
        branch.divergent = true;
        if (branch.pc) site_at(executor, branch.pc).divergent += 1;
    });
    warp.branches[number % 64] = {mask, request.record.pc, false};
}

void step(Executor& executor, WarpUnit& warp, const Request& request) {
    if (warp.block->recorded) machine().recorder.request(executor, warp, request.mask);
    const auto number = [&](int l) { return static_cast<std::uint32_t>(warp.cursor[l].next->address); };
    switch (request.record.event) {
        case Event::Block: enter_block(executor, warp, request); break;
        case Event::Value: value(executor, warp, request); break;
        case Event::Call: each_lane(request.mask, [&](int l) { ++warp.cursor[l].depth; }); break;
        case Event::Return: each_lane(request.mask, [&](int l) { warp.cursor[l].depth -= warp.cursor[l].depth > 0; }); break;
        case Event::Clock: each_lane(request.mask, [&](int l) { warp.cursor[l].tick = number(l); }); break;
        case Event::Acquired: each_lane(request.mask, [&](int l) { warp.cursor[l].acquired = number(l); }); break;
        case Event::Issued:
        case Event::Landed: copy_asynchronously(executor, warp, request); break;
        default: access(executor, warp, request);
    }
}

// One instruction of some of the lanes at one place; which ones.
std::uint32_t step_some(Executor& executor, WarpUnit& warp, std::uint32_t candidates) {
    Request request;
    gather(executor, warp, candidates, request);
    step(executor, warp, request);
    each_lane(request.mask, [&](int l) { ++warp.cursor[l].next; });
    return request.mask;
}

// A whole warp is at one place, as it mostly is: while its lanes' traces agree, nobody need ask who is next. False if
// they do not agree at once.
bool step_together(Executor& executor, WarpUnit& warp) {
    std::ptrdiff_t most = lane_records;
    for (const Cursor& cursor : warp.cursor) most = std::min(most, cursor.end - cursor.next);
    Request request;
    request.mask = ~0u;
    request.lanes = warp_lanes;
    std::ptrdiff_t steps = 0;
    for (; steps < most && gather_all(warp, request); ++steps) {
        step(executor, warp, request);
        for (Cursor& cursor : warp.cursor) ++cursor.next;
    }
    return steps > 0;
}

// The lanes at the lowest key, which is put into *lowest.
std::uint32_t next_lanes(const WarpUnit& warp, std::int32_t* lowest) {
    std::int32_t different = 0;
    for (int l = 1; l < warp_lanes; ++l) different |= warp.key[l] ^ warp.key[0];
    *lowest = warp.key[0];
    if (different == 0) return ~0u;
    for (int l = 1; l < warp_lanes; ++l) *lowest = std::min(*lowest, warp.key[l]);
    std::uint32_t mask = 0;
    for (int l = 0; l < warp_lanes; ++l) mask |= static_cast<std::uint32_t>(warp.key[l] == *lowest) << l;
    return mask;
}

}  // namespace

std::uint32_t WarpUnit::alive() const {
    std::uint32_t mask = 0;
    for (int l = 0; l < lanes; ++l) mask |= static_cast<std::uint32_t>(threads[l].state != State::Done) << l;
    return mask;
}

void begin_replay(WarpUnit& warp) {
    for (int l = 0; l < warp_lanes; ++l) {
        warp.key[l] = idle_key;
        warp.cursor[l] = Cursor{};
        warp.came_from[l] = 0;
    }
    warp.branches[0] = {0, 0, true};
    warp.next_branch = 1;
    warp.touched_global = 0;
    warp.operation_due = false;
    warp.clock.reset();
}

void load_cursor(WarpUnit& warp, int lane) {
    Thread& thread = warp.threads[lane];
    Cursor& cursor = warp.cursor[lane];
    cursor.next = warp.block->records.data() + static_cast<std::size_t>(lane) * lane_stride;
    cursor.end = thread.next ? thread.next : cursor.next;
    bool arrivals = false;
    advance(warp, lane, arrivals);
}

void forget_trace(WarpUnit& warp, int lane) {
    warp.cursor[lane].next = warp.cursor[lane].end = nullptr;
    bool arrivals = false;
    advance(warp, lane, arrivals);
}

void set_aside(WarpUnit& warp, int lane) { warp.key[lane] = idle_key; }

Replay replay(WarpUnit& warp, Executor& executor, std::uint32_t* group) {
    key_waiting_lanes(warp);
    for (;;) {
        std::int32_t lowest;
        const std::uint32_t candidates = next_lanes(warp, &lowest);
        if (lowest == idle_key) return Replay::Idle;
        if (lowest == needs_trace_key) {
            *group = candidates;
            return Replay::NeedsTrace;
        }
        if (warp.operation_due) {
            std::uint32_t waiting = 0;   // lanes whose trace is used up stand in a warp operation
            each_lane(candidates, [&](int l) { waiting |= static_cast<std::uint32_t>(warp.cursor[l].next == warp.cursor[l].end) << l; });
            if (waiting) {
                const WarpRequest& request = warp.threads[__builtin_ctz(waiting)].request;
                *group = request.op == active_mask_op ? waiting : request.mask & warp.alive();
                return Replay::ResolveWarp;
            }
        }
        std::uint32_t moved = candidates;
        if (candidates != ~0u || warp.operation_due || !step_together(executor, warp)) moved = step_some(executor, warp, candidates);
        bool arrivals = false;
        each_lane(moved, [&](int l) { advance(warp, l, arrivals); });
        if (arrivals) key_waiting_lanes(warp);
    }
}

}  // namespace ladder
