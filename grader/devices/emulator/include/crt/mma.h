// An inner header of CUDA's, by which some programs include <mma.h>.
#pragma once

#include "../mma.h"
