// Functions that a program may call, and that are not there: the call is refused, by name and line.
#pragma once

#include "cuda_runtime.h"

// What a macro puts in the place of the call. Its arguments are not evaluated.
template <class Status> [[noreturn]] inline LADDER_UNSEEN Status ladder_refused(const char* why, LADDER_LINE) { ladder_trap(why, line); }

#define LADDER_REFUSED(type, name) ladder_refused<type>(name " is not emulated: check this program on a GPU")
#define LADDER_NO_LIBRARY(type, name) \
    ladder_refused<type>(name " is a library's function, which is not emulated: check this program on a GPU")
