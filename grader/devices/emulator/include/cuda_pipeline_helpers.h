// An inner header of CUDA's: all of it is in cuda_pipeline_primitives.h.
#pragma once

#include "cuda_pipeline_primitives.h"
