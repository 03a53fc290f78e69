// cuFFT: plans of one to three dimensions and their transforms (ladder_more/fourier.h); the others are refused by name.
#pragma once

#define _CUFFT_H_

#include "ladder_program.h"
#include "cuComplex.h"
#include "ladder_more/fourier.h"
#include "library_types.h"

enum cufftResult_t { CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR,
                     CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
                     CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED,
                     CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED, CUFFT_MISSING_DEPENDENCY, CUFFT_NVRTC_FAILURE, CUFFT_NVJITLINK_FAILURE,
                     CUFFT_NVSHMEM_FAILURE };
using cufftResult = cufftResult_t;
enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 };
using cufftType = cufftType_t;
using cufftHandle = int;
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = cuComplex;
using cufftDoubleComplex = cuDoubleComplex;
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

inline LADDER_UNSEEN cufftResult cufftCreate(cufftHandle* handle) {
    ladder::FourierPlans& plans = ladder::fourier_plans();
    const std::lock_guard<std::mutex> hold(plans.lock);
    plans.all[*handle = plans.next++];
    return CUFFT_SUCCESS;
}
inline LADDER_UNSEEN cufftResult cufftDestroy(cufftHandle handle) {
    ladder::FourierPlans& plans = ladder::fourier_plans();
    const std::lock_guard<std::mutex> hold(plans.lock);
    return plans.all.erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
inline LADDER_UNSEEN cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    ladder::Fourier* const plan = ladder::fourier_plan(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

// ---- plans ----

template <class Size>
LADDER_UNSEEN cufftResult ladder_plan(cufftHandle handle, int rank, const Size* sizes, const Size* in, Size in_step, Size in_apart, const Size* out,
                                      Size out_step, Size out_apart, cufftType type, Size batch, std::size_t* work) {
    ladder::Fourier* const plan = ladder::fourier_plan(handle);
    if (!plan || !plan->sizes.empty()) return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3) return CUFFT_INVALID_VALUE;
    for (int d = 0; d < rank; ++d)
        if (sizes[d] < 1) return CUFFT_INVALID_SIZE;
    if (batch < 1) return CUFFT_INVALID_SIZE;
    plan->sizes.assign(sizes, sizes + rank);
    plan->type = type;
    plan->batch = batch;
    if (in && out) {   // cuFFT takes all of it from the plan, or none
        plan->in = {{in, in + rank}, in_step, in_apart};
        plan->out = {{out, out + rank}, out_step, out_apart};
    }
    if (work) *work = 0;
    return CUFFT_SUCCESS;
}
inline LADDER_UNSEEN cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* in, int in_step, int in_apart, int* out, int out_step,
                                                   int out_apart, cufftType type, int batch, std::size_t* work) {
    return ladder_plan(plan, rank, n, in, in_step, in_apart, out, out_step, out_apart, type, batch, work);
}
inline LADDER_UNSEEN cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* in, long long in_step, long long in_apart,
                                                     long long* out, long long out_step, long long out_apart, cufftType type, long long batch,
                                                     std::size_t* work) {
    return ladder_plan(plan, rank, n, in, in_step, in_apart, out, out_step, out_apart, type, batch, work);
}
inline LADDER_UNSEEN cufftResult cufftMakePlan1d(cufftHandle plan, int n, cufftType type, int batch, std::size_t* work) {
    return ladder_plan<int>(plan, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, batch, work);
}
inline LADDER_UNSEEN cufftResult cufftMakePlan2d(cufftHandle plan, int rows, int columns, cufftType type, std::size_t* work) {
    const int sizes[2] = {rows, columns};
    return ladder_plan<int>(plan, 2, sizes, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
inline LADDER_UNSEEN cufftResult cufftMakePlan3d(cufftHandle plan, int planes, int rows, int columns, cufftType type, std::size_t* work) {
    const int sizes[3] = {planes, rows, columns};
    return ladder_plan<int>(plan, 3, sizes, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
inline LADDER_UNSEEN cufftResult cufftPlan1d(cufftHandle* plan, int n, cufftType type, int batch) {
    cufftCreate(plan);
    return cufftMakePlan1d(*plan, n, type, batch, nullptr);
}
inline LADDER_UNSEEN cufftResult cufftPlan2d(cufftHandle* plan, int rows, int columns, cufftType type) {
    cufftCreate(plan);
    return cufftMakePlan2d(*plan, rows, columns, type, nullptr);
}
inline LADDER_UNSEEN cufftResult cufftPlan3d(cufftHandle* plan, int planes, int rows, int columns, cufftType type) {
    cufftCreate(plan);
    return cufftMakePlan3d(*plan, planes, rows, columns, type, nullptr);
}
inline LADDER_UNSEEN cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* in, int in_step, int in_apart, int* out, int out_step,
                                               int out_apart, cufftType type, int batch) {
    cufftCreate(plan);
    return cufftMakePlanMany(*plan, rank, n, in, in_step, in_apart, out, out_step, out_apart, type, batch, nullptr);
}

// No plan needs memory of its own here.
inline LADDER_UNSEEN cufftResult cufftGetSize(cufftHandle, std::size_t* work) { return *work = 0, CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftEstimate1d(int, cufftType, int, std::size_t* work) { return *work = 0, CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftEstimate2d(int, int, cufftType, std::size_t* work) { return *work = 0, CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftEstimate3d(int, int, int, cufftType, std::size_t* work) { return *work = 0, CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftSetAutoAllocation(cufftHandle, int) { return CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftSetWorkArea(cufftHandle, void*) { return CUFFT_SUCCESS; }
inline LADDER_UNSEEN cufftResult cufftGetVersion(int* version) { return *version = 12000, CUFFT_SUCCESS; }

// ---- transforms ----

template <class In, class Out> LADDER_UNSEEN cufftResult ladder_transform(cufftHandle handle, int type, In* from, Out* to, int sign, int line) {
    const ladder::Fourier* const plan = ladder::fourier_plan(handle);
    if (!plan || plan->sizes.empty() || plan->type != type) return CUFFT_INVALID_PLAN;
    if (!from || !to || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
    return ladder::fourier_run(*plan, from, to, sign, line) ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}
inline LADDER_UNSEEN cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* from, cufftComplex* to, int direction, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_C2C, from, to, direction, line);
}
inline LADDER_UNSEEN cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleComplex* to, int direction, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_Z2Z, from, to, direction, line);
}
inline LADDER_UNSEEN cufftResult cufftExecR2C(cufftHandle plan, cufftReal* from, cufftComplex* to, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_R2C, from, to, CUFFT_FORWARD, line);
}
inline LADDER_UNSEEN cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* from, cufftDoubleComplex* to, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_D2Z, from, to, CUFFT_FORWARD, line);
}
inline LADDER_UNSEEN cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* from, cufftReal* to, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_C2R, from, to, CUFFT_INVERSE, line);
}
inline LADDER_UNSEEN cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleReal* to, LADDER_LINE) {
    return ladder_transform(plan, CUFFT_Z2D, from, to, CUFFT_INVERSE, line);
}

#define cufftXtSetCallback(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtSetCallback")
#define cufftXtMakePlanMany(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtMakePlanMany")
#define cufftXtSetGPUs(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtSetGPUs")
#define cufftXtExec(...) LADDER_NO_LIBRARY(cufftResult, "cufftXtExec")
