#include "faults.h"

#include <dlfcn.h>
#include <signal.h>

#include <algorithm>
#include <iterator>

#include "frames.h"
#include "machine.h"

namespace ladder {

namespace {
constexpr std::string_view damage[] = {"double free", "free()", "malloc", "realloc()", "calloc()", "munmap_chunk()", "mremap_chunk()", "corrupted", "invalid "};
}  // namespace

const char* name_of_signal(int number) {
    switch (number) {
        case SIGFPE: return "an integer division by zero";
        case SIGILL: return "an illegal instruction";
        case SIGABRT: return "abort()";
        default: return "a segmentation fault";
    }
}

std::string fault_of_host(int number, Address address, const ucontext_t& context) {
    if (number == SIGABRT && !said_of_damage().empty()) return "damaged memory (" + std::string(said_of_damage()) + ")";
    if (number != SIGSEGV) return name_of_signal(number);
    if (has_full_stack(context)) return "a full stack";
    return std::string(name_of_signal(number)) + (address < page_size() * 16 ? " at a null pointer" : "");
}

std::string_view said_of_damage() {
    struct Message {   // glibc keeps it for a debugger (abort_msg_s)
        unsigned bytes;
        char text[1];
    };
    const auto message = static_cast<const Message* const*>(dlsym(RTLD_DEFAULT, "__abort_msg"));
    if (!message || !*message) return "";
    const std::string_view text = (*message)->text;
    const auto begins = [&](std::string_view each) { return text.substr(0, each.size()) == each; };
    if (std::none_of(std::begin(damage), std::end(damage), begins)) return "";
    return text.substr(0, text.find('\n'));
}

}  // namespace ladder
