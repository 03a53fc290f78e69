// Memory that host code and kernels may both touch: managed, page-locked and registered. While work on the device uses it,
// its pages are shut to host code; they open when the host has waited for that work.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "accesses.h"
#include "host_call.h"

namespace ladder {

constexpr std::size_t most_uses = 1024;   // of one region that are under way: the oldest are forgotten

int DeviceMemory::add_both_sided(void** pointer, std::size_t bytes, int line, Sides sides) {
    if (const int error = allocate(pointer, bytes, line, 0)) return error;   // fresh pages of a host are zero
    if (!*pointer) return Success;
    Region& region = *regions_.back();
    region.sides = sides;
    region.name = sides == Sides::Managed ? "cudaMallocManaged" : "cudaMallocHost";
    ++both_sided_;
    give_to_host(region);
    return Success;
}

// What host code writes is not seen, but the system knows which pages of fresh memory nobody has touched: nothing is written
// there. All counts as written where it does not tell.
void DeviceMemory::note_host_writes(Region& region) const {
    if (region.sides == Sides::Device || !region.initialised || region.freed) return;
    const std::size_t page = page_size();
    static std::size_t looks = 0;   // at a page: a program of many launches is not to wait for them
    std::vector<std::uint64_t> pages(region.bytes <= most_filled && looks < 4'000'000 ? round_up(region.bytes, page) / page : 0);
    looks += pages.size();
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const std::size_t bytes = pages.size() * sizeof pages[0];
    const bool told = pagemap >= 0 && pread(pagemap, pages.data(), bytes, static_cast<off_t>(region.begin / page * sizeof pages[0])) == static_cast<ssize_t>(bytes);
    if (pagemap >= 0) ::close(pagemap);
    const auto is_touched = [](std::uint64_t entry) { return entry >> 62 != 0; };   // in memory, or swapped out
    if (!told || std::all_of(pages.begin(), pages.end(), is_touched)) region.initialised = nullptr;
    for (std::size_t i = 0; region.initialised && i < pages.size(); ++i)
        if (is_touched(pages[i])) std::memset(region.initialised + i * page, 1, std::min(page, region.bytes - i * page));
}

void DeviceMemory::note_host_writes() {
    if (both_sided_ == 0) return;
    for (const auto& region : regions_) note_host_writes(*region);
}

int DeviceMemory::remember(void* pointer, std::size_t bytes, int line) {
    if (!pointer || bytes == 0) return InvalidValue;
    if (const Region* const known = find(reinterpret_cast<Address>(pointer)))
        return known->sides == Sides::Registered ? AlreadyRegistered : InvalidValue;
    add_buffer(line ? "cudaHostRegister" : "a tensor", reinterpret_cast<Address>(pointer), bytes, true);
    Region& region = *regions_.back();
    region.line = line;
    region.sides = Sides::Registered;
    registers_ = true;
    region.initialised = nullptr;
    ++both_sided_;
    return Success;
}

int DeviceMemory::forget(void* pointer) {
    Region* const region = both_sided(reinterpret_cast<Address>(pointer));
    if (!region || region->sides != Sides::Registered || region->begin != reinterpret_cast<Address>(pointer)) return NotRegistered;
    region->bytes = 0;   // no address is its any more
    return Success;
}

Region* DeviceMemory::both_sided(Address a) const {
    if (both_sided_ == 0) return nullptr;
    Region* const last = last_both_sided_;
    if (last && last->holds(a, 1) && !last->freed) return last;
    Region* const region = find(a);
    if (!region || region->sides == Sides::Device || region->freed) return nullptr;
    return last_both_sided_ = region;
}

void Reach::add(Address a, std::size_t bytes) {
    Address seen = __atomic_load_n(&begin, __ATOMIC_RELAXED);
    while (a < seen && !__atomic_compare_exchange_n(&begin, &seen, a, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    seen = __atomic_load_n(&end, __ATOMIC_RELAXED);
    while (a + bytes > seen && !__atomic_compare_exchange_n(&end, &seen, a + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

void DeviceMemory::used(Region& region, const DeviceUse& use) {
    const auto before = [&](const DeviceUse& other) {   // on its stream, and so over when this one is
        return other.work.stream == use.work.stream && other.writes == use.writes && use.begin <= other.begin && other.end <= use.end;
    };
    std::erase_if(region.uses, before);
    region.uses.push_back(use);   // its pages shut with those of the device
    if (region.uses.size() > most_uses) region.uses.erase(region.uses.begin());
}

void DeviceMemory::host_has_waited() {
    if (both_sided_ == 0) return;
    for (const auto& region : regions_) {
        if (region->uses.empty()) continue;
        std::erase_if(region->uses, [](const DeviceUse& use) { return machine().stream_order.host_knows(use.work); });
        if (region->uses.empty()) give_to_host(*region);
    }
}

void DeviceMemory::give_to_host(Region& region) {
    region.uses.clear();
    open_to_host(region);
}

void DeviceMemory::open_to_host(const Region& region) {
    if (region.begin >= arena_ && region.begin < arena_end_)
        mprotect(reinterpret_cast<void*>(region.begin), round_up(region.bytes, page_size()), PROT_READ | PROT_WRITE);
}

void both_sided_access(Region& region, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    const auto races = [&](const DeviceUse& use) { return (writes || use.writes) && a < use.end && use.begin < a + bytes; };
    const auto racing = std::find_if(region.uses.begin(), region.uses.end(), races);
    if (racing == region.uses.end()) return machine().memory.open_to_host(region);   // what lies beside may still be in use
    Finding finding;
    finding.kind = "race";
    finding.text = "host and device";
    finding.pc = pc;
    finding.access = writes ? "write" : "read";
    finding.bytes = bytes;
    finding.other_line = racing->work.line;
    finding.other_access = racing->writes ? "write" : "read";
    machine().findings.push_back(std::move(finding.at(region, a)));
    machine().memory.give_to_host(region);
}

void note_use_by_launch(bool tells_host) {
    Machine& m = machine();
    for (const auto& region : m.memory.regions()) {
        if (region->sides == Sides::Device) continue;
        const Reach stored = std::exchange(region->stored, {}), loaded = std::exchange(region->loaded, {});
        if (stored.any() && !tells_host) m.memory.used(*region, {m.stream_order.last(), true, stored.begin, stored.end});
        if (loaded.any() && !tells_host) m.memory.used(*region, {m.stream_order.last(), false, loaded.begin, loaded.end});
        region->touched = false;
    }
}

void note_use_by_copy(Address a, std::size_t bytes, bool writes, int line) {
    Machine& m = machine();
    if (!m.whole_program) count_copy(a, bytes, writes);
    const Work& now = m.stream_order.last();
    if (!m.whole_program && now.line == line) m.page_locked.copied(a, bytes, now, writes);
    Region* const region = m.memory.both_sided(a);
    if (region && now.line == line && !m.stream_order.host_knows(now)) m.memory.used(*region, {now, writes, a, a + bytes});
}

}  // namespace ladder

using namespace ladder;

extern "C" {

int ladder_malloc_managed(void** pointer, std::size_t bytes, int line) {
    if (!machine().whole_program)   // it would hide what a separate memory shows: that host code touches the GPU's, or computes
        ladder_trap("cudaMallocManaged is not emulated in a graded file: use cudaMalloc, and cudaMemcpyAsync for what host code knows", line);
    const HostCall call;
    if (const int error = refusal_of_result(pointer, "cudaMallocManaged", line)) return error;
    *pointer = nullptr;
    return machine().memory.add_both_sided(pointer, bytes, line, Sides::Managed);
}

int ladder_malloc_host(void** pointer, std::size_t bytes, int line) {
    const HostCall call;
    if (machine().whole_program) return machine().memory.add_both_sided(pointer, bytes, line, Sides::Pinned);
    *pointer = std::malloc(bytes);
    if (*pointer) machine().page_locked.allocated(*pointer, bytes, line);
    return *pointer || bytes == 0 ? Success : OutOfMemory;
}

int ladder_free_host(void* pointer, int line) {
    if (machine().whole_program) return give_back(pointer, true, line);
    machine().page_locked.freed(pointer);
    std::free(pointer);
    return Success;
}

int ladder_host_register(void* pointer, std::size_t bytes, int line) {
    const HostCall call;
    if (!machine().whole_program) return Success;
    return machine().memory.remember(pointer, bytes, line);
}

int ladder_host_unregister(void* pointer) {
    const HostCall call;
    return machine().whole_program ? machine().memory.forget(pointer) : Success;
}

int ladder_memory_range(const void* pointer, void** begin, std::size_t* bytes) {
    const HostCall call;
    const Region* const region = machine().memory.find(reinterpret_cast<Address>(pointer));
    if (!region || region->freed || region->of_host) return false;
    *begin = reinterpret_cast<void*>(region->begin);
    *bytes = region->bytes;
    return true;
}

int ladder_memory_kind(const void* pointer) {
    const HostCall call;
    const Region* const region = machine().memory.find(reinterpret_cast<Address>(pointer));
    if (!region || region->freed || region->of_host) return 0;
    return region->sides == Sides::Device ? 2 : region->sides == Sides::Managed ? 3 : 1;
}

}  // extern "C"
