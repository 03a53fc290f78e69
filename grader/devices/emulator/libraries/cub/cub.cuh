#pragma once

#include "../ladder_more/cub_by_key.h"
#include "../ladder_more/cub_debug.h"
#include "../ladder_more/cub_neighbours.h"
