// What nvcc includes before the first line of every .cu file, for g++ and the emulator. Each concept has its own
// header. LADDER_SIDE says on which side the functions are that follow: nothing to g++, all to the front end.
#pragma once

#define LADDER_BOTH_SIDES __host__ __device__
#define LADDER_SIDE LADDER_BOTH_SIDES

#include "ladder/standard.h"

#include "ladder/qualifiers.h"
#include "ladder/bytes.h"
#include "ladder/heap.h"
#include "ladder/vector_types.h"
#include "ladder/index.h"
#include "ladder/used.h"
#include "ladder/margins.h"
#include "ladder/math.h"

#undef LADDER_SIDE
#define LADDER_SIDE __device__

#include "ladder/bits.h"
#include "ladder/block.h"
#include "ladder/clusters.h"
#include "ladder/warp.h"
#include "ladder/atomics.h"
#include "ladder/nv_atomics.h"
#include "ladder/memory.h"
#include "ladder/ptx.h"
#include "ladder/integer.h"
#include "ladder/rounding.h"
#include "ladder/fast_math.h"

#undef LADDER_SIDE
#define LADDER_SIDE __host__

#include "ladder/errors.h"
#include "ladder/streams.h"
#include "ladder/transfer.h"
#include "ladder/pitched.h"
#include "ladder/device.h"
#include "ladder/functions.h"
#include "ladder/launch.h"
#include "ladder/kernel_pointers.h"

// The headers that a kernel file includes itself hold what both sides may use.
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

#if __has_include(<ladder_program.h>)   // a whole program's host files have what its .cu files have
#include <ladder_program.h>
#endif
