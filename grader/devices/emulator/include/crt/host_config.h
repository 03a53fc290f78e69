// An inner header of CUDA's, by which some programs include <host_config.h>.
#pragma once

#include "../host_config.h"
