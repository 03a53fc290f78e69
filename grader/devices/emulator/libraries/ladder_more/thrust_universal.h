// thrust's universal pointers and vectors: managed memory, whose elements both sides read and write as they are.
#pragma once

#include "thrust_iterators.h"

namespace thrust {

template <class T> class universal_ptr {
public:
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = universal_ptr;
    using iterator_category = std::random_access_iterator_tag;

    universal_ptr() = default;
    explicit LADDER_INLINE universal_ptr(T* p) : p_(p) {}
    LADDER_INLINE universal_ptr(std::nullptr_t) : p_(nullptr) {}
    LADDER_INLINE operator universal_ptr<const T>() const { return universal_ptr<const T>(p_); }
    LADDER_INLINE T* get() const { return p_; }
    LADDER_INLINE T& operator*() const { return *p_; }
    LADDER_INLINE T* operator->() const { return p_; }
    LADDER_INLINE T& operator[](std::ptrdiff_t i) const { return p_[i]; }
    LADDER_INLINE universal_ptr& operator++() { return ++p_, *this; }
    LADDER_INLINE universal_ptr& operator--() { return --p_, *this; }
    LADDER_INLINE universal_ptr operator++(int) { return universal_ptr(p_++); }
    LADDER_INLINE universal_ptr operator--(int) { return universal_ptr(p_--); }
    LADDER_INLINE universal_ptr& operator+=(std::ptrdiff_t n) { return p_ += n, *this; }
    LADDER_INLINE universal_ptr& operator-=(std::ptrdiff_t n) { return p_ -= n, *this; }
    friend LADDER_INLINE universal_ptr operator+(universal_ptr a, std::ptrdiff_t n) { return universal_ptr(a.p_ + n); }
    friend LADDER_INLINE universal_ptr operator-(universal_ptr a, std::ptrdiff_t n) { return universal_ptr(a.p_ - n); }
    friend LADDER_INLINE std::ptrdiff_t operator-(universal_ptr a, universal_ptr b) { return a.p_ - b.p_; }
    friend LADDER_INLINE bool operator==(universal_ptr a, universal_ptr b) { return a.p_ == b.p_; }
    friend LADDER_INLINE bool operator!=(universal_ptr a, universal_ptr b) { return a.p_ != b.p_; }
    friend LADDER_INLINE bool operator<(universal_ptr a, universal_ptr b) { return a.p_ < b.p_; }
    explicit LADDER_INLINE operator bool() const { return p_ != nullptr; }

private:
    T* p_ = nullptr;
};
template <class T> LADDER_INLINE T* raw_pointer_cast(universal_ptr<T> p) { return p.get(); }

template <class T> struct universal_allocator {
    using value_type = T;
    universal_allocator() = default;
    template <class U> universal_allocator(const universal_allocator<U>&) {}
    T* allocate(std::size_t count) {
        T* p = nullptr;
        if (cudaMallocManaged(&p, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        return p;
    }
    void deallocate(T* p, std::size_t) { cudaFree(p); }
    friend bool operator==(universal_allocator, universal_allocator) { return true; }
    friend bool operator!=(universal_allocator, universal_allocator) { return false; }
};

template <class T, class Allocator = universal_allocator<T>> class universal_vector : public std::vector<T, Allocator> {
    using Base = std::vector<T, Allocator>;

public:
    using pointer = universal_ptr<T>;
    using iterator = universal_ptr<T>;
    using const_iterator = universal_ptr<const T>;
    using Base::Base;
    universal_vector() = default;
    template <class V, class = decltype(std::declval<const V&>().begin())> universal_vector(const V& other) { *this = other; }
    template <class V, class = decltype(std::declval<const V&>().begin())> universal_vector& operator=(const V& other) {
        const std::vector<T> values(other.begin(), other.end());
        return Base::assign(values.begin(), values.end()), *this;
    }
    iterator begin() { return iterator(Base::data()); }
    iterator end() { return begin() + static_cast<std::ptrdiff_t>(Base::size()); }
    const_iterator begin() const { return const_iterator(Base::data()); }
    const_iterator end() const { return begin() + static_cast<std::ptrdiff_t>(Base::size()); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    pointer data() { return begin(); }
    const_iterator data() const { return begin(); }
    std::vector<T> to_host() const { return std::vector<T>(Base::begin(), Base::end()); }
};
template <class T, class Allocator = universal_allocator<T>> using universal_host_pinned_vector = universal_vector<T, Allocator>;

}  // namespace thrust

namespace ladder {

template <class T> LADDER_INLINE T& at(thrust::universal_ptr<T> p) { return *p.get(); }
template <class It> constexpr bool is_universal = false;
template <class T> constexpr bool is_universal<thrust::universal_ptr<T>> = true;

}  // namespace ladder
