#pragma once

#include <new>

#include "cuda_bf16.h"   // as NVIDIA's own has them, for reductions
#include "cuda_fp16.h"
#undef LADDER_SIDE
#define LADDER_SIDE __device__
#include "ladder/groups.h"
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
