// What kernels print: kept by block, so that it comes in the order of the blocks.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
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

// The GPU itself reads a text that it prints, and so must have it. It has no %n.
void check_printed(Thread& thread, const char* format, va_list arguments, std::uint32_t pc) {
    va_list left;
    va_copy(left, arguments);
    while ((format = std::strchr(format, '%'))) {
        bool is_long = false;
        for (++format; *format && std::strchr("-+ #0123456789.*hlLqjzt'$", *format); ++format) {
            if (*format == '*') va_arg(left, int);
            is_long = is_long || std::strchr("lqjzt", *format);
        }
        if (*format == 'n') ladder_trap("printf in a kernel knows no %n", 0);
        if (*format == 's') {
            if (const char* const text = va_arg(left, const char*)) check_access(thread, reinterpret_cast<Address>(text), 1, false, pc);
        } else if (*format && std::strchr("aAeEfFgG", *format)) {
            va_arg(left, double);
        } else if (*format && *format != '%') {
            if (is_long || *format == 'p') va_arg(left, long);
            else va_arg(left, int);
        }
        if (*format) ++format;
    }
    va_end(left);
}

int print(const char* text, std::size_t length) {
    if (current) print_in_kernel(*current, {text, length});
    else std::fwrite(text, 1, length, stdout);
    return static_cast<int>(length);
}

int print_formatted(const char* format, va_list arguments, void* caller) {
    char text[4096];
    if (current) check_printed(*current, format, arguments, program_counter(caller));
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    return length <= 0 ? length : print(text, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof text - 1));
}

}  // namespace

void print_in_kernel(Thread& thread, std::string_view text) {
    if (thread.block->printed.size() >= most_printed) return;
    if (machine().print_threads) print_with_thread(thread, text);
    else thread.block->printed += text;
}

}  // namespace ladder

using namespace ladder;

// ---- the C library, wrapped by the linker (--wrap) in the learner's code ----

extern "C" {

int __wrap_vprintf(const char* format, va_list arguments) { return print_formatted(format, arguments, __builtin_return_address(0)); }

int __wrap_printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = print_formatted(format, arguments, __builtin_return_address(0));
    va_end(arguments);
    return length;
}

int __wrap_puts(const char* text) { return print(text, std::strlen(text)) + print("\n", 1); }
int __wrap_putchar(int c) {
    const char text = static_cast<char>(c);
    return print(&text, 1), c;
}

}  // extern "C"
