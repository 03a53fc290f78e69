#include "memory.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

extern "C" void* __tls_get_addr(void*);

namespace ladder {

namespace {
constexpr std::size_t page = 4096;
constexpr std::size_t guard = 16 * page;   // between allocations, so that a small overrun is told from its neighbour
std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

void* map_zeroes(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
}

void unmap(void* memory, std::size_t bytes) { munmap(memory, bytes); }

// ---- modules ----

Address Module::thread_block() const {
    if (!tls_bytes) return 0;
    std::size_t index[2] = {tls_module, 0};   // tls_index: asking for the address also allocates the block
    return reinterpret_cast<Address>(__tls_get_addr(index));
}

std::string base_name(const std::string& name) {
    // "void ns::tile<float, 4>(float const*, int)" -> "tile"
    std::size_t end = 0;
    while (end < name.size() && name[end] != '(' && name[end] != '<') ++end;
    std::size_t begin = end;
    while (begin > 0 && name[begin - 1] != ':' && name[begin - 1] != ' ' && name[begin - 1] != '*') --begin;
    while (end > begin && name[end - 1] == ' ') --end;
    return name.substr(begin, end - begin);
}

std::string owner_of(const std::string& variable) {
    const std::size_t end = variable.rfind("::");
    return end == std::string::npos ? "" : variable.substr(0, end);
}

std::size_t Module::static_shared(const std::string& kernel) const {
    // Instantiations of one template are separate kernels: take the largest.
    std::map<std::string, std::size_t> sums;
    for (const Symbol& symbol : symbols) {
        if (symbol.kind != 1) continue;
        const std::string owner = owner_of(symbol.name);
        if (base_name(owner) == kernel) sums[owner] += symbol.bytes;
    }
    std::size_t most = 0;
    for (const auto& [owner, bytes] : sums) most = std::max(most, bytes);
    return most;
}

std::size_t Module::launch_bound(const std::string& kernel) const {
    std::size_t most = 0;   // the largest here, too
    for (const Symbol& symbol : symbols)
        if (symbol.kind == 6 && base_name(owner_of(symbol.name)) == kernel) most = std::max<std::size_t>(most, symbol.bytes);
    return most;
}

const Symbol* Module::function_at(const void* address) const {
    const std::uint64_t offset = reinterpret_cast<Address>(address) - base;
    for (const Symbol& symbol : symbols)
        if (symbol.kind == 0 && symbol.value == offset) return &symbol;
    return nullptr;
}

// ---- device memory ----

void DeviceMemory::begin_case() {
    if (!arena_) {
        void* arena = mmap(nullptr, global_memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena != MAP_FAILED) {
            arena_ = reinterpret_cast<Address>(arena);
            arena_end_ = arena_ + global_memory;
        }
    } else if (arena_next_ > arena_) {
        madvise(reinterpret_cast<void*>(arena_), arena_next_ - arena_, MADV_DONTNEED);
        mprotect(reinterpret_cast<void*>(arena_), arena_next_ - arena_, PROT_NONE);
    }
    arena_next_ = arena_;
    regions_.clear();
    initialised_.clear();
    mappings_.clear();
    allocated_ = peak_ = live_ = 0;
    copied_to_host = copied_from_host = 0;
    touched_by_host = 0;
    is_open_ = true;   // pages that come now may be touched; what earlier cases left to be read stays so
}

void DeviceMemory::add_mapping(Address begin, std::size_t bytes) {
    const Address first = begin / page * page;
    mappings_.push_back({first, round_up(begin + bytes - first, page)});
}

void DeviceMemory::add_buffer(const char* name, Address begin, std::size_t bytes, bool writable) {
    auto region = std::make_unique<Region>();
    region->begin = begin;
    region->bytes = bytes;
    region->space = Space::Global;
    region->writable = writable;
    region->id = static_cast<int>(regions_.size());
    region->name = name;
    if (writable) {
        initialised_.push_back(std::make_unique<Lazy<std::uint8_t>>(std::max<std::size_t>(bytes, 1)));
        region->initialised = initialised_.back()->data();
    }
    regions_.push_back(std::move(region));
}

int DeviceMemory::allocate(void** pointer, std::size_t bytes, int line, int poison) {
    *pointer = nullptr;
    if (bytes == 0) return Success;
    const std::size_t span = round_up(bytes, page) + guard;
    if (bytes > global_memory || !arena_ || arena_next_ + span > arena_end_) return OutOfMemory;
    void* start = reinterpret_cast<void*>(arena_next_);
    if (mprotect(start, round_up(bytes, page), PROT_READ | PROT_WRITE) != 0) return OutOfMemory;
    // Fresh memory holds NaNs, and not the zeroes that a GPU often happens to hold. Large arrays keep the zeroes: filling
    // them would cost the memory that they may never touch.
    if (bytes <= (std::size_t{64} << 20)) std::memset(start, poison, bytes);
    add_buffer("", arena_next_, bytes, true);
    regions_.back()->line = line;
    regions_.back()->name = "cudaMalloc";
    if (!is_open_) mprotect(start, round_up(bytes, page), PROT_NONE);
    arena_next_ += span;
    allocated_ += bytes;
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    *pointer = start;
    return Success;
}

int DeviceMemory::release(void* pointer) {
    Region* region = find(reinterpret_cast<Address>(pointer));
    if (!region || region->line == 0 || region->freed || region->begin != reinterpret_cast<Address>(pointer)) return InvalidValue;
    region->freed = true;
    live_ -= region->bytes;
    return Success;
}

Region* DeviceMemory::find(Address a) const {
    for (const auto& region : regions_)
        if (region->holds(a, 1)) return region.get();
    return nullptr;
}

Region* DeviceMemory::nearest(Address a) const {
    Region* best = nullptr;
    std::size_t distance = ~std::size_t{0};
    for (const auto& region : regions_) {
        const Address end = region->begin + region->bytes;
        const std::size_t away = a < region->begin ? region->begin - a : a >= end ? a - end : 0;
        if (away < distance) distance = away, best = region.get();
    }
    return best;
}

bool DeviceMemory::is_device(Address a) const {
    if (a >= arena_ && a < arena_end_) return true;
    for (const Pages& pages : mappings_)
        if (a - pages.begin < pages.bytes) return true;
    return false;
}

bool DeviceMemory::all_blocks_see(Address a) const { return is_device(a) || a - variables_.begin < variables_.bytes; }

void DeviceMemory::add_variables(const Module& module) {
    variables_ = {module.data_begin, module.data_bytes};
    for (const Symbol& symbol : module.symbols) {
        if (symbol.kind != 3 && symbol.kind != 4) continue;
        add_buffer(symbol.name, module.base + symbol.value, symbol.bytes, true);
        if (symbol.kind == 4) regions_.back()->space = Space::Constant;
        regions_.back()->initialised = nullptr;   // variables start as zero, or as they say
    }
}

void DeviceMemory::protect(int how) {
    for (const Pages& pages : mappings_) mprotect(reinterpret_cast<void*>(pages.begin), pages.bytes, how);
    for (const auto& region : regions_)
        if (region->begin >= arena_ && region->begin < arena_end_)
            mprotect(reinterpret_cast<void*>(region->begin), round_up(region->bytes, page), how);
}

void DeviceMemory::open() {
    if (is_open_) return;
    protect(PROT_READ | PROT_WRITE);
    compare_outputs();
    is_open_ = true;
}

void DeviceMemory::shut() {
    if (!is_open_) return;
    for (const auto& region : regions_)
        if (!region->before.empty()) std::memcpy(region->before.data(), reinterpret_cast<void*>(region->begin), region->bytes);
    protect(PROT_NONE);
    is_open_ = false;
}

void DeviceMemory::show() {
    protect(PROT_READ);
    if (!is_open_) compare_outputs();
    is_open_ = false;
}

// Shut pages do not change, unless host code gets around their protection.
void DeviceMemory::compare_outputs() {
    for (const auto& region : regions_) {
        const auto* now = reinterpret_cast<const std::uint8_t*>(region->begin);
        const auto changed = std::mismatch(region->before.begin(), region->before.end(), now).first;
        if (changed != region->before.end()) touched_by_host = region->begin + static_cast<Address>(changed - region->before.begin());
    }
}

}  // namespace ladder
