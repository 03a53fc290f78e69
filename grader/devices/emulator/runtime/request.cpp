#include "request.h"

#include <algorithm>
#include <cstring>

namespace ladder {

namespace {

// Two arrays make one request if they lie in the same kind of memory: a pointer may point to either.
bool same_kind(const Executor& executor, std::uint16_t a, std::uint16_t b) {
    return a == b || (a != no_region && b != no_region && executor.regions[a]->space == executor.regions[b]->space);
}

std::uint64_t head(const Record& record) {   // all but its address
    std::uint64_t bits;
    std::memcpy(&bits, &record, sizeof bits);
    return bits;
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

}  // namespace

void gather(const Executor& executor, const WarpUnit& warp, std::uint32_t candidates, Request& request) {
    const Record first = request.record = *warp.cursor[__builtin_ctz(candidates)].next;
    request.bytes = first.bytes & bytes_mask;
    request.uniform = true;
    each_lane(candidates, [&](int l) {
        const Record& record = *warp.cursor[l].next;
        if (record.event != first.event || record.bytes != first.bytes) return;
        if (first.event != Event::PartRead && !same_kind(executor, record.region, first.region)) return;
        request.mask |= 1u << l;
        request.one_array = request.one_array && record.region == first.region;
        request.consecutive = request.consecutive && record.address == first.address + static_cast<Address>(request.lanes) * request.bytes;
        request.uniform = request.uniform && record.address == first.address;
        request.address[request.lanes++] = record.address;
    });
}

void gather_all(const WarpUnit& warp, Request& request) {
    const Record first = request.record = *warp.cursor[0].next;
    request.bytes = first.bytes & bytes_mask;
    std::uint64_t gaps = 0, different = 0;
    for (int l = 0; l < warp_lanes; ++l) {
        const Address a = request.address[l] = warp.cursor[l].next->address;
        different |= a ^ first.address;
        gaps |= a ^ (first.address + static_cast<Address>(l) * request.bytes);
    }
    request.consecutive = gaps == 0;
    request.uniform = different == 0;
}

int count_agreed(const WarpUnit& warp, std::ptrdiff_t skipped, int most) {
    const Record* const first = warp.cursor[0].next + skipped;
    for (int i = 0; i < most; i += records_at_once) {
        std::uint64_t different[records_at_once] = {};
        for (int l = 1; l < warp_lanes; ++l) {
            const Record* const own = warp.cursor[l].next + skipped;
#pragma GCC unroll 4
            for (int j = 0; j < records_at_once; ++j) different[j] |= head(own[i + j]) ^ head(first[i + j]);
        }
        for (int j = 0; j < records_at_once; ++j)
            if (different[j]) return std::min(i + j, most);
    }
    return most;
}

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
    if (request.uniform) {
        *most_at_one = static_cast<unsigned>(request.lanes);
        return 1;
    }
    Address sorted[warp_lanes];
    std::copy(request.address, request.address + request.lanes, sorted);
    if (!std::is_sorted(sorted, sorted + request.lanes)) std::sort(sorted, sorted + request.lanes);
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

// To their width, 8 or 16 bytes.
static bool is_aligned(const Request& request) {
    Address low = 0;
    for (int i = 0; i < request.lanes; ++i) low |= request.address[i];
    return (request.bytes == 8 || request.bytes == 16) && low % request.bytes == 0;
}

// Shared memory has 32 banks of 4 bytes. A request runs in 1, 2 or 4 phases for 32-, 64- or 128-bit lanes (all lanes,
// halves, quarters of the warp); each phase takes as many wavefronts as the worst bank has different words.
unsigned count_wavefronts(const Request& request, bool loads, unsigned* phases) {
    int lanes_per_phase = request.bytes <= 4 ? 32 : request.bytes == 8 ? 16 : 8;
    if (request.consecutive && request.lanes == warp_lanes) return *phases = warp_lanes / static_cast<unsigned>(lanes_per_phase);
    const bool rows = is_of_matrix(request.record);   // of ldmatrix: eight lanes at a time, whatever they share
    if (loads && request.bytes > 4 && !rows && (request.uniform || lanes_share(request))) lanes_per_phase *= 2;
    // Where all lanes are aligned, the words of each lie in banks of their own side by side: they count as one.
    const unsigned width = request.bytes > 4 && is_aligned(request) ? request.bytes : 4, banks = 128 / width;
    unsigned wavefronts = 0, i = 0;
    *phases = 0;
    std::uint32_t rest = request.mask;
    for (int first = 0; first < warp_lanes; first += lanes_per_phase) {
        const std::uint32_t in_phase = lanes_per_phase == 32 ? ~0u : ((1u << lanes_per_phase) - 1) << first;
        const int active = __builtin_popcount(rest & in_phase);
        if (!active) continue;
        ++*phases;
        if (request.uniform) {   // its words lie in different banks
            ++wavefronts;
            continue;
        }
        Address words[32][32];
        unsigned char count[32] = {};
        unsigned worst = 1;
        for (int n = 0; n < active; ++n, ++i) {
            for (unsigned part = 0; part < request.bytes || part == 0; part += width) {
                const Address word = (request.address[i] + part) / width;
                const unsigned bank = word % banks;
                if (std::find(words[bank], words[bank] + count[bank], word) != words[bank] + count[bank]) continue;
                words[bank][count[bank]++] = word;
                worst = std::max<unsigned>(worst, count[bank]);
            }
        }
        wavefronts += worst;
    }
    return wavefronts;
}

}  // namespace ladder
