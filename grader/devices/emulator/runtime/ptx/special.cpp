// Special registers (PTX ISA, "Special Registers").
#include "special.h"

#include <algorithm>
#include <iterator>

#include "lane.h"

namespace ladder::ptx {

namespace {

using Value = std::uint64_t (*)(const Lane&);

std::uint32_t below(const Lane& lane) { return (1u << lane.thread.lane) - 1; }
const Block& block(const Lane& lane) { return *lane.thread.block; }
const Index& threads(const Lane& lane) { return block(lane).launch->block; }
std::uint64_t warps(const Lane& lane) { return block(lane).warps.size(); }
const Clusters& clusters(const Lane& lane) { return block(lane).launch->clusters; }
Index cluster(const Lane& lane) { return clusters(lane).place_of(block(lane).index); }
Index in_cluster(const Lane& lane) { return clusters(lane).within(block(lane).index); }

std::uint64_t clock(const Lane& lane) { return clock_of(lane.thread); }
std::uint64_t time_of_day(const Lane& lane) { return 1'764'000'000'000'000'000 + clock(lane); }   // nanoseconds since 1970

// On another GPU (second_calls.py) the first blocks run where the emulated one has no multiprocessor.
std::uint64_t multiprocessor(const Lane& l) {
    const auto count = static_cast<std::uint64_t>(ladder_multiprocessors()), turn = block(l).number % count;
    return count <= multiprocessors ? turn : count - 1 - turn;
}

struct NamedValue { std::string_view name; unsigned bits; Value value; };
constexpr NamedValue registers[] = {
    {"tid.x", 32, [](const Lane& l) { return std::uint64_t{l.thread.index.x}; }},
    {"tid.y", 32, [](const Lane& l) { return std::uint64_t{l.thread.index.y}; }},
    {"tid.z", 32, [](const Lane& l) { return std::uint64_t{l.thread.index.z}; }},
    {"ntid.x", 32, [](const Lane& l) { return std::uint64_t{threads(l).x}; }},
    {"ntid.y", 32, [](const Lane& l) { return std::uint64_t{threads(l).y}; }},
    {"ntid.z", 32, [](const Lane& l) { return std::uint64_t{threads(l).z}; }},
    {"ctaid.x", 32, [](const Lane& l) { return std::uint64_t{block(l).index.x}; }},
    {"ctaid.y", 32, [](const Lane& l) { return std::uint64_t{block(l).index.y}; }},
    {"ctaid.z", 32, [](const Lane& l) { return std::uint64_t{block(l).index.z}; }},
    {"nctaid.x", 32, [](const Lane& l) { return std::uint64_t{block(l).launch->grid.x}; }},
    {"nctaid.y", 32, [](const Lane& l) { return std::uint64_t{block(l).launch->grid.y}; }},
    {"nctaid.z", 32, [](const Lane& l) { return std::uint64_t{block(l).launch->grid.z}; }},
    {"laneid", 32, [](const Lane& l) { return std::uint64_t{l.thread.lane}; }},
    {"warpid", 32, [](const Lane& l) { return std::uint64_t{l.thread.warp->number}; }},
    {"nwarpid", 32, [](const Lane& l) { return warps(l); }},
    {"smid", 32, multiprocessor},
    {"nsmid", 32, [](const Lane&) { return static_cast<std::uint64_t>(ladder_multiprocessors()); }},
    {"gridid", 64, [](const Lane&) { return machine().grids_before + machine().launches.size(); }},
    {"lanemask_eq", 32, [](const Lane& l) { return std::uint64_t{below(l) + 1}; }},
    {"lanemask_lt", 32, [](const Lane& l) { return std::uint64_t{below(l)}; }},
    {"lanemask_le", 32, [](const Lane& l) { return std::uint64_t{below(l) << 1 | 1}; }},
    {"lanemask_gt", 32, [](const Lane& l) { return std::uint64_t{~(below(l) << 1 | 1)}; }},
    {"lanemask_ge", 32, [](const Lane& l) { return std::uint64_t{~below(l)}; }},
    {"clock", 32, [](const Lane& l) { return clock(l) & 0xffffffffu; }},
    {"clock_hi", 32, [](const Lane& l) { return clock(l) >> 32; }},
    {"clock64", 64, clock},
    {"globaltimer", 64, time_of_day},
    {"globaltimer_lo", 32, [](const Lane& l) { return time_of_day(l) & 0xffffffffu; }},
    {"globaltimer_hi", 32, [](const Lane& l) { return time_of_day(l) >> 32; }},
    {"dynamic_smem_size", 32, [](const Lane& l) { return static_cast<std::uint64_t>(block(l).launch->launch->shared_bytes); }},
    {"cluster_ctarank", 32, [](const Lane& l) { return std::uint64_t{clusters(l).rank(block(l).index)}; }},
    {"cluster_nctarank", 32, [](const Lane& l) { return clusters(l).blocks(); }},
    {"cluster_ctaid.x", 32, [](const Lane& l) { return std::uint64_t{in_cluster(l).x}; }},
    {"cluster_ctaid.y", 32, [](const Lane& l) { return std::uint64_t{in_cluster(l).y}; }},
    {"cluster_ctaid.z", 32, [](const Lane& l) { return std::uint64_t{in_cluster(l).z}; }},
    {"cluster_nctaid.x", 32, [](const Lane& l) { return std::uint64_t{clusters(l).size.x}; }},
    {"cluster_nctaid.y", 32, [](const Lane& l) { return std::uint64_t{clusters(l).size.y}; }},
    {"cluster_nctaid.z", 32, [](const Lane& l) { return std::uint64_t{clusters(l).size.z}; }},
    {"clusterid.x", 32, [](const Lane& l) { return std::uint64_t{cluster(l).x}; }},
    {"clusterid.y", 32, [](const Lane& l) { return std::uint64_t{cluster(l).y}; }},
    {"clusterid.z", 32, [](const Lane& l) { return std::uint64_t{cluster(l).z}; }},
    {"nclusterid.x", 32, [](const Lane& l) { return std::uint64_t{clusters(l).along().x}; }},
    {"nclusterid.y", 32, [](const Lane& l) { return std::uint64_t{clusters(l).along().y}; }},
    {"nclusterid.z", 32, [](const Lane& l) { return std::uint64_t{clusters(l).along().z}; }},
    {"is_explicit_cluster", 1, [](const Lane& l) { return std::uint64_t{clusters(l).named}; }},
};

}  // namespace

bool special_named(std::string_view name, Operand* operand) {
    const auto found = std::find_if(std::begin(registers), std::end(registers), [&](const NamedValue& each) { return each.name == name; });
    if (found == std::end(registers)) return false;
    operand->value = found - std::begin(registers);
    operand->type = found->bits == 1 ? Type{Kind::Predicate, 1, 1} : Type{Kind::Bits, static_cast<std::uint8_t>(found->bits), 1};
    return true;
}

bool is_clock(const Operand& operand) {
    if (operand.form != Operand::Form::Special) return false;
    const std::string_view name = registers[operand.value].name;
    return name.starts_with("clock") || name.starts_with("globaltimer");
}

std::uint64_t Lane::special(const Operand& operand) const {
    return operand.form == Operand::Form::Special ? registers[operand.value].value(*this) : 0;
}

}  // namespace ladder::ptx
