// Sets of releases that threads have acquired, by number; 0 is the empty one. A set that is known keeps its number.
//
// Each is a tree over the bits of the objects' numbers whose equal parts exist once (a Patricia trie: Okasaki and Gill, "Fast
// Mergeable Integer Maps", 1998). So where each of thousands of blocks hands on what those before it have handed on, the sets
// share nearly all of their memory.
#pragma once

#include <cstdint>
#include <vector>

namespace ladder {

class ReleaseSets {
public:
    struct Part {                                   // the first `count` releases of an object, and the number of the last one
        std::uint32_t object, count, last;
    };

    ReleaseSets() { clear(); }
    void clear();
    std::uint32_t size(std::uint32_t set) const { return nodes_[set].size; }   // in parts
    std::uint32_t count(std::uint32_t set, std::uint32_t object) const;        // 0 if the set has none of its releases
    std::uint32_t one(Part part);
    std::uint32_t join(std::uint32_t a, std::uint32_t b);
    std::uint32_t minus(std::uint32_t a, std::uint32_t b);                     // without the parts of which b has as much
    std::uint32_t without(std::uint32_t set, std::uint32_t object);

    // Whether this holds for any part of a set, in the order of their objects.
    template <typename Predicate>
    bool any(std::uint32_t set, const Predicate& holds) const {
        if (set == 0) return false;
        const Node& node = nodes_[set];
        if (node.bit == 0) return holds(Part{node.object, node.left, node.right});
        return any(node.left, holds) || any(node.right, holds);
    }

private:
    // bit 0: one part, whose count and last are left and right. Else the sets without and with this bit, of the objects whose
    // higher bits are those of `object`.
    struct Node {
        std::uint32_t object, bit, left, right, size;
        bool is_of(std::uint32_t other) const { return ((object ^ other) & ~(2 * bit - 1)) == 0; }
        bool operator==(const Node&) const = default;
    };
    static constexpr std::size_t fewest_slots = 64;
    std::uint32_t branch(const Node& like, std::uint32_t left, std::uint32_t right);
    std::uint32_t apart(std::uint32_t a, std::uint32_t b);
    std::uint32_t number_of(const Node& node);
    std::uint32_t& slot_of(const Node& node);

    std::vector<Node> nodes_;
    std::vector<std::vector<std::uint32_t>> ones_;  // sets of one part, by object and count - 1: each atomic asks for the next
    std::vector<std::uint32_t> numbers_;            // of all others, a hash table; 0: free
    std::size_t branches_ = 0;                      // in it
};

}  // namespace ladder
