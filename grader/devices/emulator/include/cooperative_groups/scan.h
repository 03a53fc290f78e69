#pragma once

#include "../cooperative_groups.h"
#undef LADDER_SIDE
#define LADDER_SIDE __device__
#include "../ladder/group_scan.h"
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES
