// What the checking build calls where a number with a fraction becomes a whole one that cannot hold it: gcc's
// -fsanitize=float-cast-overflow. C++ promises nothing then. A GPU takes the nearest number of 32 or 64 bits
// (PTX, "cvt": integers saturate), of which a shorter type keeps the low bits; the processor here keeps bits of another one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "gcc_records.h"
#include "machine.h"

namespace ladder {

namespace {

struct Cast {
    SourcePlace place;
    const SourceType* from;
    const SourceType* to;
};

// As cvt.rzi makes it.
template <class To> std::string saturated(double value, bool of_double) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return sizeof(To) == 8 || of_double ? std::to_string(static_cast<To>(To{1} << (sizeof(To) == 8 ? 63 : 31))) : "0";
    if (value <= static_cast<double>(Limits::min())) return std::to_string(Limits::min());
    return std::to_string(value >= static_cast<double>(Limits::max()) ? Limits::max() : static_cast<To>(value));
}

std::string on_a_gpu(double value, const Cast& cast, unsigned bits) {
    const bool is_signed = cast.to->info & 1, of_double = cast.from->info == 64;
    if (bits == 64) return is_signed ? saturated<std::int64_t>(value, of_double) : saturated<std::uint64_t>(value, of_double);
    const std::string word = is_signed ? saturated<std::int32_t>(value, of_double) : saturated<std::uint32_t>(value, of_double);
    if (bits == 32) return word;
    const auto low = std::stoll(word) & ((1ll << bits) - 1);
    return std::to_string(is_signed && low >> (bits - 1) ? low - (1ll << bits) : low);
}

// Both keep the same bits of it: a pixel of 300 becomes 44.
bool is_same_on_both(double value, const Cast& cast, unsigned bits) {
    if (bits >= 32) return false;
    return value > (cast.to->info & 1 ? -0x1p31 - 1 : -1) && value < 0x1p31;
}

double value_of(const Cast& cast, std::uintptr_t bits) {
    if (cast.from->info == 64) return __builtin_bit_cast(double, static_cast<std::uint64_t>(bits));
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
}

void does_not_hold(Thread& thread, const Cast& cast, std::uintptr_t bits_of_value, std::uint32_t pc) {
    if (cast.to->kind != 0 || (cast.from->info != 32 && cast.from->info != 64)) return;
    auto& all = thread.executor->findings;
    if (std::any_of(all.begin(), all.end(), [&](const Finding& other) { return other.pc == pc && other.kind == "cast"; })) return;
    const double value = value_of(cast, bits_of_value);
    const unsigned bits = 1u << (cast.to->info >> 1);
    if (bits < 8 || bits > 64 || is_same_on_both(value, cast, bits)) return;
    char number[32];
    std::snprintf(number, sizeof number, cast.from->info == 64 ? "%.15g" : "%.7g", value);
    const std::string name = cast.to->name;   // in quotes
    Finding finding = finding_at(thread, "cast", pc);
    finding.text = std::string(number) + '|' + name.substr(1, name.size() - 2) + '|' + on_a_gpu(value, cast, bits);
    finding.note = true;
    all.push_back(std::move(finding));
}

}  // namespace

}  // namespace ladder

extern "C" void __ubsan_handle_float_cast_overflow(const void* cast, std::uintptr_t value) {
    using namespace ladder;
    if (Thread* const thread = current) does_not_hold(*thread, *static_cast<const Cast*>(cast), value, program_counter(__builtin_return_address(0)));
}
