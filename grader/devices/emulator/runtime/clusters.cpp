#include "clusters.h"

#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ladder {

std::vector<std::uint64_t> Clusters::blocks_of(std::uint64_t cluster) const {
    const Index first = index_of(cluster, along());
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t rank = 0; rank < blocks(); ++rank) {
        const Index within = index_of(rank, size);
        numbers.push_back(number_of({first.x * size.x + within.x, first.y * size.y + within.y, first.z * size.z + within.z}, grid));
    }
    return numbers;
}

static void copy_array(const Region& from, const Region& to) {
    std::memcpy(reinterpret_cast<void*>(to.begin), reinterpret_cast<const void*>(from.begin), from.bytes);
    std::memcpy(to.initialised, from.initialised, from.bytes);
}

void ClusterMemory::begin_launch(const Clusters& clusters, std::vector<Region*> arrays, const Own& own) {
    constexpr std::size_t alignment = 1024, gap = 64;   // what an index that leaves its array meets
    *this = {};
    clusters_ = &clusters;
    arrays_ = std::move(arrays);
    std::size_t of_block = 0;
    for (const Region* array : arrays_) of_block += round_up(array->bytes + gap, alignment);
    memory_.resize(clusters.blocks() * of_block + alignment);
    flags_.resize(memory_.size());
    const std::size_t first = round_up(reinterpret_cast<Address>(memory_.data()), alignment) - reinterpret_cast<Address>(memory_.data());
    const std::size_t first_flag = round_up(reinterpret_cast<Address>(flags_.data()), 16) - reinterpret_cast<Address>(flags_.data());
    std::size_t at = 0;
    for (std::uint64_t rank = 0; rank < clusters.blocks(); ++rank)
        for (const Region* array : arrays_) {
            Region& region = own(reinterpret_cast<Address>(memory_.data() + first + at), array->bytes, Space::Shared, array->name);
            region.initialised = flags_.data() + first_flag + at;
            region.place_in_cluster = static_cast<int>(places_.size());
            places_.push_back(&region);
            at += round_up(array->bytes + gap, alignment);
        }
}

void ClusterMemory::put_away() {
    if (cluster_ == none || finished_[cluster_] == clusters_->blocks()) return;
    std::vector<char>& kept = away_[cluster_];
    for (const Region* place : places_) {
        const auto bytes = reinterpret_cast<const char*>(place->begin), flags = reinterpret_cast<const char*>(place->initialised);
        kept.insert(kept.end(), bytes, bytes + place->bytes);
        kept.insert(kept.end(), flags, flags + place->bytes);
    }
}

void ClusterMemory::keep(const Block& block) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) copy_array(*arrays_[i], *places_[rank_ * arrays_.size() + i]);
    finished_[cluster_] += block.finished;
}

void ClusterMemory::bring(const Block& block) {
    if (const std::uint64_t cluster = clusters_->of(block.index); cluster != cluster_) {
        put_away();
        cluster_ = cluster;
        const std::vector<char> kept = std::move(away_[cluster]);
        away_.erase(cluster);
        const char* from = kept.data();
        for (const Region* place : places_) {
            if (kept.empty()) {
                clear_shared(*place);
                continue;
            }
            std::memcpy(reinterpret_cast<void*>(place->begin), from, place->bytes);
            std::memcpy(place->initialised, from + place->bytes, place->bytes);
            from += 2 * place->bytes;
        }
    }
    rank_ = clusters_->rank(block.index);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const std::size_t its = rank_ * arrays_.size() + i;
        copy_array(*places_[its], *arrays_[i]);
        arrays_[i]->place_in_cluster = static_cast<int>(its);
    }
}

std::size_t ClusterMemory::find(Address a) const {
    const auto holds = [&](const Region* region) { return a - region->begin <= region->bytes; };
    for (const auto* regions : {&arrays_, &places_})
        if (const auto found = std::find_if(regions->begin(), regions->end(), holds); found != regions->end()) return static_cast<std::size_t>((*found)->place_in_cluster);
    return none;
}

void* ClusterMemory::map(Address a, unsigned rank) const {
    const std::size_t place = find(a);
    if (place == none) return nullptr;
    const std::size_t array = place % arrays_.size();
    const bool is_own = a - arrays_[array]->begin <= arrays_[array]->bytes;
    const Address offset = a - (is_own ? arrays_[array] : places_[place])->begin;
    return reinterpret_cast<void*>((rank == rank_ ? arrays_[array] : places_[rank * arrays_.size() + array])->begin + offset);
}

int ClusterMemory::rank_of(Address a) const {
    const std::size_t place = find(a);
    return place == none ? -1 : static_cast<int>(owner(place));
}

Address ClusterMemory::home(Address a) const {
    const std::size_t place = find(a);
    if (place == none) return a;
    const Region& own = *arrays_[place % arrays_.size()];
    return a - own.begin <= own.bytes ? places_[place]->begin + (a - own.begin) : a;
}

}  // namespace ladder
