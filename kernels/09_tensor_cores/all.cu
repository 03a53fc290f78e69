// The highest rung of each task.

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../common/scratch.cuh"

namespace products {
#include "matmul_bf16/8_any_row.cu"
}  // namespace products

#include "fragments.cuh"

namespace attention {
#include "attention_bf16/6_rare_rebase.cu"
}  // namespace attention
