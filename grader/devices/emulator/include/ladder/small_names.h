// The functions that small_float.h defines as friends of LADDER_ONE and LADDER_TWO (__half and __half2, say), by names that
// are found without such an argument, too: __hadd(1.0f, 2.0f), ::__hadd(a, b), hexp(2.0f). Included once for each type.

#define LADDER_NAMED(result, name, ...)                   \
    namespace ladder {                                    \
    LADDER_INLINE result name(__VA_ARGS__);               \
    }                                                     \
    using ladder::name;

#define LADDER_DEFINE(name, suffix, value)                                       \
    LADDER_NAMED(LADDER_ONE, __##name##suffix, LADDER_ONE, LADDER_ONE)           \
    LADDER_NAMED(LADDER_TWO, __##name##2##suffix, LADDER_TWO, LADDER_TWO)
LADDER_SMALL_BINARY(LADDER_DEFINE)
#undef LADDER_DEFINE

LADDER_NAMED(LADDER_ONE, __hdiv, LADDER_ONE, LADDER_ONE)
LADDER_NAMED(LADDER_TWO, __h2div, LADDER_TWO, LADDER_TWO)

#define LADDER_DEFINE(name, value)                                               \
    LADDER_NAMED(bool, __##name, LADDER_ONE, LADDER_ONE)                         \
    LADDER_NAMED(LADDER_TWO, __##name##2, LADDER_TWO, LADDER_TWO)                \
    LADDER_NAMED(unsigned, __##name##2_mask, LADDER_TWO, LADDER_TWO)
LADDER_SMALL_COMPARISONS(LADDER_DEFINE)
#undef LADDER_DEFINE

#define LADDER_DEFINE(name) LADDER_NAMED(bool, __hb##name##2, LADDER_TWO, LADDER_TWO)
LADDER_SMALL_BOTH(LADDER_DEFINE)
#undef LADDER_DEFINE

LADDER_NAMED(LADDER_ONE, __hneg, LADDER_ONE)
LADDER_NAMED(LADDER_ONE, __habs, LADDER_ONE)
LADDER_NAMED(bool, __hisnan, LADDER_ONE)
LADDER_NAMED(int, __hisinf, LADDER_ONE)
LADDER_NAMED(LADDER_TWO, __hneg2, LADDER_TWO)
LADDER_NAMED(LADDER_TWO, __habs2, LADDER_TWO)
LADDER_NAMED(LADDER_TWO, __hisnan2, LADDER_TWO)
LADDER_NAMED(float, __low2float, LADDER_TWO)
LADDER_NAMED(float, __high2float, LADDER_TWO)
LADDER_NAMED(LADDER_TWO, __lowhigh2highlow, LADDER_TWO)

#undef LADDER_SIDE
#define LADDER_SIDE __device__
#define LADDER_DEFINE(suffix)                                                    \
    LADDER_NAMED(LADDER_ONE, __hfma##suffix, LADDER_ONE, LADDER_ONE, LADDER_ONE) \
    LADDER_NAMED(LADDER_TWO, __hfma2##suffix, LADDER_TWO, LADDER_TWO, LADDER_TWO)
LADDER_DEFINE()
LADDER_DEFINE(_sat)
LADDER_DEFINE(_relu)
#undef LADDER_DEFINE
LADDER_NAMED(LADDER_TWO, __hcmadd, LADDER_TWO, LADDER_TWO, LADDER_TWO)

#define LADDER_DEFINE(name, value)                                               \
    LADDER_NAMED(LADDER_ONE, h##name, LADDER_ONE)                                \
    LADDER_NAMED(LADDER_TWO, h2##name, LADDER_TWO)
LADDER_SMALL_FUNCTIONS(LADDER_DEFINE)
#undef LADDER_DEFINE
#undef LADDER_SIDE
#define LADDER_SIDE LADDER_BOTH_SIDES

#undef LADDER_NAMED
