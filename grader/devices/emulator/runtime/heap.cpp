#include "heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "host_blocks.h"
#include "host_call.h"
#include "machine.h"

namespace ladder {

namespace {
constexpr std::size_t heap_span = std::size_t{256} << 20;   // of addresses, in a case
constexpr std::size_t usual_limit = std::size_t{8} << 20;
constexpr std::size_t heap_alignment = 16;
constexpr std::size_t first_gap = 64 * 1024;   // what lies a little before the first is meant for it, too

// What memory of so many bytes takes of the heap: on an H100 a megabyte takes a quarter more, for which 8 MB hold six and
// 20 MB sixteen. So sizes go by quarters of powers of two.
std::size_t taken_by(std::size_t bytes) {
    const std::size_t with_head = bytes + heap_alignment;
    std::size_t quarter = heap_alignment;
    while (8 * quarter <= with_head) quarter *= 2;
    return round_up(with_head, quarter);
}

}  // namespace

void KernelHeap::begin_case(DeviceMemory& memory) {
    if (!begin_) {
        void* const room = mmap(nullptr, heap_span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) return;
        begin_ = reinterpret_cast<Address>(room);
    } else if (!given_.empty()) {
        madvise(reinterpret_cast<void*>(begin_), next_ - begin_, MADV_DONTNEED);
        mprotect(reinterpret_cast<void*>(begin_), heap_span, PROT_NONE);
    }
    given_.clear();
    initialised_ = {};
    next_ = begin_ + first_gap;
    live_ = 0;
    limit_ = usual_limit;   // what one case has asked for is not there in the next
    region_ = &memory.add_heap(begin_);
}

void KernelHeap::open() {
    initialised_ = Lazy<std::uint8_t>(heap_span + heap_alignment);
    region_->initialised = initialised_.data() + begin_ % heap_alignment;
    mprotect(reinterpret_cast<void*>(begin_), heap_span, PROT_READ | PROT_WRITE);
    machine().memory.add_mapping(begin_, heap_span);
    __atomic_store_n(&region_->bytes, heap_span, __ATOMIC_RELEASE);
}

void* KernelHeap::allocate(std::size_t bytes, const char* by, std::uint32_t pc) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t taken = taken_by(std::min(bytes, heap_span)), room = round_up(bytes + 1, heap_alignment) + heap_alignment;   // a gap
    if (!region_ || bytes > heap_span || live_ + taken > limit_ || next_ + room > begin_ + heap_span) return nullptr;
    if (given_.empty()) open();
    Region& memory = given_[next_];
    memory.begin = next_;
    memory.bytes = bytes;
    memory.space = Space::Global;
    memory.name = by;
    memory.line = static_cast<int>(pc);   // its line is not known here
    live_ += taken;
    next_ += room;
    std::memset(reinterpret_cast<void*>(memory.begin), machine().poison, bytes);
    return reinterpret_cast<void*>(memory.begin);
}

bool KernelHeap::release(Address a) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = given_.find(a);
    if (found == given_.end() || found->second.freed) return false;
    found->second.freed = true;
    live_ -= taken_by(found->second.bytes);
    return true;
}

std::map<std::uint32_t, std::size_t> KernelHeap::living() const {
    std::map<std::uint32_t, std::size_t> bytes;
    for (const auto& [_, memory] : given_)
        if (!memory.freed) bytes[static_cast<std::uint32_t>(memory.line)] += memory.bytes;
    return bytes;
}

const Region* KernelHeap::search(Address a) const {
    auto after = given_.upper_bound(a);
    if (after != given_.begin()) --after;
    return after == given_.end() ? nullptr : &after->second;
}

const Region* KernelHeap::around(Address a) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return search(a);
}

void KernelHeap::check(Thread& thread, Address a, unsigned bytes, bool writes, std::uint32_t pc) {
    Finding finding;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Region* const memory = search(a);
        if (memory && memory->holds(a, bytes) && !memory->freed) return;
        finding = finding_at(thread, "out_of_bounds", pc);
        finding.access = writes ? "write" : "read";
        finding.bytes = bytes;
        if (memory) finding.at(*memory, a);
        if (memory && memory->freed) finding.text = "freed";
    }
    die(thread, finding);
}

// Blocks take their turns at the heap in an order of their own, as at an atomic: what each gets is the same every time.
void* allocate_in_kernel(std::size_t bytes, const char* by, Address caller) {
    settle_store(*current);
    begin_ordered(*current, program_counter(caller));
    return machine().heap.allocate(bytes, by, program_counter(caller));
}

void free_in_kernel(void* p, Address caller) {
    if (!p) return;
    settle_store(*current);
    begin_ordered(*current, program_counter(caller));
    const auto a = reinterpret_cast<Address>(p);
    const std::uint16_t region = current->executor->region_index(a, 1, 0);
    if (machine().heap.release(a)) {
        if (region != no_region) record(*current, Event::Freed, program_counter(caller), a, 0, region);
        return;
    }
    Finding finding = finding_at(*current, "trap", program_counter(caller));
    finding.text = "it frees a pointer that malloc or new in a kernel did not give, or that was freed before";
    die(*current, finding);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

#define CALLER (reinterpret_cast<Address>(__builtin_return_address(0)))

static void* allocated(std::size_t bytes, const char* by, Address caller, void* (*of_host)(std::size_t)) {
    return current ? allocate_in_kernel(bytes, by, caller) : host_blocks().add_unset(of_host(bytes), bytes);
}

static void freed(void* p, Address caller, void (*of_host)(void*)) {
    if (current) return free_in_kernel(p, caller);
    if (refusal_of_free(p, caller)) return;
    host_blocks().remove(p);
    of_host(p);
}

void* __wrap_malloc(std::size_t bytes) { return allocated(bytes, "malloc", CALLER, std::malloc); }
void __wrap_free(void* p) { freed(p, CALLER, std::free); }

// new and delete, by the names that the compiler gives them.
void* ladder_new(std::size_t bytes) { return allocated(bytes, "new", CALLER, ::operator new); }
void ladder_delete(void* p) { freed(p, CALLER, ::operator delete); }
void* __wrap__Znwm(std::size_t bytes) { return allocated(bytes, "new", CALLER, ::operator new); }
void* __wrap__Znam(std::size_t bytes) { return allocated(bytes, "new", CALLER, ::operator new[]); }
void __wrap__ZdlPv(void* p) { freed(p, CALLER, ::operator delete); }
void __wrap__ZdaPv(void* p) { freed(p, CALLER, ::operator delete[]); }
void __wrap__ZdlPvm(void* p, std::size_t) { freed(p, CALLER, ::operator delete); }
void __wrap__ZdaPvm(void* p, std::size_t) { freed(p, CALLER, ::operator delete[]); }

void ladder_set_heap(std::size_t bytes) { machine().heap.set_limit(bytes); }
void ladder_set_stack(std::size_t bytes) { machine().gpu_stack = bytes; }
std::size_t ladder_heap() { return machine().heap.limit(); }

}  // extern "C"
