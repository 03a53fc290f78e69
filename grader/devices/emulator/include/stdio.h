// The C library's stdio.h, with the printf of device code for the front end. Its headers come here many times, and ask
// for one name each.
#include_next <stdio.h>
#if defined(__CUDA__) && !defined(LADDER_PRINTF)
#define LADDER_PRINTF
extern "C" __attribute__((device)) int printf(const char*, ...);
#endif
