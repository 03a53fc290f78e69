// The names of NVIDIA's samples' helper_functions.h: comparisons with a reference. (helper_image.h's PGM and PPM files
// are read and written as those formats say.)
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
