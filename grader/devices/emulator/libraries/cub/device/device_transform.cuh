#pragma once

#include "../../ladder_more/cub_more.h"
