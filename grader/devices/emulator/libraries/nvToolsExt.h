// NVTX marks ranges for NVIDIA's profilers: nothing happens here.
#pragma once

#include <cstdint>

#include "ladder_program.h"

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (sizeof(nvtxEventAttributes_t))
enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };
enum nvtxPayloadType_t { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2, NVTX_PAYLOAD_TYPE_DOUBLE = 3 };
union nvtxMessageValue_t { const char* ascii; const wchar_t* unicode; };
struct nvtxEventAttributes_t {
    std::uint16_t version, size;
    std::uint32_t category;
    std::int32_t colorType;
    std::uint32_t color;
    std::int32_t payloadType, reserved0;
    union payload_t { std::uint64_t ullValue; std::int64_t llValue; double dValue; } payload;
    std::int32_t messageType;
    nvtxMessageValue_t message;
};
using nvtxDomainHandle_t = void*;
using nvtxRangeId_t = std::uint64_t;
using nvtxStringHandle_t = void*;

inline int nvtxRangePushA(const char*) { return 0; }
inline int nvtxRangePush(const char*) { return 0; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t*) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 0; }
inline nvtxRangeId_t nvtxRangeStart(const char*) { return 0; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMark(const char*) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char*) { return nullptr; }
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*) { return 0; }
inline int nvtxDomainRangePop(nvtxDomainHandle_t) { return 0; }
inline void nvtxNameOsThreadA(std::uint32_t, const char*) {}
inline void nvtxNameOsThread(std::uint32_t, const char*) {}
inline void nvtxNameCategoryA(std::uint32_t, const char*) {}
inline void nvtxNameCategory(std::uint32_t, const char*) {}

namespace nvtx3 {
struct scoped_range {
    template <class... A> explicit scoped_range(A&&...) {}
};
using scoped_range_in = scoped_range;
template <class... A> void mark(A&&...) {}
}  // namespace nvtx3
#define NVTX3_FUNC_RANGE()
