// The compiler's own atomics, since CUDA 12.8: by an order, and by a scope, which is the system's if none is named.
#pragma once

#include "atomics.h"
#include "block.h"

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5

#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace ladder {

template <> inline constexpr Type type_of<long> = Type::I64;
template <> inline constexpr Type type_of<unsigned long> = Type::U64;

constexpr LADDER_INLINE Scope scope_of(int scope) {
    return scope == __NV_THREAD_SCOPE_SYSTEM ? Scope::System : scope >= __NV_THREAD_SCOPE_CLUSTER ? Scope::Device : Scope::Block;
}

// An order stronger than relaxed is a fence beside the operation.
template <bool moves = false, class T> LADDER_INLINE T ordered(Atomic op, T* address, T value, int order, int scope, int line, T compare = {}) {
    if (order >= __NV_ATOMIC_RELEASE) ladder_fence(scope_of(scope), line);
    const T old = from_bits<T>(ladder_ordered_atomic(op, type_of<T>, scope_of(scope), address, to_bits(value), to_bits(compare), moves));
    if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE) ladder_fence(scope_of(scope), line);
    return old;
}

}  // namespace ladder

#define LADDER_ORDERED int order, int scope = __NV_THREAD_SCOPE_SYSTEM, LADDER_LINE
#define LADDER_FETCH(name, op)                                                                                \
    template <class T, class V> LADDER_INLINE T __nv_atomic_fetch_##name(T* at, V value, LADDER_ORDERED) {    \
        return ladder::ordered(ladder::Atomic::op, at, static_cast<T>(value), order, scope, line);            \
    }                                                                                                         \
    template <class T, class V> LADDER_INLINE void __nv_atomic_##name(T* at, V value, LADDER_ORDERED) {       \
        ladder::ordered(ladder::Atomic::op, at, static_cast<T>(value), order, scope, line);                   \
    }
LADDER_FETCH(add, Add) LADDER_FETCH(sub, Sub) LADDER_FETCH(min, Min) LADDER_FETCH(max, Max)
LADDER_FETCH(and, And) LADDER_FETCH(or, Or) LADDER_FETCH(xor, Xor)
#undef LADDER_FETCH

template <class T, class V> LADDER_INLINE T __nv_atomic_exchange_n(T* at, V value, LADDER_ORDERED) {
    return ladder::ordered(ladder::Atomic::Exchange, at, static_cast<T>(value), order, scope, line);
}
template <class T> LADDER_INLINE void __nv_atomic_exchange(T* at, T* value, T* old, LADDER_ORDERED) {
    *old = __nv_atomic_exchange_n(at, *value, order, scope, line);
}
template <class T> LADDER_INLINE T __nv_atomic_load_n(const T* at, LADDER_ORDERED) {
    using Bits = typename ladder::Unsigned<sizeof(T)>::type;   // for -0.0 + 0.0 would be another number
    Bits* const bits = reinterpret_cast<Bits*>(const_cast<T*>(at));
    return __builtin_bit_cast(T, ladder::ordered<true>(ladder::Atomic::Or, bits, Bits(0), order, scope, line));
}
template <class T> LADDER_INLINE void __nv_atomic_load(const T* at, T* value, LADDER_ORDERED) {
    *value = __nv_atomic_load_n(at, order, scope, line);
}
template <class T, class V> LADDER_INLINE void __nv_atomic_store_n(T* at, V value, LADDER_ORDERED) {
    ladder::ordered<true>(ladder::Atomic::Exchange, at, static_cast<T>(value), order, scope, line);
}
template <class T> LADDER_INLINE void __nv_atomic_store(T* at, T* value, LADDER_ORDERED) {
    __nv_atomic_store_n(at, *value, order, scope, line);
}
template <class T, class V>
LADDER_INLINE bool __nv_atomic_compare_exchange_n(T* at, T* expected, V value, bool, int order, int, int scope = __NV_THREAD_SCOPE_SYSTEM, LADDER_LINE) {
    const T old = ladder::ordered(ladder::Atomic::CompareSwap, at, static_cast<T>(value), order, scope, line, *expected);
    const bool same = ladder::to_bits(old) == ladder::to_bits(*expected);
    if (!same) *expected = old;
    return same;
}
template <class T>
LADDER_INLINE bool __nv_atomic_compare_exchange(T* at, T* expected, T* value, bool weak, int order, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM, LADDER_LINE) {
    return __nv_atomic_compare_exchange_n(at, expected, *value, weak, order, failure, scope, line);
}
LADDER_INLINE void __nv_atomic_thread_fence(LADDER_ORDERED) {
    if (order != __NV_ATOMIC_RELAXED) ladder_fence(ladder::scope_of(scope), line);
}
#undef LADDER_ORDERED
