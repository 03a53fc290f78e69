#include "release_sets.h"

#include <bit>
#include <utility>

namespace ladder {

void ReleaseSets::clear() {
    nodes_.assign(1, {});
    ones_.clear();
    numbers_.assign(fewest_slots, 0);
    branches_ = 0;
}

std::uint32_t& ReleaseSets::slot_of(const Node& node) {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : {node.object ^ node.bit, node.left, node.right}) {
        hash = (hash ^ part) * 0xff51afd7ed558ccdu;   // of MurmurHash3's mixer
        hash ^= hash >> 32;
    }
    const std::size_t mask = numbers_.size() - 1;
    while (numbers_[hash & mask] && nodes_[numbers_[hash & mask]] != node) ++hash;
    return numbers_[hash & mask];
}

std::uint32_t ReleaseSets::number_of(const Node& node) {
    std::uint32_t& slot = slot_of(node);
    if (slot) return slot;
    const auto made = slot = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    if (2 * ++branches_ > numbers_.size()) {
        numbers_.assign(4 * numbers_.size(), 0);
        for (std::uint32_t each = 1; each < nodes_.size(); ++each)
            if (nodes_[each].bit) slot_of(nodes_[each]) = each;
    }
    return made;
}

std::uint32_t ReleaseSets::one(Part part) {
    if (ones_.size() <= part.object) ones_.resize(part.object + 1);
    std::vector<std::uint32_t>& of_object = ones_[part.object];
    if (of_object.size() < part.count) of_object.resize(part.count);
    std::uint32_t& number = of_object[part.count - 1];
    if (number) return number;
    number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({part.object, 0, part.count, part.last, 1});
    return number;
}

std::uint32_t ReleaseSets::branch(const Node& like, std::uint32_t left, std::uint32_t right) {
    if (left == 0 || right == 0) return left + right;
    return number_of({like.object & ~(2 * like.bit - 1), like.bit, left, right, nodes_[left].size + nodes_[right].size});
}

// Of two sets whose objects differ in a higher bit than those within each do.
std::uint32_t ReleaseSets::apart(std::uint32_t a, std::uint32_t b) {
    Node node = nodes_[a];
    node.bit = std::bit_floor(node.object ^ nodes_[b].object);
    return node.object & node.bit ? branch(node, b, a) : branch(node, a, b);
}

std::uint32_t ReleaseSets::count(std::uint32_t set, std::uint32_t object) const {
    while (nodes_[set].bit) set = object & nodes_[set].bit ? nodes_[set].right : nodes_[set].left;
    return nodes_[set].object == object ? nodes_[set].left : 0;
}

std::uint32_t ReleaseSets::join(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (nodes_[a].bit < nodes_[b].bit) std::swap(a, b);
    const Node one = nodes_[a], other = nodes_[b];
    if (one.bit == 0 && one.object == other.object) return one.left < other.left ? b : a;
    if (one.bit == 0 || !one.is_of(other.object)) return apart(a, b);
    if (one.bit == other.bit) return branch(one, join(one.left, other.left), join(one.right, other.right));
    if (other.object & one.bit) return branch(one, one.left, join(one.right, b));
    return branch(one, join(one.left, b), one.right);
}

std::uint32_t ReleaseSets::minus(std::uint32_t a, std::uint32_t b) {
    if (a == b || a == 0) return 0;
    if (b == 0) return a;
    const Node one = nodes_[a], other = nodes_[b];
    if (one.bit == 0) return count(b, one.object) >= one.left ? 0 : a;
    if (other.bit > one.bit) return other.is_of(one.object) ? minus(a, one.object & other.bit ? other.right : other.left) : a;
    if (!one.is_of(other.object)) return a;
    if (one.bit == other.bit) return branch(one, minus(one.left, other.left), minus(one.right, other.right));
    if (other.object & one.bit) return branch(one, one.left, minus(one.right, b));
    return branch(one, minus(one.left, b), one.right);
}

std::uint32_t ReleaseSets::without(std::uint32_t set, std::uint32_t object) {
    if (count(set, object) == 0) return set;
    const Node node = nodes_[set];
    if (node.bit == 0) return 0;
    if (object & node.bit) return branch(node, node.left, without(node.right, object));
    return branch(node, without(node.left, object), node.right);
}

}  // namespace ladder
