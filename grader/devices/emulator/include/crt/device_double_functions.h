// An inner header of CUDA's, by which some programs include <device_double_functions.h>.
#pragma once

#include "../device_double_functions.h"
