// NCCL: types, and functions that are refused where they are called.
#pragma once

#include "ladder_program.h"

enum ncclResult_t { ncclSuccess = 0, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument };
using ncclComm_t = struct ncclComm*;
struct ncclUniqueId { char internal[128]; };
enum ncclDataType_t { ncclInt8, ncclUint8, ncclInt32, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16,
                      ncclFloat = ncclFloat32, ncclDouble = ncclFloat64, ncclHalf = ncclFloat16, ncclInt = ncclInt32 };
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
inline const char* ncclGetErrorString(ncclResult_t) { return "NCCL is not emulated"; }

#define ncclGetUniqueId(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclGetUniqueId")
#define ncclCommInitRank(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclCommInitRank")
#define ncclCommInitAll(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclCommInitAll")
#define ncclCommDestroy(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclCommDestroy")
#define ncclAllReduce(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclAllReduce")
#define ncclBroadcast(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclBroadcast")
#define ncclReduce(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclReduce")
#define ncclAllGather(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclAllGather")
#define ncclReduceScatter(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclReduceScatter")
#define ncclSend(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclSend")
#define ncclRecv(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclRecv")
#define ncclGroupStart(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclGroupStart")
#define ncclGroupEnd(...) LADDER_NO_LIBRARY(ncclResult_t, "ncclGroupEnd")
