#pragma once

#include "cuda_runtime.h"
#include "ladder/groups.h"
