// Memory straight from the kernel, in pages of the size that this machine has: 4 KB, or up to 64 KB on aarch64.
#pragma once

#include <cstddef>
#include <utility>

namespace ladder {

std::size_t page_size();
void* map_zeroes(std::size_t bytes);   // throws std::bad_alloc
void unmap(void* memory, std::size_t bytes);

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// A memory-mapped array of zeroes that costs only what is touched.
template <class T> class Lazy {
public:
    Lazy() = default;
    explicit Lazy(std::size_t count) : data_(count ? static_cast<T*>(map_zeroes(count * sizeof(T))) : nullptr), count_(count) {}
    ~Lazy() { if (data_) unmap(data_, count_ * sizeof(T)); }
    Lazy(Lazy&& other) noexcept { swap(other); }
    Lazy& operator=(Lazy&& other) noexcept { swap(other); return *this; }
    T& operator[](std::size_t i) const { return data_[i]; }
    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    explicit operator bool() const { return data_ != nullptr; }

private:
    void swap(Lazy& other) { std::swap(data_, other.data_); std::swap(count_, other.count_); }
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace ladder
