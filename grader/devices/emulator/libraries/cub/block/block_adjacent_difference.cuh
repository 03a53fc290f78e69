#pragma once

#include "../../ladder_more/cub_neighbours.h"
