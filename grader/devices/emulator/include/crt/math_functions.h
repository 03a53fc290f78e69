// An inner header of CUDA's, by which some programs include <math_functions.h>.
#pragma once

#include "../math_functions.h"
