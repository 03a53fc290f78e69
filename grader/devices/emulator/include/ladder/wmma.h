// wmma's fragments: the shapes and types that there are from compute capability 8.0 on. What is where in a fragment is
// unspecified to CUDA; here it is as on such a GPU (fragments.h), where half's fragments repeat their elements up to 16.
#pragma once

#include "bits.h"
#include "fragments.h"
#include "vector_types.h"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

}  // namespace nvcuda::wmma

namespace ladder::wmma {

using ladder::same;

template <class T> struct Element;   // what a fragment stores for T
template <> struct Element<__half> { using type = __half; static constexpr Number number = Number::F16; };
template <> struct Element<__nv_bfloat16> { using type = __nv_bfloat16; static constexpr Number number = Number::BF16; };
template <> struct Element<signed char> { using type = signed char; static constexpr Number number = Number::S8; };
template <> struct Element<unsigned char> { using type = unsigned char; static constexpr Number number = Number::U8; };
template <> struct Element<nvcuda::wmma::precision::tf32> { using type = float; static constexpr Number number = Number::TF32; };
template <> struct Element<int> { using type = int; static constexpr Number number = Number::S32; };
template <> struct Element<float> { using type = float; static constexpr Number number = Number::F32; };
template <> struct Element<double> { using type = double; static constexpr Number number = Number::F64; };

template <class T> constexpr bool tf32 = same<T, nvcuda::wmma::precision::tf32>;
template <class T> constexpr bool integer = same<T, signed char> || same<T, unsigned char>;

// Which sums products of T have.
template <class T, class Sum>
constexpr bool adds_up = same<T, __half>    ? same<Sum, __half> || same<Sum, float>
                         : same<T, double> ? same<Sum, double>
                         : integer<T>      ? same<Sum, int>
                                           : same<Sum, float>;

// 8 x 32 is done as 32 x 8, with the matrices exchanged and all of them transposed.
constexpr bool turned(int m, int n) { return m == 8 && n == 32; }

constexpr bool has_shape(int m, int n, int k, bool of_tf32, bool of_doubles) {
    if (of_tf32) return m == 16 && n == 16 && k == 8;
    if (of_doubles) return m == 8 && n == 8 && k == 4;
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}

// ---- which fragments there are, and how large: a lane's elements, without repetitions ----

template <class Use, int m, int n, int k, class T, class Layout> struct Traits {
    static constexpr bool a = same<Use, nvcuda::wmma::matrix_a>, row = same<Layout, nvcuda::wmma::row_major>;
    static constexpr bool right_type = same<T, __half> || same<T, __nv_bfloat16> || integer<T> || tf32<T> || same<T, double>;
    static constexpr bool exists = (a || same<Use, nvcuda::wmma::matrix_b>) && (row || same<Layout, nvcuda::wmma::col_major>) &&
                                   right_type && has_shape(m, n, k, tf32<T>, same<T, double>);
    static constexpr int elements = (a ? m : n) * k / 32, bytes = sizeof(typename Element<T>::type);
    static constexpr int stored = same<T, __half> ? 16 : elements;
    static constexpr FragmentShape shape = {
        .bytes = bytes,
        .registers = bytes == 8 ? 1 : elements * bytes / 4,
        .left = a != turned(m, n),
        .along = a == row,
        .by_rows = same<T, __half> || (integer<T> && a == row),
    };
};

template <int m, int n, int k, class T> struct Traits<nvcuda::wmma::accumulator, m, n, k, T, void> {
    static constexpr bool exists = same<T, float>    ? has_shape(m, n, k, false, false) || has_shape(m, n, k, true, false)
                                   : same<T, double> ? has_shape(m, n, k, false, true)
                                                     : (same<T, __half> || same<T, int>)&&has_shape(m, n, k, false, false);
    static constexpr int elements = m * n / 32, stored = elements;
    static constexpr FragmentShape shape(bool row_major) {
        return {.bytes = sizeof(T), .registers = elements * sizeof(T) / 4, .sums = true, .wide = m == 16 && n == 16,
                .pairs_lie_in_rows = row_major != turned(m, n)};
    }
};

// ---- where a fragment keeps its elements. The checking build (checked.py) has `true` here and runs small cases with another
// order, too: code that knows where an element lies then comes to other results. Floats have an order of their own, for
// CUDA does not promise that fragments of two types are alike ----

constexpr bool has_two_orders = false;

template <class T, int count> LADDER_INLINE int place_of(int i) {
    if constexpr (has_two_orders && count > 1)
        if (ladder_elements_turned()) return same<T, float> ? count - 1 - i : i ^ 1;
    return i;
}
template <class T, int count> LADDER_INLINE void put_in_order(T (&to)[count], const T (&from)[count]) {
    for (int i = 0; i < count; ++i) to[i] = from[place_of<T, count>(i)];
}

// ---- a fragment's elements as registers: 4, 8, 16 or 32 bytes. By no loop, for that would take their address, and g++
// would announce them as accesses to memory ----

template <unsigned bytes, class T> LADDER_INLINE typename Word<bytes>::type& block(T* x) {
    return *reinterpret_cast<typename Word<bytes>::type*>(x);
}

template <class T, int count> LADDER_INLINE Words words_of(const T (&x)[count]) {
    constexpr unsigned bytes = sizeof(T) * count;
    T* from = const_cast<T*>(x);
    alignas(16) T ordered[has_two_orders ? count : 1];
    if constexpr (has_two_orders) put_in_order(ordered, x), from = ordered;
    Words words{};
    block<bytes < 16 ? bytes : 16>(words.word) = block<bytes < 16 ? bytes : 16>(from);
    if constexpr (bytes == 32) block<16>(words.word + 4) = block<16>(from + count / 2);
    return words;
}

// The first `given` elements, repeated until x is full.
template <int given, class T, int count> LADDER_INLINE void take_words(T (&x)[count], Words words) {
    constexpr unsigned own = sizeof(T) * given, bytes = sizeof(T) * count;
    if constexpr (own == 8 && bytes > 8) words.word[2] = words.word[0], words.word[3] = words.word[1];
    block<bytes < 16 ? bytes : 16>(x) = block<bytes < 16 ? bytes : 16>(words.word);
    if constexpr (bytes == 32) block<16>(x + count / 2) = block<16>(words.word + (own == 32 ? 4 : 0));
    if constexpr (has_two_orders) {
        T ordered[count];
        put_in_order(ordered, x);
        __builtin_memcpy(x, ordered, bytes);
    }
}

}  // namespace ladder::wmma

namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
    using Traits = ladder::wmma::Traits<Use, m, n, k, T, Layout>;
    static_assert(Traits::exists, "wmma has no fragment of this use, shape, type and layout");

public:
    using element_type = T;
    using storage_element_type = typename ladder::wmma::Element<T>::type;
    enum { num_elements = Traits::stored, num_storage_elements = Traits::stored };
    alignas(num_elements * sizeof(storage_element_type) < 16 ? 8 : 16) storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
LADDER_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout>& f,
                                 const typename ladder::wmma::Element<T>::type& value) {
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <class Use, int m, int n, int k, class T, class Layout, LADDER_IF(!ladder::same<Use, accumulator>)>
LADDER_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f,
                                    const typename ladder::wmma::Element<T>::type* from, unsigned leading, LADDER_LINE) {
    using Traits = ladder::wmma::Traits<Use, m, n, k, T, Layout>;
    ladder::wmma::take_words<Traits::elements>(f.x, ladder_load_fragment(Traits::shape, from, leading, line));
}

template <int m, int n, int k, class T>
LADDER_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from, unsigned leading,
                                    layout_t layout, LADDER_LINE) {
    using Traits = ladder::wmma::Traits<accumulator, m, n, k, T, void>;
    const ladder::FragmentShape shape = Traits::shape(layout == mem_row_major);
    ladder::wmma::take_words<Traits::elements>(f.x, ladder_load_fragment(shape, from, leading, line));
}

template <int m, int n, int k, class T>
LADDER_INLINE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f, unsigned leading,
                                     layout_t layout, LADDER_LINE) {
    const ladder::FragmentShape shape = ladder::wmma::Traits<accumulator, m, n, k, T, void>::shape(layout == mem_row_major);
    ladder_store_fragment(shape, to, leading, ladder::wmma::words_of(f.x), line);
}

}  // namespace nvcuda::wmma

namespace ladder::wmma {

// The products that the machine does, m16n8: doubles m8n8k4, tf32 two steps of k = 4.
template <int m, int n, int k, class T, class Sum> constexpr Product product_of(bool saturated) {
    return {Element<T>::number, Element<T>::number, Element<Sum>::number, tf32<T> ? 4 : k, saturated};
}
template <int m, int n, class T> constexpr Tiles tiles_of() {
    constexpr bool square = m == n;
    return {static_cast<unsigned char>(square ? 1 : 2), static_cast<unsigned char>(square && m == 16 ? 2 : 1),
            static_cast<unsigned char>(tf32<T> ? 2 : 1)};
}

template <int m, int n, int k, class T, class Sum>
LADDER_INLINE Words multiply(Words a, Words b, Words c, bool saturated, int line) {
    constexpr bool exchanged = turned(m, n);
    return ladder_matrix_product(product_of<m, n, k, T, Sum>(saturated), tiles_of<m, n, T>(), exchanged ? b : a,
                                 exchanged ? a : b, c, line);
}

}  // namespace ladder::wmma

namespace nvcuda::wmma {

template <int m, int n, int k, class T, class La, class Lb, class Sum,
          LADDER_IF(!ladder::same<Sum, int> && ladder::wmma::adds_up<T, Sum>)>
LADDER_INLINE void mma_sync(fragment<accumulator, m, n, k, Sum>& d, const fragment<matrix_a, m, n, k, T, La>& a,
                            const fragment<matrix_b, m, n, k, T, Lb>& b, const fragment<accumulator, m, n, k, Sum>& c,
                            LADDER_LINE) {
    using ladder::wmma::words_of;
    const ladder::Words sums =
        ladder::wmma::multiply<m, n, k, T, Sum>(words_of(a.x), words_of(b.x), words_of(c.x), false, line);
    ladder::wmma::take_words<fragment<accumulator, m, n, k, Sum>::num_elements>(d.x, sums);
}

// Whole numbers: `saturated` sums stop at the ends of int's range.
template <int m, int n, int k, class T, class La, class Lb, LADDER_IF(ladder::wmma::adds_up<T, int>)>
LADDER_INLINE void mma_sync(fragment<accumulator, m, n, k, int>& d, const fragment<matrix_a, m, n, k, T, La>& a,
                            const fragment<matrix_b, m, n, k, T, Lb>& b, const fragment<accumulator, m, n, k, int>& c,
                            bool saturated = false, LADDER_LINE) {
    using ladder::wmma::words_of;
    const ladder::Words sums =
        ladder::wmma::multiply<m, n, k, T, int>(words_of(a.x), words_of(b.x), words_of(c.x), saturated, line);
    ladder::wmma::take_words<fragment<accumulator, m, n, k, int>::num_elements>(d.x, sums);
}

// Sums of another type than they were: half becomes float before, float becomes half after.
template <int m, int n, int k, class La, class Lb>
LADDER_INLINE void mma_sync(fragment<accumulator, m, n, k, float>& d, const fragment<matrix_a, m, n, k, __half, La>& a,
                            const fragment<matrix_b, m, n, k, __half, Lb>& b,
                            const fragment<accumulator, m, n, k, __half>& c, LADDER_LINE) {
    fragment<accumulator, m, n, k, float> sums;
    constexpr int count = sums.num_elements;
    for (int i = 0; i < count; ++i)
        sums.x[ladder::wmma::place_of<float, count>(i)] = __half2float(c.x[ladder::wmma::place_of<__half, count>(i)]);
    mma_sync(d, a, b, sums, line);
}
template <int m, int n, int k, class La, class Lb>
LADDER_INLINE void mma_sync(fragment<accumulator, m, n, k, __half>& d, const fragment<matrix_a, m, n, k, __half, La>& a,
                            const fragment<matrix_b, m, n, k, __half, Lb>& b,
                            const fragment<accumulator, m, n, k, float>& c, LADDER_LINE) {
    fragment<accumulator, m, n, k, float> sums;
    mma_sync(sums, a, b, c, line);
    constexpr int count = sums.num_elements;
    for (int i = 0; i < count; ++i)
        d.x[ladder::wmma::place_of<__half, count>(i)] = __float2half(sums.x[ladder::wmma::place_of<float, count>(i)]);
}

// To the nearest number of tf32, which has ten digits behind the point; in the middle, away from zero.
LADDER_INLINE float __float_to_tf32(float x) {
    if (!(__builtin_fabsf(x) < __builtin_inff())) return x;
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

}  // namespace nvcuda::wmma
