// What a whole program (`ladder run`) has of CUDA beyond a graded file: included behind ladder_first.h.
#pragma once

// Here g++ compiles a function for both sides once: nv/target asks which one runs.
#define LADDER_WHOLE_PROGRAM

// Up to CUDA 12 nvcc had these in every .cu file, so there are programs that do not include them.
#include <cassert>
#include <cstdint>
#include <cstdio>

namespace ladder {

// Graphs (ladder_more/graphs.h) keep launches. Every source of a program has this.
template <class Call> struct Copies<Call, void> {
    static LADDER_UNSEEN void* copied(const void* call) { return new Call(*static_cast<const Call*>(call)); }
};

}  // namespace ladder

#include "ladder_more/refused.h"
#include "ladder_more/memory.h"
#include "ladder_more/devices.h"
#include "ladder_more/children.h"
#include "ladder_more/arrays.h"
#include "ladder_more/textures.h"
#include "ladder_more/surfaces.h"
// What few programs name takes g++ as long as all else: the emulator's build asks for it, the front end reads it always.
#if defined(__CUDA__) || defined(LADDER_GRAPHS)
#include "ladder_more/graphs.h"
#endif
