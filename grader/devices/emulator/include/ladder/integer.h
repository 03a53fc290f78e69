// Integer intrinsics: bits, shifts, products, averages, dot products.
#pragma once

#include "bits.h"
#include "vector_types.h"

// ---- bits ----

inline LADDER_UNSEEN int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline LADDER_UNSEEN int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline LADDER_UNSEEN int __ffs(int x) { return __builtin_ffs(x); }
inline LADDER_UNSEEN int __ffsll(long long x) { return __builtin_ffsll(x); }
inline LADDER_UNSEEN int __popc(unsigned x) { return __builtin_popcount(x); }
inline LADDER_UNSEEN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// Swaps neighbours, pairs, nibbles; then the bytes.
inline LADDER_UNSEEN unsigned __brev(unsigned x) {
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}
inline LADDER_UNSEEN unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

// Byte i of the result is the byte of y:x that nibble i of the selector names, by its lower three bits.
inline LADDER_UNSEEN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

// ---- shifts of 64 bits; the plain ones take the shift modulo 32, the c ones clamp it to 32 ----

LADDER_INLINE unsigned long long ladder_pair(unsigned low, unsigned high) {
    return static_cast<unsigned long long>(high) << 32 | low;
}
inline LADDER_UNSEEN unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(ladder_pair(low, high) << (shift & 31) >> 32);
}
inline LADDER_UNSEEN unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(ladder_pair(low, high) << (shift < 32 ? shift : 32) >> 32);
}
inline LADDER_UNSEEN unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(ladder_pair(low, high) >> (shift & 31));
}
inline LADDER_UNSEEN unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(ladder_pair(low, high) >> (shift < 32 ? shift : 32));
}

// ---- products, averages, distances ----

LADDER_INLINE int __mul24(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
LADDER_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
LADDER_INLINE int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
LADDER_INLINE unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
LADDER_INLINE long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
LADDER_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
LADDER_INLINE int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
LADDER_INLINE int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
LADDER_INLINE unsigned __uhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
LADDER_INLINE unsigned __urhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
inline LADDER_UNSEEN unsigned __usad(unsigned a, unsigned b, unsigned sum) { return (a > b ? a - b : b - a) + sum; }
inline LADDER_UNSEEN unsigned __sad(int a, int b, unsigned sum) {
    return (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                  : static_cast<unsigned>(b) - static_cast<unsigned>(a)) +
           sum;
}

// ---- dot products of lanes of 8 or 16 bits in one 32-bit register; lanes.h has what else there is of them ----

namespace ladder {

template <class A, class B> LADDER_UNSEEN int dot4(int a, int b, int sum) {
    for (int at = 0; at < 32; at += 8) sum += static_cast<A>(a >> at) * static_cast<B>(b >> at);
    return sum;
}
template <class A, class B> LADDER_UNSEEN int dot2(int a, int b, int sum) {
    return sum + static_cast<A>(a) * static_cast<B>(b) + static_cast<A>(a >> 16) * static_cast<B>(b >> 8);
}

}  // namespace ladder

LADDER_INLINE int __dp4a(int a, int b, int sum) { return ladder::dot4<signed char, signed char>(a, b, sum); }
LADDER_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return static_cast<unsigned>(
        ladder::dot4<unsigned char, unsigned char>(static_cast<int>(a), static_cast<int>(b), static_cast<int>(sum)));
}
LADDER_INLINE int __dp4a(char4 a, char4 b, int sum) {
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), sum);
}
LADDER_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), sum);
}
LADDER_INLINE int __dp2a_lo(int a, int b, int sum) { return ladder::dot2<short, signed char>(a, b, sum); }
LADDER_INLINE int __dp2a_hi(int a, int b, int sum) { return ladder::dot2<short, signed char>(a, b >> 16, sum); }
LADDER_INLINE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
    return static_cast<unsigned>(ladder::dot2<unsigned short, unsigned char>(
        static_cast<int>(a), static_cast<int>(b), static_cast<int>(sum)));
}
LADDER_INLINE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) { return __dp2a_lo(a, b >> 16, sum); }
LADDER_INLINE int __dp2a_lo(short2 a, char4 b, int sum) {
    return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), sum);
}
LADDER_INLINE int __dp2a_hi(short2 a, char4 b, int sum) {
    return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), sum);
}
LADDER_INLINE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned sum) {
    return __dp2a_lo(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), sum);
}
LADDER_INLINE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned sum) {
    return __dp2a_hi(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), sum);
}
