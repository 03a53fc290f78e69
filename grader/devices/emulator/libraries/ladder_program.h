// What a whole program (`ladder run`) has of CUDA beyond a graded file: included behind ladder_first.h.
#pragma once

#include "ladder_more/refused.h"
#include "ladder_more/memory.h"
#include "ladder_more/devices.h"
#include "ladder_more/arrays.h"
#include "ladder_more/textures.h"
#include "ladder_more/surfaces.h"
#include "ladder_more/graphs.h"
