#pragma once

#include "../../ladder_more/cub_device.h"
