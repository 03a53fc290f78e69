// The first line of every translated file, and of no other: g++ has it precompiled (library.py), and then cannot
// include it twice.
#ifndef LADDER_FIRST
#define LADDER_FIRST

// What first_lines.py includes where it is named: bits/specfun.h, but for the headers that it brings with it to all files.
// _GLIBCXX_USE_STD_SPEC_FUNCS is libstdc++'s (bits/c++config.h).
#include <cstddef>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <limits>
#include <bits/stl_algobase.h>

#include "cuda_runtime.h"

#endif
