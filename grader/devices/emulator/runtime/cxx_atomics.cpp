// C++ atomics (std::atomic_ref, __atomic builtins): these callbacks perform the operation.
#include "machine.h"

#define CALLER (reinterpret_cast<Address>(__builtin_return_address(0)))

using namespace ladder;

static std::uint64_t cxx_atomic(Atomic op, volatile void* p, unsigned bytes, std::uint64_t value, std::uint64_t compare, int order,
                                Address caller) {
    if (current && order >= __ATOMIC_RELEASE) fence(*current, Scope::Device);
    const Type type = bytes == 8 ? Type::U64 : bytes == 4 ? Type::U32 : bytes == 2 ? Type::U16 : Type::U8;
    return do_atomic(current, op, type, Scope::Device, const_cast<void*>(p), bytes, value, compare, program_counter(caller));
}

#define LADDER_CXX_ATOMIC(bits, T)                                                                                          \
    T __tsan_atomic##bits##_load(const volatile T* p, int order) {                                                          \
        volatile_access(reinterpret_cast<Address>(p), bits / 8, Event::VolatileRead, CALLER);                               \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                        \
    }                                                                                                                       \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int order) {                                                       \
        if (current && order >= __ATOMIC_RELEASE) fence(*current, Scope::Device);                                           \
        volatile_access(reinterpret_cast<Address>(p), bits / 8, Event::VolatileWrite, CALLER);                              \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                           \
    }                                                                                                                       \
    T __tsan_atomic##bits##_exchange(volatile T* p, T v, int order) {                                                       \
        return static_cast<T>(cxx_atomic(Atomic::Exchange, p, bits / 8, v, 0, order, CALLER));                              \
    }                                                                                                                       \
    T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int order) {                                                      \
        return static_cast<T>(cxx_atomic(Atomic::Add, p, bits / 8, v, 0, order, CALLER));                                   \
    }                                                                                                                       \
    T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int order) {                                                      \
        return static_cast<T>(cxx_atomic(Atomic::Sub, p, bits / 8, v, 0, order, CALLER));                                   \
    }                                                                                                                       \
    T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int order) {                                                      \
        return static_cast<T>(cxx_atomic(Atomic::And, p, bits / 8, v, 0, order, CALLER));                                   \
    }                                                                                                                       \
    T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int order) {                                                       \
        return static_cast<T>(cxx_atomic(Atomic::Or, p, bits / 8, v, 0, order, CALLER));                                    \
    }                                                                                                                       \
    T __tsan_atomic##bits##_fetch_xor(volatile T* p, T v, int order) {                                                      \
        return static_cast<T>(cxx_atomic(Atomic::Xor, p, bits / 8, v, 0, order, CALLER));                                   \
    }                                                                                                                       \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T v, int order, int) {                          \
        return static_cast<T>(cxx_atomic(Atomic::CompareSwap, p, bits / 8, v, expected, order, CALLER));                    \
    }                                                                                                                       \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int order, int) {                    \
        access(reinterpret_cast<Address>(expected), bits / 8, Event::Read, CALLER);                                         \
        const T old = static_cast<T>(cxx_atomic(Atomic::CompareSwap, p, bits / 8, v, *expected, order, CALLER));            \
        const bool same = old == *expected;                                                                                 \
        if (!same) access(reinterpret_cast<Address>(expected), bits / 8, Event::Write, CALLER);                             \
        *expected = old;                                                                                                    \
        return same;                                                                                                        \
    }                                                                                                                       \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T v, int order, int fail) {                 \
        return __tsan_atomic##bits##_compare_exchange_strong(p, expected, v, order, fail);                                  \
    }

extern "C" {
LADDER_CXX_ATOMIC(8, std::uint8_t)
LADDER_CXX_ATOMIC(16, std::uint16_t)
LADDER_CXX_ATOMIC(32, std::uint32_t)
LADDER_CXX_ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) {
    if (current) fence(*current, Scope::Device);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
