#pragma once

#include "../ladder_more/cub_debug.h"
