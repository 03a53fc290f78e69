// The highest rung of each task.

#include <algorithm>
#include <cstdint>

namespace sums {
#include "sum/5_many_elements.cu"
}  // namespace sums

namespace histograms {
#include "histogram/4_lane_columns.cu"
}  // namespace histograms
