#include "multiprocessor.h"

#include <algorithm>
#include <memory>

#include "machine.h"

namespace ladder {

namespace {

constexpr int requests_a_turn = 4;   // of a warp: nvcc begins the loads of four rounds of a loop together
constexpr std::size_t carveouts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};   // KB of shared memory

// The array that a line lies in. Neighbours in time mostly lie in the same one.
class Regions {
public:
    const Region* of(std::uint64_t line) {
        const Address a = line * 128;
        if (last_ && a + 127 >= last_->begin && a < last_->begin + last_->bytes) return last_;
        for (const auto& region : machine().memory.regions())
            if (a + 127 >= region->begin && a < region->begin + region->bytes) return last_ = region.get();
        return nullptr;
    }

private:
    const Region* last_ = nullptr;
};

// Which sectors of all arrays have been touched.
class Touched {
public:
    unsigned mark(const Region& region, std::uint64_t line, unsigned sectors) {   // how many of them for the first time
        auto& bits = bits_[region.id];
        if (!bits) bits = std::make_unique<Lazy<std::uint8_t>>(region.bytes / 128 + 3);
        std::uint8_t& known = (*bits)[line - region.begin / 128];
        const unsigned fresh = sectors & ~known;
        known |= static_cast<std::uint8_t>(sectors);
        return static_cast<unsigned>(__builtin_popcount(fresh));
    }

private:
    std::map<int, std::unique_ptr<Lazy<std::uint8_t>>> bits_;
};

// A block on the multiprocessor: where each of its warps stands.
struct Held {
    const BlockSample* block;
    std::vector<std::size_t> next;
    std::vector<bool> waits;

    explicit Held(const BlockSample& sample) : block(&sample), next(sample.warps.size()), waits(sample.warps.size()) {}
    bool ended(std::size_t w) const { return next[w] == block->warps[w].asked_beside_others(); }

    // The lines of the warp's next request are handed to `take`. False if it has none before a barrier.
    template <class F> bool step(std::size_t w, F take) {
        if (waits[w] || ended(w)) return false;
        const auto& asked = block->warps[w].asked;
        if (asked[next[w]].kind == Asked::Barrier) {
            waits[w] = true;
            return false;
        }
        do take(asked[next[w]++]);
        while (!ended(w) && !asked[next[w]].first);
        return true;
    }
    // All that are left have come to the barrier: they go on. False if the block is over.
    bool pass_barrier() {
        bool any = false;
        for (std::size_t w = 0; w < next.size(); ++w) {
            if (waits[w]) ++next[w];
            waits[w] = false;
            any = any || !ended(w);
        }
        return any;
    }
};

const BlockSample* find(const LaunchSample& launch, std::uint64_t number) {
    for (const BlockSample& block : launch.ran)
        if (block.number == number) return &block;
    return nullptr;
}

template <class F> void each_line(const BlockSample& block, F f) {
    Regions regions;
    for (const WarpSample& warp : block.warps)
        for (const Asked& asked : warp.asked)
            if (asked.kind != Asked::Barrier)
                if (const Region* region = regions.of(asked.line)) f(*region, asked);
}

// Of loads, or of all else that a block asks for, the different sectors. Where one warp has gone on for all, the others
// would have touched as many more as while they ran: all of their own, or none where all read the same.
void count_different(const BlockSample& block, Traffic& traffic, bool loads, std::uint64_t RegionTraffic::* sum) {
    Regions regions;
    Touched by_any, by_one;
    std::map<int, std::pair<double, double>> beside;   // different sectors of all warps, and of the one, while all ran
    const auto each = [&](const WarpSample& warp, std::size_t begin, std::size_t end, auto f) {
        for (std::size_t i = begin; i < end; ++i)
            if (const Asked& asked = warp.asked[i]; asked.kind != Asked::Barrier && (asked.kind == Asked::Load) == loads)
                if (const Region* region = regions.of(asked.line)) f(*region, asked);
    };
    const auto lines = [&](int id) -> Lines& { return loads ? traffic.regions[id].loads : traffic.regions[id].stores; };
    for (const WarpSample& warp : block.warps)
        each(warp, 0, warp.asked_beside_others(), [&](const Region& region, const Asked& asked) {
            const unsigned fresh = by_any.mark(region, asked.line, asked.sectors);
            lines(region.id).include(asked.line);
            traffic.regions[region.id].*sum += fresh;
            beside[region.id].first += fresh;
        });
    for (const auto& [id, different] : beside) ++lines(id).blocks;
    if (!block.thinned) return;
    const WarpSample& kept = block.warps[block.thinned->kept];
    each(kept, 0, kept.asked_beside_others(), [&](const Region& region, const Asked& asked) { beside[region.id].second += by_one.mark(region, asked.line, asked.sectors); });
    std::map<int, std::uint64_t> later;
    each(kept, kept.asked_beside_others(), kept.asked.size(), [&](const Region& region, const Asked& asked) { later[region.id] += by_any.mark(region, asked.line, asked.sectors); });
    for (const auto& [id, fresh] : later) {
        const auto [all, own] = beside[id];
        traffic.regions[id].*sum += static_cast<std::uint64_t>(static_cast<double>(fresh) * (own > 0 ? all / own : static_cast<double>(block.thinned->warps)));
    }
}

void count_neighbours(const LaunchSample& launch, const Choice& choice, Traffic& traffic) {
    Touched by_any;
    for (const std::uint64_t number : choice.neighbours) {
        const BlockSample* const block = find(launch, number);
        if (!block) continue;
        ++traffic.neighbours;
        Touched by_this;
        each_line(*block, [&](const Region& region, const Asked& asked) {
            RegionTraffic& of = traffic.regions[region.id];
            of.alone += by_this.mark(region, asked.line, asked.sectors);
            of.together += by_any.mark(region, asked.line, asked.sectors);
        });
    }
}

}  // namespace

Level1::Level1(std::size_t bytes) : ways_(std::max<std::size_t>(bytes / 128 / ways, 1) * ways), sets_(ways_.size() / ways) {}

unsigned Level1::load(std::uint64_t line, unsigned sectors) {
    Way* const set = &ways_[(line * 0x9e3779b97f4a7c15u >> 32) % sets_ * ways];   // hashed, so that no stride fills one set
    Way* oldest = set;
    ++clock_;
    for (Way* way = set; way != set + ways; ++way) {
        if (way->line == line) {
            const unsigned missing = sectors & ~way->sectors;
            way->sectors |= sectors;
            way->used = clock_;
            return missing;
        }
        if (way->used < oldest->used) oldest = way;
    }
    *oldest = {line, clock_, sectors};
    return sectors;
}

std::size_t level1_bytes(std::size_t both, std::size_t shared_of_all_blocks) {
    for (const std::size_t kilobytes : carveouts)
        if (kilobytes * 1024 >= shared_of_all_blocks) return both - kilobytes * 1024;
    return both - carveouts[std::size(carveouts) - 1] * 1024;
}

Traffic share_caches(const LaunchSample& launch, const Choice& choice, std::size_t resident, std::size_t l1_bytes) {
    Traffic traffic;
    traffic.resident = resident;
    std::vector<const BlockSample*> waiting;
    for (const std::uint64_t number : choice.held)
        if (const BlockSample* block = find(launch, number)) waiting.push_back(block);
    traffic.held = waiting.size();
    const std::size_t at_once = std::min(resident, waiting.size());
    // Where fewer blocks were run than the multiprocessor holds, they get their share of it.
    traffic.l1_bytes = l1_bytes * std::max<std::size_t>(at_once, 1) / std::max<std::size_t>(std::min(resident, static_cast<std::size_t>(launch.blocks)), 1);
    Level1 cache(std::min(traffic.l1_bytes, l1_bytes));
    Regions regions;
    const auto take = [&](const Asked& asked) {
        if (asked.kind != Asked::Load) return;
        const unsigned missing = cache.load(asked.line, asked.sectors);
        const Region* const region = regions.of(asked.line);
        if (!region) return;
        RegionTraffic& of = traffic.regions[region->id];
        of.asked += static_cast<unsigned>(__builtin_popcount(asked.sectors));
        of.missed += static_cast<unsigned>(__builtin_popcount(missing));
    };
    std::reverse(waiting.begin(), waiting.end());
    std::vector<Held> held;
    while (!held.empty() || !waiting.empty()) {
        while (held.size() < at_once && !waiting.empty()) {
            held.emplace_back(*waiting.back());
            waiting.pop_back();
        }
        for (std::size_t h = 0; h < held.size();) {
            bool moved = false;
            for (std::size_t w = 0; w < held[h].next.size(); ++w)
                for (int i = 0; i < requests_a_turn && held[h].step(w, take); ++i) moved = true;
            if (!moved && !held[h].pass_barrier()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(h));
            else ++h;
        }
    }
    const auto different = [&] {
        std::uint64_t sum = 0;
        for (const auto& [_, of] : traffic.regions) sum += of.loaded + of.stored;
        return sum;
    };
    for (const BlockSample& block : launch.ran) {
        const std::uint64_t before = different();
        count_different(block, traffic, true, &RegionTraffic::loaded);
        count_different(block, traffic, false, &RegionTraffic::stored);
        if (std::find(choice.scattered.begin(), choice.scattered.end(), block.number) == choice.scattered.end()) continue;
        ++traffic.scattered;
        traffic.by_scattered += different() - before;
    }
    count_neighbours(launch, choice, traffic);
    return traffic;
}

}  // namespace ladder
