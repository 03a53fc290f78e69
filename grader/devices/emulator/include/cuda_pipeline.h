#pragma once

#include "cuda_runtime.h"
#include "ladder/async_copy.h"
