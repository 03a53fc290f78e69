#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace ladder {

// What one core writes takes the lines around it away from all others, which load two at a time: what is written all the time
// lies apart from what is read all the time.
constexpr std::size_t cache_lines = 128;

// A mutex that is waited for awake at first: it is held for less time than it takes to fall asleep and be woken.
class alignas(cache_lines) AwakeMutex {
public:
    void lock();
    void unlock() {
        held_.store(false, std::memory_order_relaxed);
        mutex_.unlock();
    }

private:
    std::mutex mutex_;
    std::atomic<bool> held_{false};   // to look at, which disturbs the one that holds it less than to try
};

}  // namespace ladder
