// Streams and events. Everything is done at once, in the order of the calls: one of the orders that a GPU may choose.
#pragma once

#include "errors.h"

using cudaStream_t = struct CUstream_st*;
using cudaHostFn_t = void (*)(void*);

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
    bool recorded;
};
using cudaEvent_t = CUevent_st*;

// ---- streams ----

inline LADDER_UNSEEN cudaError_t cudaStreamCreate(cudaStream_t* stream, LADDER_LINE) {
    *stream = static_cast<cudaStream_t>(ladder_stream_create(line));
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned,
                                                           LADDER_LINE) {
    return cudaStreamCreate(stream, line);
}
inline LADDER_UNSEEN cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int,
                                                              LADDER_LINE) {
    return cudaStreamCreate(stream, line);
}
inline LADDER_UNSEEN cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return ladder::status(ladder_stream_destroy(stream));
}
inline LADDER_UNSEEN cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    ladder_host_waits(stream);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaStreamQuery(cudaStream_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
    ladder_stream_wait(stream, event);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return ladder::status();
}

// ---- events: they tell the time on the host, which says nothing about a GPU ----

inline LADDER_UNSEEN cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new CUevent_st{0, false};
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = 0) {
    return cudaEventCreateWithFlags(event, flags);
}
inline LADDER_UNSEEN cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    ladder_event_record(event, stream);
    *event = {ladder_host_seconds(), true};
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    ladder_host_waits_for_event(event);
    return ladder::status();
}
inline LADDER_UNSEEN cudaError_t cudaEventQuery(cudaEvent_t) { return ladder::status(); }
inline LADDER_UNSEEN cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
    if (!start->recorded || !stop->recorded) return ladder::status(cudaErrorInvalidResourceHandle);
    *milliseconds = static_cast<float>(1e3 * (stop->seconds - start->seconds));
    return ladder::status();
}

// ---- the whole device ----

inline LADDER_UNSEEN cudaError_t cudaDeviceSynchronize() {
    ladder_host_waits_for_all();
    return ladder::status();
}
