// Where an algorithm runs: told by its iterators, or by a policy before them.
#pragma once

#include "../ladder_more/thrust_universal.h"

namespace thrust {

struct ladder_on_device {
    cudaStream_t stream = nullptr;
    bool waits = true;   // the host, for the algorithm's end
    LADDER_UNSEEN ladder_on_device on(cudaStream_t its) const { return {its, waits}; }
    template <class A> const ladder_on_device& operator()(A&&) const { return *this; }
};
struct ladder_on_host {};

inline constexpr ladder_on_device device{};
inline constexpr ladder_on_host host{}, seq{};
namespace cuda { inline constexpr ladder_on_device par{}, par_nosync{nullptr, false}; }
namespace omp { inline constexpr ladder_on_host par{}; }

}  // namespace thrust

namespace ladder {

// A policy that stands before an algorithm's arguments, and the line of the call.
template <class P> struct Policy {
    P chosen;
    int line;
    LADDER_UNSEEN Policy(const P& chosen, LADDER_LINE) : chosen(chosen), line(line) {}
};

// Where an iterator's elements are: 0 they are computed, 1 on the host, 2 on the device.
template <class It> struct Side { static constexpr int value = 1; };
template <class T> struct Side<thrust::device_ptr<T>> { static constexpr int value = 2; };
template <class T> struct Side<thrust::universal_ptr<T>> { static constexpr int value = 2; };
template <class T> struct Side<thrust::counting_iterator<T>> { static constexpr int value = 0; };
template <class T> struct Side<thrust::constant_iterator<T>> { static constexpr int value = 0; };
template <class T> struct Side<thrust::discard_iterator<T>> { static constexpr int value = 0; };
template <class... Its> constexpr int side_of() {
    int side = 0;
    ((side = Side<std::decay_t<Its>>::value > side ? Side<std::decay_t<Its>>::value : side), ...);
    return side;
}
template <class F, class It, class V> struct Side<thrust::transform_iterator<F, It, V>> : Side<It> {};
template <class F, class It> struct Side<thrust::transform_output_iterator<F, It>> : Side<It> {};
template <class It> struct Side<thrust::reverse_iterator<It>> : Side<It> {};
template <class... Its> struct Side<thrust::zip_iterator<std::tuple<Its...>>> { static constexpr int value = side_of<Its...>(); };
template <class It, class Map> struct Side<thrust::permutation_iterator<It, Map>> { static constexpr int value = side_of<It, Map>(); };
template <class... Its> constexpr bool on_device = side_of<Its...>() != 1;

// With the policy thrust::device, plain pointers are the device's.
template <class P, class A> LADDER_UNSEEN auto placed(const P&, A a) {
    if constexpr (std::is_pointer_v<A> && !std::is_function_v<std::remove_pointer_t<A>> && std::is_same_v<P, thrust::ladder_on_device>) return thrust::device_ptr<std::remove_pointer_t<A>>(a);
    else return a;
}
template <class T> T* pointer_in(thrust::device_ptr<T>);
struct NoPointer;
NoPointer* pointer_in(...);
// And what comes back is a plain pointer again.
template <bool plain, class R> LADDER_UNSEEN auto replaced(R result) {
    if constexpr (plain && std::is_same_v<R, thrust::device_ptr<std::remove_pointer_t<decltype(pointer_in(result))>>>) return result.get();
    else return result;
}
template <bool plain, class A, class B> LADDER_UNSEEN auto replaced(std::pair<A, B> results) {
    return std::pair(replaced<plain>(results.first), replaced<plain>(results.second));
}

// Of the algorithm that runs.
inline LADDER_UNSEEN thrust::ladder_on_device& chosen_policy() {
    static thrust::ladder_on_device policy;
    return policy;
}
inline LADDER_UNSEEN bool& chosen_here() {
    static bool here = false;
    return here;
}
// Whether whoever calls an algorithm does its work: the host, if its policy says so, and a thread of a kernel under any.
inline LADDER_UNSEEN bool works_here() { return ladder_in_kernel() || chosen_here(); }
// Behind a policy the line that an algorithm gets is one of these headers.
inline LADDER_UNSEEN int& chosen_line() {
    static int line = 0;
    return line;
}
inline LADDER_UNSEEN int line_of_call(int line) { return chosen_line() ? chosen_line() : line; }
struct Chosen {
    template <class P> LADDER_UNSEEN Chosen(const P& policy, int line) {
        if (ladder_in_kernel()) return;
        chosen_line() = line;
        if constexpr (std::is_same_v<P, thrust::ladder_on_device>) chosen_policy() = policy;
        else chosen_here() = true;
    }
    LADDER_UNSEEN ~Chosen() {
        if (!ladder_in_kernel()) chosen_policy() = {}, chosen_here() = false, chosen_line() = 0;
    }
};

}  // namespace ladder
