#pragma once

#include "../../ladder_more/cub_sorts.h"
