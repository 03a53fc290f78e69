// The highest rung of each task.

#include <algorithm>
#include <cstdint>

#include "../common/scratch.cuh"

namespace rows {
#include "row_sum/8_pieces.cu"
}  // namespace rows

namespace columns {
#include "column_sum/8_quick_end.cu"
}  // namespace columns

namespace transposes {
#include "transpose/7_thin_matrices.cu"
}  // namespace transposes
