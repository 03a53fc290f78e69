#include "machine.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

extern "C" void* __tls_get_addr(void*);

namespace ladder {

namespace {
constexpr std::size_t guard = 64 * 1024;   // between allocations, so that a small overrun is told from its neighbour

std::size_t whole_pages(std::size_t bytes) { return round_up(bytes, page_size()); }

// Memory that host code may touch, for nothing is under way there.
bool is_hosts_turn(const Region& region) { return region.sides != Sides::Device && region.uses.empty() && !region.freed; }
}  // namespace

// ---- modules ----

Address Module::thread_block() const {
    if (!tls_bytes) return 0;
    std::size_t index[2] = {tls_module, 0};   // tls_index: asking for the address also allocates the block
    return reinterpret_cast<Address>(__tls_get_addr(index));
}

std::string owner_of(const std::string& variable) {
    const std::size_t end = variable.rfind("::");
    return end == std::string::npos ? "" : variable.substr(0, end);
}

std::size_t Module::static_shared(const Symbol* function) const {
    std::size_t sum = 0;
    for (const Symbol& symbol : symbols)
        if (function && symbol.kind == SymbolKind::SharedArray && owner_of(symbol.name) == function->name) sum += symbol.bytes;
    return sum;
}

std::size_t Module::own_bytes(const Symbol* function, SymbolKind kind, std::size_t otherwise) const {
    for (const Symbol& symbol : symbols)
        if (function && symbol.kind == kind && owner_of(symbol.name) == function->name) return symbol.bytes;
    return otherwise;
}

void Module::add_alignment(const Symbol& of_callback) {
    alignments[static_cast<std::uint32_t>(of_callback.value)] = static_cast<std::uint8_t>(of_callback.bytes);
    has_unsure = has_unsure || of_callback.bytes % 8 == 0;
    has_wide = has_wide || of_callback.bytes > 4;
}

void Module::add_declared(const Symbol& mark) {
    const std::string name = mark.name, owner = owner_of(name), word = "ladder_declared_";
    const std::size_t number = owner.size() + 2 + word.size(), end = name.find('_', number);
    if (owner.empty() || owner.find("{lambda") != std::string::npos || end == std::string::npos) return;
    const auto [entry, is_new] = declared.try_emplace(owner + "::" + name.substr(end + 1));
    entry->second = {static_cast<unsigned>(std::stoul(name.substr(number))), is_new ? static_cast<unsigned>(mark.bytes) : 0};
}

bool Module::are_copies(std::uint32_t pc, std::uint32_t other) const {
    const auto first = [&](std::uint32_t each) {
        const auto known = call_places.find(each);
        return known == call_places.end() ? each : known->second;
    };
    return call_places.empty() || first(pc) == first(other);
}

std::size_t Module::launch_bound(const Symbol* function) const { return own_bytes(function, SymbolKind::LaunchBound, 0); }

Index Module::cluster_size(const Symbol* function) const {
    const auto bytes = static_cast<unsigned>(own_bytes(function, SymbolKind::ClusterSize, 0));
    return {bytes % cluster_axis, bytes / cluster_axis % cluster_axis, bytes / cluster_axis / cluster_axis};
}

std::size_t Module::launch_blocks(const Symbol* function) const { return own_bytes(function, SymbolKind::LaunchBlocks, 1); }

const Symbol* Module::function_at(const void* address) const {
    const Symbol* const function = function_around(reinterpret_cast<Address>(address));
    return function && base + function->value == reinterpret_cast<Address>(address) ? function : nullptr;
}

const Symbol* Module::function_around(Address code) const {
    for (const Symbol& symbol : symbols)
        if (symbol.kind == SymbolKind::Function && code - base - symbol.value < std::max<std::uint64_t>(symbol.bytes, 1)) return &symbol;
    return nullptr;
}

const Symbol* Module::host_only_at(std::uint32_t pc) const {
    for (const Symbol& symbol : host_only)
        if (pc - symbol.value < symbol.bytes) return &symbol;
    return nullptr;
}

// ---- device memory ----

void DeviceMemory::reserve(std::size_t bytes) {
    if (arena_) munmap(reinterpret_cast<void*>(arena_), arena_end_ - arena_);
    arena_ = arena_end_ = 0;
    capacity_ = bytes;
}

void DeviceMemory::begin_case() {
    if (!arena_) {
        const std::size_t bytes = (machine().whole_program ? 64 : 2) * capacity_;
        void* arena = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena != MAP_FAILED) {
            arena_ = reinterpret_cast<Address>(arena);
            arena_end_ = arena_ + bytes;
        }
        case_begin_ = arena_next_ = arena_;
    } else if (arena_next_ > case_begin_) {
        madvise(reinterpret_cast<void*>(case_begin_), arena_next_ - case_begin_, MADV_DONTNEED);
        mprotect(reinterpret_cast<void*>(case_begin_), arena_next_ - case_begin_, PROT_NONE);
    }
    case_begin_ = arena_next_ = arena_next_ < arena_ + capacity_ ? arena_next_ : arena_;   // an old pointer hits nothing new
    last_both_sided_ = nullptr;
    both_sided_ = 0;
    regions_.clear();
    initialised_.clear();
    mappings_.clear();
    unmapped_.clear();
    allocated_ = peak_ = live_ = 0;
    copied_to_host = copied_from_host = inputs_to_host = 0;
    read_by_copies = written_by_copies = {};
    touched_by_host = 0;
    is_open_ = true;   // pages that come now may be touched; what earlier cases left to be read stays so
}

void DeviceMemory::add_mapping(Address begin, std::size_t bytes) {
    const Address first = begin / page_size() * page_size();
    mappings_.push_back({first, whole_pages(begin + bytes - first)});
}

void DeviceMemory::add_buffer(const char* name, Address begin, std::size_t bytes, bool writable) {
    auto region = std::make_unique<Region>();
    region->begin = begin;
    region->bytes = bytes;
    region->space = Space::Global;
    region->writable = writable;
    region->id = static_cast<int>(regions_.size());
    region->name = name;
    if (writable && capacity_ == global_memory) {   // sampled launches read what others would have written
        initialised_.push_back(std::make_unique<Lazy<std::uint8_t>>(bytes + 16));
        region->initialised = initialised_.back()->data() + begin % 16;
    }
    regions_.push_back(std::move(region));
    if (!all_blocks_see(begin)) unmapped_.push_back({begin, bytes});
}

Region& DeviceMemory::add_heap(Address begin) {
    add_buffer("malloc", begin, 0, true);
    regions_.back()->is_heap = true;
    unmapped_.pop_back();
    return *regions_.back();
}

int DeviceMemory::allocate(void** pointer, std::size_t bytes, int line, int poison) {
    *pointer = nullptr;
    if (bytes == 0) return Success;
    const std::size_t span = whole_pages(bytes) + whole_pages(guard);
    const Address end = machine().whole_program ? arena_end_ : case_begin_ + capacity_;
    if (live_ + bytes > capacity_ || !arena_ || arena_next_ + span > end) return OutOfMemory;
    void* start = reinterpret_cast<void*>(arena_next_);
    if (mprotect(start, whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) return OutOfMemory;
    // Fresh memory holds NaNs, and not the zeroes that a GPU often happens to hold. Large arrays keep the zeroes: filling
    // them would cost the memory that they may never touch.
    if (poison && bytes <= most_filled && capacity_ == global_memory) std::memset(start, poison, bytes);
    add_buffer("", arena_next_, bytes, true);
    regions_.back()->line = line;
    regions_.back()->device = ladder_current_device(-1);
    regions_.back()->launches_before = machine().launches.size();
    regions_.back()->name = "cudaMalloc";
    if (!is_open_) mprotect(start, whole_pages(bytes), PROT_NONE);
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
    if (machine().whole_program) {
        madvise(reinterpret_cast<void*>(region->begin), whole_pages(region->bytes), MADV_DONTNEED);
        mprotect(reinterpret_cast<void*>(region->begin), whole_pages(region->bytes), PROT_NONE);
    }
    return Success;
}

Region* DeviceMemory::find(Address a) const {
    for (const auto& region : regions_)
        if (region->holds(a, 1)) return region.get();
    return nullptr;
}

Region* DeviceMemory::variable(Address a) const {
    Region* const region = variables_.hold(a) ? find(a) : nullptr;
    return region && region->is_variable ? region : nullptr;
}

Region* DeviceMemory::named_variable(Address a) const {
    Region* const region = variables_.hold(a) ? find(a) : nullptr;
    return region && region->is_named ? region : nullptr;
}

Region* DeviceMemory::nearest(Address a) const {
    Region* best = nullptr;
    std::size_t distance = ~std::size_t{0};
    for (const auto& region : regions_) {
        if (region->is_heap) continue;
        const Address end = region->begin + region->bytes;
        const std::size_t away = a < region->begin ? region->begin - a : a >= end ? a - end : 0;
        if (away < distance) distance = away, best = region.get();
    }
    return best;
}

bool DeviceMemory::is_device(Address a) const {
    if (a >= arena_ && a < arena_end_) return true;
    return std::any_of(mappings_.begin(), mappings_.end(), [&](const Pages& pages) { return pages.hold(a); });
}

bool DeviceMemory::all_blocks_see(Address a) const {
    return is_device(a) || variables_.hold(a) ||
           std::any_of(unmapped_.begin(), unmapped_.end(), [&](const Pages& buffer) { return buffer.hold(a); });
}

int DeviceMemory::order_of(const Region& region) const {
    const auto place = std::find_if(regions_.begin(), regions_.end(), [&](const auto& each) { return each.get() == &region; });
    return static_cast<int>(std::count_if(regions_.begin(), place, [&](const auto& each) { return each->line == region.line; }));
}

void DeviceMemory::add_variables(const Module& module) {
    variables_ = {module.data_begin, module.data_bytes};
    for (const Symbol& symbol : module.symbols) {
        const bool named = symbol.kind == SymbolKind::NamedVariable || symbol.kind == SymbolKind::Constant;
        const bool variable = symbol.kind == SymbolKind::Variable || symbol.kind == SymbolKind::NamedVariable || symbol.kind == SymbolKind::HostVariable;
        if (!variable && symbol.kind != SymbolKind::Managed && symbol.kind != SymbolKind::Constant) continue;
        add_buffer(symbol.name, module.base + symbol.value, symbol.bytes, true);
        regions_.back()->is_variable = variable;
        regions_.back()->is_named = named;
        regions_.back()->is_managed = symbol.kind == SymbolKind::Managed;
        regions_.back()->of_host = symbol.kind == SymbolKind::HostVariable;
        if (symbol.kind == SymbolKind::Constant) regions_.back()->space = Space::Constant;
        regions_.back()->initialised = nullptr;   // variables start as zero, or as they say
        if (symbol.kind == SymbolKind::Managed && machine().whole_program) regions_.back()->sides = Sides::Registered, ++both_sided_;
    }
}

void DeviceMemory::note_exchange(Address a, std::size_t bytes, bool writes) {
    const Region* const region = find(a);
    if (region && region->is_managed) (writes ? copied_from_host : copied_to_host) += bytes;
}

void DeviceMemory::protect(int how) {
    for (const Pages& pages : mappings_) mprotect(reinterpret_cast<void*>(pages.begin), pages.bytes, how);
    for (const auto& region : regions_)
        if (region->begin >= arena_ && region->begin < arena_end_ && !(region->freed && machine().whole_program) && (how != PROT_NONE || !is_hosts_turn(*region)))
            mprotect(reinterpret_cast<void*>(region->begin), whole_pages(region->bytes), how);
}

void DeviceMemory::open() {
    if (is_open_) return;
    protect(PROT_READ | PROT_WRITE);
    compare_outputs();
    is_open_ = true;
}

void DeviceMemory::shut() {
    if (!is_open_ || kept_open_) return;
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
