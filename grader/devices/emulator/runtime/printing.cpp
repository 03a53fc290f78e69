// What kernels print: kept by block, so that it comes in the order of the blocks.
#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ladder {

namespace {

constexpr std::size_t most_printed = std::size_t{1} << 20;   // of a block; CUDA's own buffer is 1 MB

// "3" on one axis, "(3, 1, 0)" on more.
std::string place(const Index& at, const Index& size) {
    if (size.y == 1 && size.z == 1) return std::to_string(at.x);
    return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

// Each line says who prints it; what two threads print into one line becomes two.
void print_with_thread(Thread& thread, std::string_view text) {
    Block& block = *thread.block;
    std::string& printed = block.printed;
    const LaunchState& launch = *block.launch;
    const std::string who = "[block " + place(block.index, launch.grid) + ", thread " + place(thread.index, launch.block) + "] ";
    while (!text.empty()) {
        const bool fresh = printed.empty() || printed.back() == '\n';
        if (!fresh && block.printer != thread.number) printed += '\n';
        if (fresh || block.printer != thread.number) printed += who;
        block.printer = thread.number;
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        printed += text.substr(0, end);
        text.remove_prefix(end);
    }
}

}  // namespace

bool stores_while_it_prints(const char* format) {
    constexpr const char* between = "-+ #0123456789.*hlLqjzt'$";   // a % and its letter
    while ((format = std::strchr(format, '%'))) {
        format += 1 + std::strspn(format + 1, between);
        if (*format == 'n') return true;
        if (*format) ++format;
    }
    return false;
}

void print_in_kernel(Thread& thread, std::string_view text) {
    if (thread.block->printed.size() >= most_printed) return;
    if (machine().print_threads) print_with_thread(thread, text);
    else thread.block->printed += text;
}

}  // namespace ladder
