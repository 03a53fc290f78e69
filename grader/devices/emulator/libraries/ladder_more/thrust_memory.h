// thrust's pointers and vectors. Host code reads and writes a device vector's elements by copies, one at a time.
#pragma once

// Programs rely on what thrust and cub include.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cuda/std/functional>
#include <cuda/std/utility>

#include "each.h"
#include "thrust_errors.h"

// Of CUDA 13.0's CCCL.
#define THRUST_VERSION 300001
#define THRUST_MAJOR_VERSION (THRUST_VERSION / 100000)
#define THRUST_MINOR_VERSION (THRUST_VERSION / 100 % 1000)
#define THRUST_SUBMINOR_VERSION (THRUST_VERSION % 100)
#define THRUST_PATCH_NUMBER 0

namespace thrust {

template <class T> class device_ptr;

// An operator gets no line: where one copies wrongly, the runtime looks who has called.
template <class T> class device_reference {
public:
    device_ptr<T> operator&() const;   // `&vector[0]` is no pointer of the host's
    explicit LADDER_UNSEEN device_reference(T* place) : place_(place) {}
    LADDER_UNSEEN operator std::remove_cv_t<T>() const {
        std::remove_cv_t<T> value;
        ladder::copy_in_order(&value, place_, sizeof(T), cudaMemcpyDeviceToHost, 0);
        return value;
    }
    LADDER_UNSEEN const device_reference& operator=(const std::remove_cv_t<T>& value) const {
        ladder::copy_in_order(const_cast<std::remove_cv_t<T>*>(place_), &value, sizeof(T), cudaMemcpyHostToDevice, 0);
        return *this;
    }
    LADDER_UNSEEN const device_reference& operator=(const device_reference& other) const { return *this = static_cast<T>(other); }
#define LADDER_CHANGE(op) \
    LADDER_UNSEEN const device_reference& operator op##=(const T& by) const { return *this = static_cast<T>(*this) op by; }
    LADDER_CHANGE(+) LADDER_CHANGE(-) LADDER_CHANGE(*) LADDER_CHANGE(/)
#undef LADDER_CHANGE

private:
    T* place_;
};

template <class T> class device_ptr {
public:
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<T>;
    using pointer = device_ptr;
    using iterator_category = std::random_access_iterator_tag;

    device_ptr() = default;
    explicit device_ptr(T* p) : p_(p) {}
    device_ptr(std::nullptr_t) : p_(nullptr) {}
    operator device_ptr<const T>() const { return device_ptr<const T>(p_); }
    T* get() const { return p_; }
    reference operator*() const { return reference(p_); }
    reference operator[](std::ptrdiff_t i) const { return reference(p_ + i); }
    device_ptr& operator++() { return ++p_, *this; }
    device_ptr& operator--() { return --p_, *this; }
    device_ptr operator++(int) { return device_ptr(p_++); }
    device_ptr& operator+=(std::ptrdiff_t n) { return p_ += n, *this; }
    device_ptr& operator-=(std::ptrdiff_t n) { return p_ -= n, *this; }
    friend device_ptr operator+(device_ptr a, std::ptrdiff_t n) { return device_ptr(a.p_ + n); }
    friend device_ptr operator-(device_ptr a, std::ptrdiff_t n) { return device_ptr(a.p_ - n); }
    friend std::ptrdiff_t operator-(device_ptr a, device_ptr b) { return a.p_ - b.p_; }
    friend bool operator==(device_ptr a, device_ptr b) { return a.p_ == b.p_; }
    friend bool operator!=(device_ptr a, device_ptr b) { return a.p_ != b.p_; }
    friend bool operator<(device_ptr a, device_ptr b) { return a.p_ < b.p_; }
    explicit operator bool() const { return p_ != nullptr; }

private:
    T* p_ = nullptr;
};
template <class T> device_ptr<T> device_reference<T>::operator&() const { return device_ptr<T>(place_); }

template <class T> T* raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T> T* raw_pointer_cast(T* p) { return p; }
template <class T> device_ptr<T> device_pointer_cast(T* p) { return device_ptr<T>(p); }
template <class T> device_ptr<T> device_malloc(std::size_t count) {
    T* p = nullptr;
    cudaMalloc(&p, count * sizeof(T));
    return device_ptr<T>(p);
}
inline device_ptr<void> device_malloc(std::size_t bytes) {
    void* p = nullptr;
    cudaMalloc(&p, bytes);
    return device_ptr<void>(p);
}
template <class T> void device_free(device_ptr<T> p) { cudaFree(const_cast<std::remove_cv_t<T>*>(p.get())); }

template <class T, class Allocator = std::allocator<T>> class host_vector : public std::vector<T, Allocator> {
public:
    using std::vector<T, Allocator>::vector;
    host_vector() = default;
    host_vector(const std::vector<T>& other) : std::vector<T, Allocator>(other.begin(), other.end()) {}
    template <class V, class = decltype(std::declval<const V&>().to_host())> host_vector(const V& other) { *this = other; }
    template <class V, class = decltype(std::declval<const V&>().to_host())> host_vector& operator=(const V& other) {
        const auto values = other.to_host();
        this->assign(values.begin(), values.end());
        return *this;
    }
};

template <class T, class Allocator = void> class device_vector {
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = device_reference<T>;
    using const_reference = device_reference<const T>;
    using pointer = device_ptr<T>;
    using iterator = device_ptr<T>;
    using const_iterator = device_ptr<const T>;

    device_vector() = default;
    explicit device_vector(std::size_t count) { assign_host(std::vector<T>(count)); }
    device_vector(std::size_t count, const T& value) { assign_host(std::vector<T>(count, value)); }
    device_vector(std::initializer_list<T> values) { assign_host(values); }
    device_vector(const device_vector& other) { assign_host(other.to_host()); }
    device_vector(device_vector&& other) noexcept { swap(other); }
    template <class U, class A> device_vector(const std::vector<U, A>& other) { assign_host(std::vector<T>(other.begin(), other.end())); }
    template <class U, class A> device_vector(const device_vector<U, A>& other) { *this = other; }
    template <class It, class = typename std::iterator_traits<It>::iterator_category> device_vector(It first, It last) { assign(first, last); }
    ~device_vector() { cudaFree(data_); }
    device_vector& operator=(const device_vector& other) {
        if (this != &other) assign_host(other.to_host());
        return *this;
    }
    device_vector& operator=(device_vector&& other) noexcept { return swap(other), *this; }
    template <class U, class A> device_vector& operator=(const std::vector<U, A>& other) {
        return assign_host(std::vector<T>(other.begin(), other.end())), *this;
    }
    template <class U, class A> device_vector& operator=(const device_vector<U, A>& other) {
        const std::vector<U> values = other.to_host();
        return assign_host(std::vector<T>(values.begin(), values.end())), *this;
    }

    template <class It> void assign(It first, It last) {
        std::vector<T> values;
        for (; first != last; ++first) values.push_back(static_cast<T>(*first));
        assign_host(values);
    }
    void assign(std::size_t count, const T& value) { assign_host(std::vector<T>(count, value)); }
    void resize(std::size_t count, const T& value = T()) {
        std::vector<T> values = to_host();
        values.resize(count, value);
        assign_host(values);
    }
    void reserve(std::size_t count) {
        if (count > capacity_) move_to(count);
    }
    void shrink_to_fit() {
        if (size_ < capacity_) move_to(size_);
    }
    void clear() { assign_host({}); }
    void push_back(const T& value) { resize(size_ + 1, value); }
    void pop_back() { resize(size_ - 1); }
    template <class U> void insert(iterator where, U first, U last) {
        std::vector<T> values = to_host();
        values.insert(values.begin() + (where - begin()), first, last);
        assign_host(values);
    }
    iterator erase(iterator first, iterator last) {
        const auto at = first - begin();
        std::vector<T> values = to_host();
        values.erase(values.begin() + at, values.begin() + (last - begin()));
        assign_host(values);
        return begin() + at;
    }
    void swap(device_vector& other) { std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(capacity_, other.capacity_); }

    friend bool operator==(const device_vector& a, const device_vector& b) { return a.to_host() == b.to_host(); }
    friend bool operator!=(const device_vector& a, const device_vector& b) { return !(a == b); }
    friend bool operator==(const device_vector& a, const std::vector<T>& b) { return a.to_host() == b; }
    friend bool operator!=(const device_vector& a, const std::vector<T>& b) { return !(a == b); }
    friend bool operator==(const std::vector<T>& a, const device_vector& b) { return b == a; }
    friend bool operator!=(const std::vector<T>& a, const device_vector& b) { return !(b == a); }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    pointer data() { return begin(); }
    const_iterator data() const { return begin(); }
    iterator begin() { return iterator(data_); }
    iterator end() { return iterator(data_ + size_); }
    const_iterator begin() const { return const_iterator(data_); }
    const_iterator end() const { return const_iterator(data_ + size_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reference operator[](std::size_t i) { return reference(data_ + i); }
    const_reference operator[](std::size_t i) const { return const_reference(data_ + i); }
    reference front() { return (*this)[0]; }
    reference back() { return (*this)[size_ - 1]; }

    std::vector<T> to_host() const {
        std::vector<T> values(size_);
        if (size_) cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
        return values;
    }

private:
    // Pointers to elements stay good until there are more than there is room for. thrust takes room for more than it needs then,
    // here it is just enough: an index past the end is out of bounds.
    void assign_host(const std::vector<T>& values) {
        if (values.size() > capacity_) {
            size_ = 0;
            move_to(values.size());
        }
        size_ = values.size();
        if (size_) cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    void move_to(std::size_t room) {
        T* const before = std::exchange(data_, nullptr);
        if (room) cudaMalloc(&data_, room * sizeof(T));
        if (size_) cudaMemcpy(data_, before, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
        cudaFree(before);
        capacity_ = room;
    }
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

template <class T> void swap(device_ptr<T>& a, device_ptr<T>& b) { std::swap(a, b); }
template <class T, class A> void swap(device_vector<T, A>& a, device_vector<T, A>& b) { a.swap(b); }
template <class T, class A> void swap(host_vector<T, A>& a, host_vector<T, A>& b) { a.swap(b); }

}  // namespace thrust
