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

// The values behind a format. In a struct, for a va_list that is handed to a function alone may be left where it was.
struct Values {
    va_list left;
    int taken = 0;
    template <class T> T next() { return ++taken, va_arg(left, T); }
};

template <class T> void append(std::string& text, const std::string& conversion, T value) {
    const auto length = static_cast<std::size_t>(std::max(0, std::snprintf(nullptr, 0, conversion.c_str(), value)));
    text.resize(text.size() + length + 1);
    std::snprintf(text.data() + text.size() - length - 1, length + 1, conversion.c_str(), value);
    text.pop_back();
}

// A GPU prints what it does not know as it is written, and may take values for others behind that.
void print_unknown(Thread& thread, std::string& text, std::string_view conversion, std::uint32_t pc) {
    text += conversion;
    auto& all = thread.executor->findings;
    if (std::any_of(all.begin(), all.end(), [&](const Finding& other) { return other.pc == pc && other.kind == "unknown_format"; })) return;
    Finding finding = finding_at(thread, "unknown_format", pc);
    finding.text = conversion;
    finding.note = !machine().whole_program;   // whose output is no result
    all.push_back(std::move(finding));
}

// One conversion, as CUDA's guide has them ("Format Specifiers"): %[flags][width][.precision][size]type, where the sizes are
// h, l and ll. Returns where it ends. The GPU itself reads a text that it prints, and so must have it. It has no %n.
const char* print_conversion(Thread& thread, std::string& text, const char* at, Values& values, std::uint32_t pc) {
    std::string conversion = "%", size;
    const char* end = at + 1;
    const auto take = [&](std::string& to, const char* any_of) { while (*end && std::strchr(any_of, *end)) to += *end++; };
    take(conversion, "#0+- ");
    if (*end == '*') conversion += std::to_string(values.next<int>()), ++end;
    else take(conversion, "0123456789");
    bool is_known = true;
    if (*end == '.') {
        conversion += *end++;
        if (*end == '*') is_known = false, values.next<int>(), ++end;
        else take(conversion, "0123456789");
    }
    take(size, "hlLqjzt'");
    conversion += size;
    is_known = is_known && (size.empty() || size == "h" || size == "l" || size == "ll");
    if (!*end) return text += at, end;
    const char type = *end++;
    conversion += type;
    if (type == '%' && conversion == "%%") return text += '%', end;
    if (type == 'n') ladder_trap("printf in a kernel knows no %n", 0);
    const bool is_eight_bytes = !size.empty() && std::strchr("lLqjzt", size[0]);
    const std::string_view written(at, static_cast<std::size_t>(end - at));
    if (std::strchr("aAeEfFgG", type)) {
        const double value = size == "L" ? static_cast<double>(values.next<long double>()) : values.next<double>();
        if (is_known) return append(text, conversion, value), end;
    } else if (type == 's') {
        const char* const value = values.next<const char*>();
        if (value) check_access(thread, reinterpret_cast<Address>(value), 1, false, pc);
        if (is_known) return append(text, conversion, value), end;
    } else if (type == 'p') {
        return append(text, conversion, values.next<void*>()), end;
    } else if (std::strchr("cdiouxX", type)) {
        const long long value = is_eight_bytes ? values.next<long long>() : values.next<int>();
        if (is_known) return is_eight_bytes ? append(text, conversion, value) : append(text, conversion, static_cast<int>(value)), end;
    }
    print_unknown(thread, text, written, pc);
    return end;
}

int print(const char* text, std::size_t length) {
    if (current) print_in_kernel(*current, {text, length});
    else std::fwrite(text, 1, length, stdout);
    return static_cast<int>(length);
}

// What printf gives in a kernel: how many values it has printed.
int print_in_kernel(Thread& thread, const char* format, va_list arguments, std::uint32_t pc) {
    Values values;
    va_copy(values.left, arguments);
    std::string text;
    for (const char* at = format; *at;) {
        const char* const next = std::strchr(at, '%');
        text.append(at, next ? next : at + std::strlen(at));
        if (!next) break;
        at = print_conversion(thread, text, next, values, pc);
    }
    va_end(values.left);
    print_in_kernel(thread, text);
    return values.taken;
}

int print_formatted(const char* format, va_list arguments, void* caller) {
    if (current) return print_in_kernel(*current, format, arguments, program_counter(caller));
    return std::vfprintf(stdout, format, arguments);
}

}  // namespace

std::size_t visible_signs(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](unsigned char sign) { return sign > ' '; }));
}

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
