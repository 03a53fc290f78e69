// The names of NVIDIA's samples' helper_timer.h: watches of the host, in milliseconds.
#pragma once

#include "ladder_program.h"

struct StopWatchInterface {
    double began = 0, total = 0;
    int sessions = 0;
    bool running = false;
    float now() const { return static_cast<float>(total + (running ? 1e3 * (ladder_host_seconds() - began) : 0)); }
};

inline bool sdkCreateTimer(StopWatchInterface** timer) { return (*timer = new StopWatchInterface) != nullptr; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
    (*timer)->began = ladder_host_seconds();
    (*timer)->running = true;
    return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
    (*timer)->total = (*timer)->now();
    (*timer)->running = false;
    ++(*timer)->sessions;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
    const bool running = (*timer)->running;
    **timer = {ladder_host_seconds(), 0, 0, running};
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->now() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
    return *timer && (*timer)->sessions ? (*timer)->now() / static_cast<float>((*timer)->sessions) : 0;
}
