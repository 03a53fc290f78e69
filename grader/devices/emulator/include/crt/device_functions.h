// An inner header of CUDA's, by which some programs include <device_functions.h>.
#pragma once

#include "../device_functions.h"
