// What the runtime has in the place of malloc() once host code has damaged the C library's memory.
#include "own_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>

namespace ladder {

namespace {

std::atomic<bool> without_malloc{false};

// Pages of its own, one piece behind the other. Nothing is given back: the program ends.
void* piece(std::size_t bytes, std::size_t alignment) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    static std::mutex mutex;
    static std::size_t next = 0, end = 0;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto aligned = [&] { return (next + alignment - 1) / alignment * alignment; };
    if (next == 0 || aligned() + bytes > end) {
        const std::size_t room = std::max(chunk, bytes + alignment);
        void* const pages = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        next = reinterpret_cast<std::size_t>(pages), end = next + room;
    }
    const std::size_t begin = aligned();
    next = begin + bytes;
    return reinterpret_cast<void*>(begin);
}

}  // namespace

void do_without_malloc() { without_malloc = true; }

}  // namespace ladder

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)   // those have their own

// The C++ library's strings and containers come here, too, where this library has brought it into the process.
void* operator new(std::size_t bytes) {
    if (ladder::without_malloc) return ladder::piece(bytes, alignof(std::max_align_t));
    for (;;) {
        if (void* const p = std::malloc(bytes ? bytes : 1)) return p;
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const std::size_t multiple = static_cast<std::size_t>(alignment);
    if (ladder::without_malloc) return ladder::piece(bytes, multiple);
    for (;;) {
        if (void* const p = std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple)) return p;
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

void operator delete(void* p) noexcept {
    if (!ladder::without_malloc) std::free(p);
}

void operator delete(void* p, std::align_val_t) noexcept { operator delete(p); }
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { operator delete(p); }

#endif
