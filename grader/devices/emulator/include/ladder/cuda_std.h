// libcu++'s copy of the standard library, cuda::std: here it is that library, whose constexpr functions a kernel may
// call. What is no constexpr function in C++17 is written out in the header that it belongs to (cuda/std).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../cuda_runtime.h"

namespace cuda::std {
using namespace ::std;
}
