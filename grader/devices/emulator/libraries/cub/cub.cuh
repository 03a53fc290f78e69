#pragma once

#include "../ladder_more/cub_more.h"
#include "../ladder_more/cub_sorts.h"
