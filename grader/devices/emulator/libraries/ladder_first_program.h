// The first line of every source of a whole program; precompiled, as ladder_first.h is.
#include "ladder_first.h"

#include "ladder_program.h"
