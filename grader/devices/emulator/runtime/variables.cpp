// __device__ and __constant__ variables, as host code may use them: by their names, in CUDA's functions for symbols. There
// a variable's name stands for memory of the host's own, so that its address is of no use to a kernel or a copy.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "crossing.h"
#include "host_call.h"
#include "pages.h"
#include "variables.h"

namespace ladder {

namespace {

constexpr std::size_t word = sizeof(void*);
thread_local const void* symbol_next = nullptr;   // what the copy that this thread of the host does next takes for a variable
thread_local const Region* named_next = nullptr;   // by the copy that this thread of the host does next
constexpr std::size_t most_pointers = 512;   // that a copy to the host is searched for

// A `__constant__ const` variable lies among what no one writes, but for such a copy.
void let_write(Address variable) {
    const Region* const region = machine().memory.find(variable);
    const Address begin = variable / page_size() * page_size();
    if (region && region->space == Space::Constant)
        mprotect(reinterpret_cast<void*>(begin), region->begin + region->bytes - begin, PROT_READ | PROT_WRITE);
}

// Calls `take` with each named variable that one of the words points into.
template <class Take> void for_variables_in(const void* words, std::size_t bytes, Take take) {
    for (std::size_t at = 0; at + word <= bytes; at += word) {
        Address value;
        std::memcpy(&value, static_cast<const char*>(words) + at, word);
        if (Region* const region = machine().memory.named_variable(value)) take(*region);
    }
}

}  // namespace

const void* take_symbol() { return std::exchange(symbol_next, nullptr); }

const Region* take_named() { return std::exchange(named_next, nullptr); }

bool is_address_of_the_host(const void* p, const Region* named) {
    const Region* const region = machine().memory.named_variable(reinterpret_cast<Address>(p));
    return region && region != named && !region->asked;
}

void file_address_of_the_host(const void* p, int line, const std::string& kernel) {
    Finding finding;
    finding.kind = "host_access";
    finding.text = "address";
    finding.kernel = kernel;
    finding.line = line;
    finding.at(*machine().memory.named_variable(reinterpret_cast<Address>(p)), reinterpret_cast<Address>(p));
    machine().findings.push_back(std::move(finding));
}

Arguments::Arguments(const Launch& launch, const Symbol* kernel)
    : launch_(launch), kernel_(kernel ? machine().module.base + kernel->value : 0) {
    for_variables_in(launch.arguments, launch.argument_bytes, [&](const Region& region) {
        if (!region.asked) file_address_of_the_host(reinterpret_cast<void*>(region.begin), launch.line, launch.kernel);
    });
    cross();
}

void Arguments::cross() const {
    if (kernel_) ladder::cross(launch_.arguments, launch_.argument_bytes, kernel_);
}

void note_addresses_in(const void* copied, std::size_t bytes) {
    if (bytes <= most_pointers * word) for_variables_in(copied, bytes, [](Region& region) { region.asked = true; });
}

}  // namespace ladder

using namespace ladder;

extern "C" int ladder_symbol(const void* variable, int asks_for_address, int line) {
    const HostCall call;
    if (asks_for_address && !machine().memory.find(reinterpret_cast<Address>(variable))) return wrong_call(InvalidSymbol, "symbol", line);
    Region* const region = machine().memory.named_variable(reinterpret_cast<Address>(variable));
    if (!asks_for_address) named_next = region, symbol_next = variable;
    else if (region) region->asked = true;
    if (!region) let_write(reinterpret_cast<Address>(variable));
    return Success;
}
