// What asynchronous copies bring into a block's shared memory, and how much of it is read: copies for the look of it, which
// nobody reads, hide no waiting.
#pragma once

#include <cstdint>
#include <vector>

namespace ladder {

class CopiedWords {
public:
    // Of a region, by its number in the executor: so many bytes from this offset on.
    void bring(std::uint16_t region, std::uint64_t offset, unsigned bytes);
    void read(std::uint16_t region, std::uint64_t offset, unsigned bytes);
    bool any() const { return brought_ > 0; }
    bool are_mostly_read() const { return 2 * read_ >= brought_; }
    void clear();

private:
    std::vector<std::vector<bool>> unread_;   // by region and word
    std::uint64_t brought_ = 0, read_ = 0;    // words
};

}  // namespace ladder
