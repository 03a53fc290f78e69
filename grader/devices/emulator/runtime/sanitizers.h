// What AddressSanitizer and ThreadSanitizer have to be told of fibers, where the runtime is built with one of them
// (tests/emulator/test_sanitizers.py). In any other build there is nothing in here.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace ladder {

// AddressSanitizer marks the frames on a stack: there, the next fiber must not find those of one that will come back.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_share_stacks = false;
#else
constexpr bool can_share_stacks = true;
#endif

// The sanitizer's idea of one fiber. Its owner calls begin and end; who switches to another fiber says so before, with
// leave, and again once it is back, or has just begun, with arrive.
#if defined(__SANITIZE_ADDRESS__)

struct Announced {
    const void* bottom = nullptr;   // of the stack
    std::size_t bytes = 0;
    void* fake_stack = nullptr;

    void begin(const void* stack, std::size_t size) {
        bottom = stack, bytes = size;
        __asan_unpoison_memory_region(bottom, bytes);   // frames of the fiber before, which never returned
    }
    void end() { __asan_unpoison_memory_region(bottom, bytes); }
    void leave(const Announced& other) {
        left = this;
        __sanitizer_start_switch_fiber(&fake_stack, other.bottom, other.bytes);
    }
    static void leave_for_good(const Announced& other) {
        left = nullptr;
        __sanitizer_start_switch_fiber(nullptr, other.bottom, other.bytes);
    }
    // An OS thread's own stack becomes known when it is left for the first time.
    void arrive() const {
        const void* its_bottom;
        std::size_t its_bytes;
        __sanitizer_finish_switch_fiber(fake_stack, &its_bottom, &its_bytes);
        if (left) left->bottom = its_bottom, left->bytes = its_bytes;
    }
    static inline thread_local Announced* left = nullptr;
};

#elif defined(__SANITIZE_THREAD__)

// A function of its own would enter on one fiber's record of calls and exit on the other's, whose record ends below its
// beginning if it is new: so what switches is inlined, without optimization, too.
struct Announced {
    void* fiber = nullptr;

    // One for all fibers that follow each other on a stack, for it takes a millisecond to make.
    void begin(const void*, std::size_t) { if (!fiber) fiber = __tsan_create_fiber(0); }
    void end() { if (fiber) __tsan_destroy_fiber(fiber); }
    [[gnu::always_inline]] void leave(const Announced& other) {
        fiber = __tsan_get_current_fiber();
        leave_for_good(other);
    }
    [[gnu::always_inline]] static void leave_for_good(const Announced& other) { __tsan_switch_to_fiber(other.fiber, 0); }
    void arrive() const {}
};

#else

struct Announced {
    void begin(const void*, std::size_t) {}
    void end() {}
    void leave(const Announced&) {}
    static void leave_for_good(const Announced&) {}
    void arrive() const {}
};

#endif

}  // namespace ladder
