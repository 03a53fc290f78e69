// nvcuda::wmma: products of small matrices by a whole warp.
#pragma once

#include "cuda_runtime.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#undef LADDER_SIDE
#define LADDER_SIDE __device__
#include "ladder/wmma.h"
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
