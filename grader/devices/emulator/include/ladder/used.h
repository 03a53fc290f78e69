// Of the checking build alone: what emulator/subscripts.py makes of `a[i]` is `a[ladder::used<ladder::elements<__typeof__(a)>>(i)]`.
#pragma once

#ifndef __CUDA__
#include <type_traits>

#include "qualifiers.h"

namespace ladder {

// Added to the index behind the last: no compiler takes that one for an address, though it is the same where an element's size
// is even.
constexpr long one_past = -__LONG_MAX__ - 1;

template <class T> constexpr bool names_an_array = std::is_array_v<std::remove_reference_t<T>>;
template <class Array> using Element = std::remove_extent_t<std::remove_reference_t<Array>>;

// How many elements an Array has of which something is Used, -1 if that is no array, or one that is named only: as the end of
// a walk is.
template <class Array, class Used = Element<Array>>
constexpr long elements = names_an_array<Array> && !names_an_array<Used> ? std::extent_v<std::remove_reference_t<Array>> : -1;

// The same in a program, whose host code goes on: some of it allocates more than its `T values[1]` says.
template <class Array, class Used = Element<Array>>
constexpr long elements_of_program = sizeof(Element<Array>) % 2 == 0 ? elements<Array, Used> : -1;

// The index of one of so many elements.
template <long count, class Index> LADDER_INLINE constexpr auto used(Index index) {
    if constexpr (count <= 0 || !(std::is_integral_v<Index> || std::is_enum_v<Index>)) {
        return index;
    } else {
        return static_cast<long>(index) + (static_cast<long>(index) == count ? one_past : 0);
    }
}

}  // namespace ladder

#endif
