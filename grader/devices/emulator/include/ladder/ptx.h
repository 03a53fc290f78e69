// Inline PTX. Translation turns asm("text" : "=r"(a) : "l"(b)) into
// ptx<constraint("=r"), constraint("l")>(line, "text", a, value(b)), and the runtime reads the text.
#pragma once

#include <type_traits>

#include "bits.h"

#ifndef __CUDA__   // the front end reads asm itself

namespace ladder {

// A constraint as a number: its letter, and flags for "=" and "+". "=&r", whose register is none of an input's, is "=r" here.
enum : unsigned { ptx_letter = 0xff, ptx_written = 0x100, ptx_updated = 0x200, ptx_moved = 0x400 };

constexpr unsigned constraint(const char* text) {
    const unsigned flags = *text == '=' ? ptx_written : *text == '+' ? ptx_written | ptx_updated : 0;
    const char* const letter = text + (!flags ? 0 : text[1] == '&' ? 2 : 1);
    return *letter && letter[1] ? 0 : flags | static_cast<unsigned char>(*letter);   // nvcc takes one letter only
}

constexpr unsigned moved(const char* text) { return constraint(text) | ptx_moved; }   // the first of a statement without `volatile`

template <class T> LADDER_INLINE constexpr T value(T operand) { return operand; }   // an array becomes a pointer

// Whether nvcc takes a T for the constraint.
template <unsigned kind, class T> constexpr bool ptx_takes() {
    using Plain = std::remove_cv_t<std::remove_reference_t<T>>;
    constexpr bool whole = std::is_integral_v<Plain> || std::is_enum_v<Plain>;
    switch (kind & ptx_letter) {
        case 'h': return whole && sizeof(Plain) == 2;
        case 'r': return whole && sizeof(Plain) == 4;
        case 'l': return (whole || std::is_pointer_v<Plain> || std::is_null_pointer_v<Plain>) && sizeof(Plain) == 8;
        case 'f': return std::is_same_v<Plain, float>;
        case 'd': return std::is_same_v<Plain, double>;
        case 'n': return whole;
        case 'C': return std::is_same_v<Plain, const char*>;
        default: return (kind & ptx_letter) - '0' < 10;
    }
}

template <unsigned... kinds> struct Constraints {
    static constexpr unsigned list[] = {kinds..., 0};
};

template <unsigned kind, class T> LADDER_INLINE Bits ptx_in(T& operand) {
    static_assert(ptx_takes<kind, T>(), "an asm operand's type does not match its constraint: \"r\" takes 32-bit integers, "
                                        "\"l\" 64-bit integers and pointers, \"h\" 16-bit integers, \"f\" float, \"d\" double");
    if constexpr ((kind & ptx_written) && !(kind & ptx_updated)) return 0;
    else if constexpr ((kind & ptx_letter) == 'n') return static_cast<Bits>(static_cast<long>(operand));
    else if constexpr (std::is_null_pointer_v<std::remove_cv_t<T>>) return 0;
    else return to_bits(static_cast<std::remove_cv_t<T>>(operand));
}

template <unsigned kind, class T> LADDER_INLINE void ptx_out(T& operand, int& number, Bits first) {
    if constexpr ((kind & ptx_written) != 0) {
        operand = from_bits<std::remove_cv_t<T>>(number == 0 ? first : ladder_ptx_result(number));
        ++number;
    }
}

// Addresses behind the call: each instruction of the text is told as being at one of its own.
#ifdef __aarch64__
#define LADDER_ROOM ".fill 64, 4, 0xd503201f"
#else
#define LADDER_ROOM ".nops 256"
#endif

template <unsigned... kinds, class... T> LADDER_INLINE void ptx(int line, const char* text, T&&... operands) {
    const Bits first = ladder_ptx(line, text, Constraints<kinds...>::list, ptx_in<kinds>(operands)...);
    __asm__ volatile(LADDER_ROOM ::: "memory");
    [[maybe_unused]] int number = 0;
    (ptx_out<kinds>(operands, number, first), ...);
}

}  // namespace ladder

LADDER_INLINE void __barrier_sync(unsigned number, LADDER_LINE) { ladder::ptx<'r'>(line, "barrier.sync %0;", number); }
LADDER_INLINE void __barrier_sync_count(unsigned number, unsigned threads, LADDER_LINE) {
    ladder::ptx<'r', 'r'>(line, "barrier.sync %0, %1;", number, threads);
}

#else
LADDER_SIDE void __barrier_sync(unsigned number);
LADDER_SIDE void __barrier_sync_count(unsigned number, unsigned threads);
#endif
