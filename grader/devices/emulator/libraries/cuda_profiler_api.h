// cudaProfilerStart and cudaProfilerStop do nothing here.
#pragma once

#include "ladder_program.h"
