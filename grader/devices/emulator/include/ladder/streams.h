// Streams and events. Everything is done at once, in the order of the calls: one of the orders that a GPU may choose.
#pragma once

#include "errors.h"

using cudaStream_t = struct CUstream_st*;
using cudaHostFn_t = void (*)(void*);

#define CUDART_CB

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00

struct CUevent_st {
    double seconds;   // of the host's clock
    bool recorded, is_timed;
};
using cudaEvent_t = CUevent_st*;

namespace ladder {

constexpr int greatest_priority = -5;
constexpr std::size_t of_a_kernel = 16;   // an event that a kernel makes: nothing is in it

// While a stream is captured into a graph (libraries/ladder_more/captures.h), its work is kept instead of done.
using KeptWork = void (*)(void* work, cudaStream_t stream);
inline bool (*is_captured)(cudaStream_t) = nullptr;
inline void (*keep_work)(cudaStream_t, KeptWork, void* work) = nullptr;
inline bool (*keep_event)(cudaStream_t, cudaEvent_t, bool waits) = nullptr;
inline bool (*is_kept)(cudaEvent_t) = nullptr;

inline LADDER_UNSEEN bool in_a_capture(cudaStream_t stream) { return is_captured && is_captured(stream); }
// Whether host code may not wait for it.
inline LADDER_UNSEEN int refused_to_wait(cudaStream_t stream) {
    return is_captured ? ladder_wait_while_captured(stream, is_captured(stream)) : Success;
}

inline LADDER_UNSEEN int refused_to_wait(cudaEvent_t event) { return is_kept && is_kept(event) ? ladder_wait_for_captured_event() : Success; }

// What a function gives through a pointer, which in a kernel is a store like any other.
template <class T> LADDER_INLINE cudaError_t give(T* to, T value) {
    if (!ladder_in_kernel()) return *to = value, status();
    ladder_copy_bytes(to, &value, sizeof value);
    return cudaSuccess;
}

// `work` is to be done on the stream that it is given: at once, when the graph is launched, or behind the kernel that asks for it.
template <class Work> LADDER_UNSEEN cudaError_t asynchronous(cudaStream_t stream, int line, Work work) {
    struct Kept { Work work; int line; };
    if (ladder_in_kernel()) {
        const auto behind_it = [](void* self, void* on) LADDER_UNSEEN {
            const Kept& kept = *static_cast<Kept*>(self);
            asynchronous(static_cast<cudaStream_t>(on), kept.line, kept.work);
        };
        const Kept kept{work, line};
        ladder_work_later(stream, behind_it, &kept, sizeof kept);
        return cudaSuccess;
    }
    if (in_a_capture(stream)) {
        const auto later = [](void* self, cudaStream_t on) LADDER_UNSEEN {
            const Kept& kept = *static_cast<Kept*>(self);
            asynchronous(on, kept.line, kept.work);
        };
        keep_work(stream, later, new Kept{work, line});
        return status();
    }
    if (const int error = ladder_stream_work(stream, line)) return status(error);
    return work();
}

// `work` of a whole program is the default stream's, and the host waits for it: not for that of streams which do not wait
// for the default one, nor they for it.
template <class Work> LADDER_UNSEEN cudaError_t synchronous(int line, Work work) {
    if (!ladder_is_program()) return work();
    if (const int refused = ladder_stream_work(nullptr, line)) return status(refused);
    const cudaError_t error = work();
    ladder_host_waits(nullptr);
    return error;
}

}  // namespace ladder

// ---- streams ----

// As CUDA does it, a priority beyond the last one is the last one.
inline LADDER_UNSEEN cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority, LADDER_LINE) {
    LADDER_WANTS(stream && flags <= cudaStreamNonBlocking);
    const int urgency = priority > 0 ? 0 : priority < ladder::greatest_priority ? -ladder::greatest_priority : -priority;
    return ladder::give(stream, static_cast<cudaStream_t>(ladder_stream_create(line, flags != cudaStreamNonBlocking, urgency)));
}
inline LADDER_UNSEEN cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags, LADDER_LINE) {
    return cudaStreamCreateWithPriority(stream, flags, 0, line);
}
inline LADDER_UNSEEN cudaError_t cudaStreamCreate(cudaStream_t* stream, LADDER_LINE) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault, line);
}
inline LADDER_UNSEEN cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return ladder::status(ladder_stream_destroy(stream));
}
inline LADDER_UNSEEN cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const int refused = ladder::refused_to_wait(stream)) return ladder::status(refused);
    ladder_host_waits(stream);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (const int refused = ladder::refused_to_wait(stream)) return ladder::status(refused);
    if (ladder_is_under_way(stream, nullptr)) return cudaErrorNotReady;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
    LADDER_NEEDS(event);
    if (!ladder_in_kernel() && ladder::keep_event && ladder::keep_event(stream, event, true)) return ladder::status();
    ladder_stream_wait(stream, event);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = ladder::greatest_priority;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, LADDER_LINE) {
    LADDER_WANTS(function);
    return ladder::asynchronous(stream, line, [=]() LADDER_UNSEEN {
        ladder_host_function(true);   // it is called when the work before it is done
        function(data);
        ladder_host_function(false);
        return ladder::status();
    });
}

// ---- events: they tell the time on the host, which says nothing about a GPU ----

inline LADDER_UNSEEN cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags, LADDER_LINE) {
    LADDER_WANTS(event && flags < 2 * cudaEventInterprocess);
    if (ladder_in_kernel()) return ladder::give(event, reinterpret_cast<cudaEvent_t>(ladder::of_a_kernel));
    *event = new CUevent_st{0, false, !(flags & cudaEventDisableTiming)};
    ladder_event_create(*event, line);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = 0, LADDER_LINE) {
    return cudaEventCreateWithFlags(event, flags, line);
}
inline LADDER_UNSEEN cudaError_t cudaEventDestroy(cudaEvent_t event) {
    LADDER_NEEDS(event);
    if (ladder_in_kernel()) return cudaSuccess;
    ladder_event_destroy(event);
    delete event;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    LADDER_NEEDS(event);
    if (ladder_in_kernel()) return cudaSuccess;
    if (ladder::keep_event && ladder::keep_event(stream, event, false)) return ladder::status();
    ladder_event_record(event, stream);
    *event = {ladder_host_seconds(), true, event->is_timed};
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    LADDER_NEEDS(event);
    if (const int refused = ladder::refused_to_wait(event)) return ladder::status(refused);
    ladder_host_waits_for_event(event);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventQuery(cudaEvent_t event) {
    LADDER_NEEDS(event);
    if (const int refused = ladder::refused_to_wait(event)) return ladder::status(refused);
    if (ladder_is_under_way(nullptr, event)) return cudaErrorNotReady;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop, LADDER_LINE) {
    LADDER_WANTS(milliseconds);
    LADDER_NEEDS(start && stop);
    if (!(start->recorded && stop->recorded && start->is_timed && stop->is_timed)) return ladder::status(ladder_has_no_time(line));
    if (ladder_asks_too_early(start, line) || ladder_asks_too_early(stop, line)) return cudaErrorNotReady;
    ladder_between_events(start, stop, line);
    *milliseconds = static_cast<float>(1e3 * (stop->seconds - start->seconds));
    return ladder::status();
}

// ---- the whole device ----

inline LADDER_UNSEEN cudaError_t cudaDeviceSynchronize() {
    if (const int refused = ladder::is_captured ? ladder_wait_while_captured(nullptr, true) : 0) return ladder::status(refused);
    ladder_host_waits_for_all();
    return ladder::status();
}
