#include "frames.h"

#include <setjmp.h>
#include <unwind.h>

#include "machine.h"

namespace ladder {

namespace {

constexpr int words_of_stack = 64;
thread_local sigjmp_buf* unwinding = nullptr;

std::uint32_t learner_pc(Address pc) {
    const Module& module = machine().module;
    const Address offset = pc - module.base;
    return offset >= module.text_begin && offset < module.text_end ? static_cast<std::uint32_t>(offset) + 1 : 0;
}

// Host code may be deep inside a library: the C library has called fprintf's parts, and these have faulted.
std::uint32_t unwound() {
    sigjmp_buf back;
    volatile std::uint32_t found = 0;
    unwinding = &back;
    const auto look = [](_Unwind_Context* frame, void* result) {
        int at_fault = 0;
        const std::uint32_t pc = learner_pc(_Unwind_GetIPInfo(frame, &at_fault));
        if (!pc) return _URC_NO_REASON;
        *static_cast<volatile std::uint32_t*>(result) = at_fault ? pc : pc - 1;
        return _URC_NORMAL_STOP;
    };
    if (sigsetjmp(back, 0) == 0) _Unwind_Backtrace(look, const_cast<std::uint32_t*>(&found));
    unwinding = nullptr;
    return found;
}

}  // namespace

Address fault_pc(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<Address>(context.uc_mcontext.gregs[REG_RIP]);
#else
    return static_cast<Address>(context.uc_mcontext.pc);
#endif
}

std::uint32_t learner_frame(const ucontext_t& context) {
    if (const std::uint32_t pc = learner_pc(fault_pc(context))) return pc;
    if (!current)
        if (const std::uint32_t pc = unwound()) return pc;
#if defined(__x86_64__)
    const auto* word = reinterpret_cast<const Address*>(context.uc_mcontext.gregs[REG_RSP] & ~Address{7});
#else
    const auto* word = reinterpret_cast<const Address*>(context.uc_mcontext.sp & ~Address{7});
#endif
    for (int i = 0; i < words_of_stack; ++i)
        if (const std::uint32_t pc = learner_pc(word[i])) return pc - 1;
    return 0;
}

void leave_unwinder() {
    if (unwinding) siglongjmp(*unwinding, 1);
}

}  // namespace ladder
