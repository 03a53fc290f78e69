#pragma once

#include "cuda_runtime.h"
#include "ladder/bfloat16.h"
