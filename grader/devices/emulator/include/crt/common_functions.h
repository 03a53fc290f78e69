// An inner header of CUDA's, by which some programs include <common_functions.h>.
#pragma once

#include "../common_functions.h"
