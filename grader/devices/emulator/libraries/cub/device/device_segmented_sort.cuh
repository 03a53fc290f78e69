#pragma once

#include "../../ladder_more/cub_by_key.h"
