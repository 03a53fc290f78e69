// Atomic operations on the types that CUDA has them for. Each is one call of the runtime, which performs it.
#pragma once

#include "bits.h"
#include "vector_types.h"

namespace ladder {

template <class T> constexpr Type type_of = Type::U32;
template <> inline constexpr Type type_of<int> = Type::I32;
template <> inline constexpr Type type_of<unsigned short> = Type::U16;
template <> inline constexpr Type type_of<long long> = Type::I64;
template <> inline constexpr Type type_of<unsigned long long> = Type::U64;
template <> inline constexpr Type type_of<float> = Type::F32;
template <> inline constexpr Type type_of<double> = Type::F64;

template <class T> LADDER_INLINE T atomic(Atomic op, Scope scope, T* address, T value, int line, T compare = {}) {
    return from_bits<T>(ladder_atomic(op, type_of<T>, scope, address, to_bits(value), to_bits(compare), line));
}

template <class T> using if_wide = std::enable_if_t<sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>>;
template <class T> LADDER_INLINE T wide_atomic(Atomic op, Scope scope, T* address, T value, T compare) {
    return __builtin_bit_cast(T, ladder_wide_atomic(op, scope, address, __builtin_bit_cast(Quad, value), __builtin_bit_cast(Quad, compare)));
}

}  // namespace ladder

#define LADDER_ATOMIC_IN(name, op, scope, T)                                                               \
    LADDER_INLINE T name(T* address, T value, LADDER_LINE) {                               \
        return ladder::atomic(ladder::Atomic::op, ladder::Scope::scope, address, value, line);             \
    }
#define LADDER_ATOMIC_CAS_IN(name, scope, T)                                                               \
    LADDER_INLINE T name(T* address, T compare, T value, LADDER_LINE) {                    \
        return ladder::atomic(ladder::Atomic::CompareSwap, ladder::Scope::scope, address, value, line, compare); \
    }

// The same operation as the whole device sees it, one block, and the whole system.
#define LADDER_ATOMIC(name, op, T)                 \
    LADDER_ATOMIC_IN(name, op, Device, T)          \
    LADDER_ATOMIC_IN(name##_block, op, Block, T)   \
    LADDER_ATOMIC_IN(name##_system, op, System, T)
#define LADDER_ATOMIC_CAS(T)                       \
    LADDER_ATOMIC_CAS_IN(atomicCAS, Device, T)     \
    LADDER_ATOMIC_CAS_IN(atomicCAS_block, Block, T) \
    LADDER_ATOMIC_CAS_IN(atomicCAS_system, System, T)

LADDER_ATOMIC(atomicAdd, Add, int)
LADDER_ATOMIC(atomicAdd, Add, unsigned)
LADDER_ATOMIC(atomicAdd, Add, unsigned long long)
LADDER_ATOMIC(atomicAdd, Add, float)
LADDER_ATOMIC(atomicAdd, Add, double)
LADDER_ATOMIC(atomicSub, Sub, int)
LADDER_ATOMIC(atomicSub, Sub, unsigned)
LADDER_ATOMIC(atomicExch, Exchange, int)
LADDER_ATOMIC(atomicExch, Exchange, unsigned)
LADDER_ATOMIC(atomicExch, Exchange, unsigned long long)
LADDER_ATOMIC(atomicExch, Exchange, float)
LADDER_ATOMIC(atomicMin, Min, int)
LADDER_ATOMIC(atomicMin, Min, unsigned)
LADDER_ATOMIC(atomicMin, Min, long long)
LADDER_ATOMIC(atomicMin, Min, unsigned long long)
LADDER_ATOMIC(atomicMax, Max, int)
LADDER_ATOMIC(atomicMax, Max, unsigned)
LADDER_ATOMIC(atomicMax, Max, long long)
LADDER_ATOMIC(atomicMax, Max, unsigned long long)
LADDER_ATOMIC(atomicInc, Increment, unsigned)
LADDER_ATOMIC(atomicDec, Decrement, unsigned)
LADDER_ATOMIC(atomicAnd, And, int)
LADDER_ATOMIC(atomicAnd, And, unsigned)
LADDER_ATOMIC(atomicAnd, And, long long)
LADDER_ATOMIC(atomicAnd, And, unsigned long long)
LADDER_ATOMIC(atomicOr, Or, int)
LADDER_ATOMIC(atomicOr, Or, unsigned)
LADDER_ATOMIC(atomicOr, Or, long long)
LADDER_ATOMIC(atomicOr, Or, unsigned long long)
LADDER_ATOMIC(atomicXor, Xor, int)
LADDER_ATOMIC(atomicXor, Xor, unsigned)
LADDER_ATOMIC(atomicXor, Xor, long long)
LADDER_ATOMIC(atomicXor, Xor, unsigned long long)
LADDER_ATOMIC_CAS(int)
LADDER_ATOMIC_CAS(unsigned)
LADDER_ATOMIC_CAS(unsigned long long)
LADDER_ATOMIC_CAS_IN(atomicCAS, Device, unsigned short)

// Of any type of 16 bytes that lies at a multiple of these, since compute capability 9.0.
#define LADDER_WIDE_ATOMICS(exchange, swap, scope)                                                            \
    template <class T, class = ladder::if_wide<T>> LADDER_INLINE T exchange(T* address, T value) {            \
        return ladder::wide_atomic(ladder::Atomic::Exchange, ladder::Scope::scope, address, value, value);    \
    }                                                                                                         \
    template <class T, class = ladder::if_wide<T>> LADDER_INLINE T swap(T* address, T compare, T value) {     \
        return ladder::wide_atomic(ladder::Atomic::CompareSwap, ladder::Scope::scope, address, value, compare); \
    }
LADDER_WIDE_ATOMICS(atomicExch, atomicCAS, Device)
LADDER_WIDE_ATOMICS(atomicExch_block, atomicCAS_block, Block)
LADDER_WIDE_ATOMICS(atomicExch_system, atomicCAS_system, System)
#undef LADDER_WIDE_ATOMICS

// Of vectors, a member at a time, as CUDA promises no more. It counts as so many atomics, and is one on an H200.
#define LADDER_ATOMIC_VECTORS(name)                                                                           \
    LADDER_INLINE float2 name(float2* address, float2 value, LADDER_LINE) {                                   \
        return {name(&address->x, value.x, line), name(&address->y, value.y, line)};                          \
    }                                                                                                         \
    LADDER_INLINE float4 name(float4* address, float4 value, LADDER_LINE) {                                   \
        return {name(&address->x, value.x, line), name(&address->y, value.y, line),                           \
                name(&address->z, value.z, line), name(&address->w, value.w, line)};                          \
    }
LADDER_ATOMIC_VECTORS(atomicAdd)
LADDER_ATOMIC_VECTORS(atomicAdd_block)
LADDER_ATOMIC_VECTORS(atomicAdd_system)
#undef LADDER_ATOMIC_VECTORS

#undef LADDER_ATOMIC_CAS
#undef LADDER_ATOMIC_CAS_IN   // half.h and bfloat16.h need LADDER_ATOMIC
