// Loads and stores with a cache hint, and questions about addresses. A hint changes no value here, and no count.
#pragma once

#include "qualifiers.h"

namespace ladder {

// A load or store instruction moves 1, 2, 4, 8 or 16 bytes.
template <class T>
constexpr bool loadable = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 && __is_trivially_copyable(T);

// A structure of one's own, and no number or vector of CUDA's: of such there are no loads.
template <class T, class = void> struct HasX { static constexpr bool value = false; };
template <class T> struct HasX<T, decltype(void(T::x))> { static constexpr bool value = true; };
template <class T, class = void> struct HasFormat { static constexpr bool value = false; };
template <class T> struct HasFormat<T, decltype(void(typename T::Format()))> { static constexpr bool value = true; };
template <class T>
constexpr bool of_own_type = (__is_class(T) || __is_union(T)) && !HasX<T>::value && !HasFormat<T>::value;

// CUDA has none of a bool or a pointer either.
template <class T> constexpr bool hinted = loadable<T> && !of_own_type<T>;
template <> inline constexpr bool hinted<bool> = false;
template <class T> constexpr bool hinted<T*> = false;

}  // namespace ladder

#define LADDER_LOAD(name)                                                            \
    template <class T, LADDER_IF(ladder::hinted<T>)>                                 \
    LADDER_INLINE T name(const T* from) { return *from; }
#define LADDER_STORE(name)                                                                                  \
    template <class T, LADDER_IF(ladder::hinted<T>)>                    \
    LADDER_INLINE void name(T* to, typename ladder::Exactly<T>::type value) { \
        *to = value;                                                    \
    }

LADDER_LOAD(__ldg)
LADDER_LOAD(__ldca)
LADDER_LOAD(__ldcg)
LADDER_LOAD(__ldcs)
LADDER_LOAD(__ldlu)
LADDER_LOAD(__ldcv)
LADDER_STORE(__stwb)
LADDER_STORE(__stcg)
LADDER_STORE(__stcs)
LADDER_STORE(__stwt)

#undef LADDER_LOAD
#undef LADDER_STORE

LADDER_INLINE unsigned __isGlobal(const void* p) { return ladder_space(p) == ladder::Space::Global; }
LADDER_INLINE unsigned __isShared(const void* p) { return ladder_space(p) == ladder::Space::Shared; }
LADDER_INLINE unsigned __isConstant(const void* p) { return ladder_space(p) == ladder::Space::Constant; }
LADDER_INLINE unsigned __isLocal(const void* p) { return ladder_space(p) == ladder::Space::Local; }

LADDER_INLINE std::size_t __cvta_generic_to_shared(const void* p) { return ladder_shared_address(p); }
LADDER_INLINE void* __cvta_shared_to_generic(std::size_t shared) { return ladder_shared_pointer(shared); }
LADDER_INLINE std::size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<std::size_t>(p); }
LADDER_INLINE void* __cvta_global_to_generic(std::size_t global) { return reinterpret_cast<void*>(global); }
LADDER_INLINE std::size_t __cvta_generic_to_constant(const void* p) { return reinterpret_cast<std::size_t>(p); }
LADDER_INLINE std::size_t __cvta_generic_to_local(const void* p) { return reinterpret_cast<std::size_t>(p); }
