#include "frames.h"

#include <setjmp.h>
#include <sys/resource.h>
#include <unwind.h>

#include "machine.h"

extern "C" void* __libc_stack_end;   // where the stack of the process begins

namespace ladder {

namespace {

constexpr int words_of_stack = 64;
constexpr std::size_t most_calls = 64;
thread_local sigjmp_buf* unwinding = nullptr;

std::uint32_t learner_pc(Address pc) {
    const Module& module = machine().module;
    const Address offset = pc - module.base;
    return offset >= module.text_begin && offset < module.text_end ? static_cast<std::uint32_t>(offset) + 1 : 0;
}

// Host code may be deep inside a library: the C library has called fprintf's parts, and these have faulted.
std::vector<std::uint32_t> unwound(std::size_t most) {
    sigjmp_buf back;
    std::vector<std::uint32_t> found;
    found.reserve(most);   // there is no allocating on a stack that may be overwritten
    unwinding = &back;
    const auto look = [](_Unwind_Context* frame, void* result) {
        auto& pcs = *static_cast<std::vector<std::uint32_t>*>(result);
        int at_fault = 0;
        if (const std::uint32_t pc = learner_pc(_Unwind_GetIPInfo(frame, &at_fault))) pcs.push_back(at_fault ? pc : pc - 1);
        return pcs.size() == pcs.capacity() ? _URC_NORMAL_STOP : _URC_NO_REASON;
    };
    if (sigsetjmp(back, 0) == 0) _Unwind_Backtrace(look, &found);
    unwinding = nullptr;
    return found;
}

Address stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<Address>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return context.uc_mcontext.sp;
#endif
}

}  // namespace

bool has_full_stack(const ucontext_t& context) {
    constexpr Address guard = 256 << 10, most = Address{64} << 30;
    const Address pointer = stack_pointer(context), top = reinterpret_cast<Address>(__libc_stack_end);
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
    return pointer < top && top - pointer > limit.rlim_cur - guard && top - pointer < most;
}

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
        if (const auto pcs = unwound(1); !pcs.empty()) return pcs.front();
#if defined(__x86_64__)
    const auto* word = reinterpret_cast<const Address*>(context.uc_mcontext.gregs[REG_RSP] & ~Address{7});
#else
    const auto* word = reinterpret_cast<const Address*>(context.uc_mcontext.sp & ~Address{7});
#endif
    for (int i = 0; i < words_of_stack; ++i)
        if (const std::uint32_t pc = learner_pc(word[i])) return pc - 1;
    return 0;
}

std::vector<std::uint32_t> calls_to_here() { return unwound(most_calls); }

void leave_unwinder() {
    if (unwinding) siglongjmp(*unwinding, 1);
}

}  // namespace ladder
