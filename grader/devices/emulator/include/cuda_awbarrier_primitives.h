// The names that C has for cuda::barrier's operations.
#pragma once

#include "cuda/barrier"

using __mbarrier_t = ::cuda::barrier<::cuda::thread_scope_block>;
using __mbarrier_token_t = __mbarrier_t::arrival_token;

LADDER_INLINE unsigned __mbarrier_maximum_count() { return static_cast<unsigned>(__mbarrier_t::max()); }
LADDER_INLINE void __mbarrier_init(__mbarrier_t* barrier, unsigned expected) { init(barrier, expected); }
LADDER_INLINE void __mbarrier_inval(__mbarrier_t*) {}
LADDER_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier, LADDER_LINE) { return barrier->arrive(1, line); }
LADDER_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier, LADDER_LINE) {
    return barrier->ladder_drop(line);
}
LADDER_INLINE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token, LADDER_LINE) {
    return barrier->ladder_is_over(token, line);
}
LADDER_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity, LADDER_LINE) {
    return barrier->ladder_is_over_parity(parity, line);
}
// These may look for as long as they like: until the phase has ended.
LADDER_INLINE bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, unsigned, LADDER_LINE) {
    barrier->wait(static_cast<__mbarrier_token_t&&>(token), line);
    return true;
}
LADDER_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool parity, unsigned, LADDER_LINE) {
    barrier->wait_parity(parity, line);
    return true;
}
