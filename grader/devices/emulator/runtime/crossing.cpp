#include "crossing.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

namespace ladder {

namespace {

constexpr Address other_side = Address{1} << 46;   // no library lies so far from where it lies

// Where this would lie in the library, whichever side's address it is.
Address offset_of(Address a) { return ((a & ~other_side) | (machine().module.base & other_side)) - machine().module.base; }

// What begins or lies there that each side has for itself; null: nothing does.
const Symbol* symbol_at(Address offset) {
    const std::vector<Symbol>& all = machine().module.of_each_side;
    const auto behind = std::upper_bound(all.begin(), all.end(), offset, [](Address value, const Symbol& each) { return value < each.value; });
    return behind != all.begin() && offset - behind[-1].value < behind[-1].bytes ? &behind[-1] : nullptr;
}

bool is_of_one_side(const void* p) {
    const Region* const shared = machine().memory.both_sided(reinterpret_cast<Address>(p));
    return !shared || shared->sides == Sides::Pinned;
}

// Where kernels have made objects with virtual functions, in memory of both sides.
std::mutex made_mutex;
std::set<Address> made_by_kernels;

constexpr std::string_view table_of = "vtable for ";
std::string made_by_host(const std::string& table) {
    return "host code has made the `" + table.substr(table_of.size()) + "` whose virtual function it calls, and a GPU has that at another address";
}

}  // namespace

void note_object_of_kernel(Address a) {
    if (!machine().memory.both_sided(a)) return;
    const std::lock_guard lock(made_mutex);
    made_by_kernels.insert(a);
}

void refuse_object_of_the_host(Thread& thread, Address a, std::uint32_t pc) {
    Address word;
    std::memcpy(&word, reinterpret_cast<const void*>(a), sizeof word);
    const Symbol* const symbol = symbol_at(word - machine().module.base);
    if (!symbol || !std::string_view(symbol->name).starts_with(table_of)) return;
    const std::lock_guard lock(made_mutex);
    if (made_by_kernels.contains(a)) return;
    Finding finding = finding_at(thread, "trap", pc);
    finding.text = made_by_host(symbol->name);
    die(thread, finding);
}

void cross(void* words, std::size_t bytes, Address except) {
    const std::vector<Symbol>& all = machine().module.of_each_side;
    if (all.empty()) return;
    const Address first = all.front().value, range = all.back().value + all.back().bytes - first;
    const auto begin = reinterpret_cast<Address>(words), last = begin + bytes;
    for (Address at = (begin + sizeof(Address) - 1) / sizeof(Address) * sizeof(Address); at + sizeof(Address) <= last; at += sizeof(Address)) {
        Address& word = *reinterpret_cast<Address*>(at);
        const Address offset = offset_of(word);
        if (offset - first < range && word != except && symbol_at(offset)) word ^= other_side;
    }
}

void cross_by_copy(void* to, const void* from, std::size_t bytes, bool to_device) {
    const void* const on_device = to_device ? to : from;
    const Region* const region = machine().memory.find(reinterpret_cast<Address>(on_device));
    if (region && region->sides == Sides::Device && is_of_one_side(to_device ? from : to)) cross(to, bytes);
}

void refuse_address_of_the_host(Thread& thread, Address a, std::uint32_t pc) {
    const Symbol* const symbol = (a ^ machine().module.base) & other_side ? symbol_at(offset_of(a)) : nullptr;
    if (!symbol) return;
    Finding finding = finding_at(thread, "trap", pc);
    const std::string name = symbol->name;
    finding.text = name.empty() ? "a pointer leads to a text of the host's (\"...\"), which a GPU cannot read: copy its characters to memory from cudaMalloc"
                   : name.starts_with(table_of) ? made_by_host(name)
                                             : "a pointer leads to `" + name + "` as host code has it, and a GPU has that function at another address";
    die(thread, finding);
}

}  // namespace ladder
