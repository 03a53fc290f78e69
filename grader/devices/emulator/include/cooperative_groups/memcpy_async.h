#pragma once

#include "../cooperative_groups.h"
#include "../ladder/group_copy.h"
