// Of the checking build alone: what emulator/subscripts.py makes of `a[i]` is `a[ladder::used<decltype((a))>(i)]`.
#pragma once

#ifndef __CUDA__
#include <type_traits>

#include "abi.h"
#include "qualifiers.h"

namespace ladder {

constexpr long one_past = 1L << 62;   // added to the index behind the last: no compiler takes that one for an address

// Where an array lies that an index leaves. The runtime gets it as a number, by a function that does nothing else to g++,
// for which the array then stays what it was.
template <class T, std::size_t n> LADDER_INLINE constexpr const volatile void* place(T (&array)[n]) { return &array; }
template <class T> LADDER_INLINE constexpr const volatile void* place(const T&) { return nullptr; }   // not needed

template <class Array, class Used, class Index> constexpr long elements_used() {
    constexpr bool is_number = std::is_integral_v<Index> || (std::is_enum_v<Index> && std::is_convertible_v<Index, long>);
    const bool is_use = is_number && !std::is_array_v<std::remove_reference_t<Used>>;
    return is_use ? std::extent_v<std::remove_reference_t<Array>> : 0;
}

// The index of an element of an Array, which may be anything, and of whose element something is Used: an array that is
// named only, as the end of a walk is, is not.
template <class Array, class Used = std::remove_extent_t<std::remove_reference_t<Array>>, class Index>
LADDER_INLINE constexpr auto used(Index index) {
    constexpr long elements = elements_used<Array, Used, Index>();
    if constexpr (elements == 0) {
        return index;
    } else {
        const long i = index;
        return i + static_cast<long>(i == elements) * one_past;
    }
}

// The same where the array lies at this place.
template <class Array, class Used = std::remove_extent_t<std::remove_reference_t<Array>>, class Index>
LADDER_INLINE constexpr auto used(Index index, const volatile void* array) {
    constexpr long elements = elements_used<Array, Used, Index>();
    if constexpr (elements == 0) {
        return index;
    } else {
        const long i = used<Array, Used>(index);
        return i >= 0 && i < elements ? i : ladder_leaves(i, reinterpret_cast<unsigned long>(array));
    }
}

}  // namespace ladder

#endif
