// The highest rung of each task.

#include <algorithm>
#include <cstdint>

namespace sums {
#include "sum/3_few_meetings.cu"
}  // namespace sums

namespace histograms {
#include "histogram/3_few_meetings.cu"
}  // namespace histograms
