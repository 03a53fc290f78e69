// The highest rung of each task.

#include <cmath>
#include <cstdint>

#include "back_tiles.cuh"
#include "block_size.cuh"
#include "copies.cuh"
#include "warp_tile.cuh"

namespace forward {
#include "attention/8_rare_rebase.cu"
}  // namespace forward

namespace backward {
#include "attention_backward/6_keys_by_size.cu"
}  // namespace backward
