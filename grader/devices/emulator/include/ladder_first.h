// The first line of every translated file, and of no other: g++ has it precompiled (session.py), and then cannot
// include it twice.
#include "cuda_runtime.h"
