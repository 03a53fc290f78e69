#include "page_locked.h"

#include <algorithm>

#include "machine.h"

namespace ladder {

void PageLocked::allocated(void* pointer, std::size_t bytes, int line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Region block;
    block.begin = reinterpret_cast<Address>(pointer), block.bytes = bytes;
    block.space = Space::Global, block.name = "cudaMallocHost", block.line = line;
    blocks_[block.begin] = std::move(block);
}

void PageLocked::freed(void* pointer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = blocks_.find(reinterpret_cast<Address>(pointer));
    if (block == blocks_.end()) return;
    std::erase_if(uses_, [&](const DeviceUse& use) { return block->second.holds(use.begin, 1); });
    blocks_.erase(block);
    any_ = !uses_.empty();
}

void PageLocked::begin_case() {
    const std::lock_guard<std::mutex> lock(mutex_);
    uses_.clear();
    any_ = false;
}

void PageLocked::copied(Address a, std::size_t bytes, const Work& work, bool writes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto block = blocks_.upper_bound(a);
    if (block == blocks_.begin() || !(--block)->second.holds(a, bytes)) return;
    if (uses_.size() == most_uses) uses_.erase(uses_.begin());
    uses_.push_back({work, writes, a, a + bytes});
    any_ = true;
}

void PageLocked::access(Address a, std::size_t bytes, bool writes, std::uint32_t pc) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(uses_, [](const DeviceUse& use) { return machine().stream_order.host_knows(use.work); });
    any_ = !uses_.empty();
    const auto racing = std::ranges::find_if(uses_, [&](const DeviceUse& use) {
        return (writes || use.writes) && a < use.end && use.begin < a + bytes;
    });
    if (racing == uses_.end()) return;
    Finding finding;
    finding.kind = "race";
    finding.text = "host and device";
    finding.pc = pc;
    finding.access = writes ? "write" : "read";
    finding.bytes = static_cast<unsigned>(bytes);
    finding.other_line = racing->work.line;
    finding.other_access = racing->writes ? "write" : "read";
    machine().findings.push_back(std::move(finding.at((--blocks_.upper_bound(a))->second, a)));
    uses_.clear();   // it is told once
    any_ = false;
}

}  // namespace ladder
