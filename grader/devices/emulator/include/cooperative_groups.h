#pragma once

#include <new>

#include "cuda_runtime.h"
#undef LADDER_SIDE
#define LADDER_SIDE __device__
#include "ladder/groups.h"
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
