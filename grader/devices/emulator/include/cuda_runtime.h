// What nvcc includes before the first line of every .cu file, for g++ and the emulator. Each concept has its own
// header.
#pragma once

#include "ladder/standard.h"

#include "ladder/qualifiers.h"
#include "ladder/vector_types.h"
#include "ladder/index.h"
#include "ladder/bits.h"
#include "ladder/block.h"
#include "ladder/warp.h"
#include "ladder/atomics.h"
#include "ladder/memory.h"
#include "ladder/integer.h"
#include "ladder/math.h"
#include "ladder/rounding.h"
#include "ladder/fast_math.h"

#include "ladder/errors.h"
#include "ladder/streams.h"
#include "ladder/transfer.h"
#include "ladder/device.h"
#include "ladder/functions.h"
#include "ladder/launch.h"
