// An inner header of CUDA's, by which some programs include <host_defines.h>.
#pragma once

#include "../host_defines.h"
