#include "copied_words.h"

#include <algorithm>

namespace ladder {

void CopiedWords::bring(std::uint16_t region, std::uint64_t offset, unsigned bytes) {
    if (unread_.size() <= region) unread_.resize(region + std::size_t{1});
    std::vector<bool>& words = unread_[region];
    const std::uint64_t end = (offset + bytes + 3) / 4;
    if (words.size() < end) words.resize(std::max<std::size_t>(end, 2 * words.size()));
    for (std::uint64_t word = offset / 4; word < end; ++word) words[word] = true;
    brought_ += end - offset / 4;
}

void CopiedWords::read(std::uint16_t region, std::uint64_t offset, unsigned bytes) {
    if (unread_.size() <= region) return;
    std::vector<bool>& words = unread_[region];
    const std::uint64_t end = std::min<std::uint64_t>((offset + bytes + 3) / 4, words.size());
    for (std::uint64_t word = offset / 4; word < end; ++word) {
        read_ += words[word];
        words[word] = false;
    }
}

void CopiedWords::clear() {
    if (any()) unread_.clear();
    brought_ = read_ = 0;
}

}  // namespace ladder
