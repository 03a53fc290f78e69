// The compiler's stddef.h, with NULL as CUDA code may use it. g++'s own NULL is an integer of a special kind, which
// becomes a plain 0L as soon as a launch copies it, and 0L is no pointer. The C library's headers come here many times
// and ask for one name each, so this file must not guard against that.
#include_next <stddef.h>
#ifdef __cplusplus
#undef NULL
#define NULL nullptr
#endif
