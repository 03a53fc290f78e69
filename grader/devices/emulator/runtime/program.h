// A whole program with its main(), which runs in this process instead of an entry point on the judge's buffers.
#pragma once

#include <cstdint>
#include <string>

namespace ladder {

struct LaunchState;

// Which launches of a program leave traces, to be counted and searched for races. All are checked for bad accesses.
struct Watched {
    bool counters = true, races = true;
    std::string kernel;                    // only those of the kernel with this name; empty: of all
    std::uint64_t first = ~std::uint64_t{0};   // so many of each kernel
    bool last = false;                     // what a launch has counted makes way for the next one's

    bool wants(const std::string& name, std::uint64_t launches_before) const;
};

// Whether `name` is the kernel `wanted`, or an instantiation of that template. No kernel is wanted: each is.
bool is_named(const std::string& name, const std::string& wanted);

// What runs now, for the process that waits: in memory that both see.
struct ProgressOfProgram {
    std::uint64_t started;   // main() was called
    std::uint64_t launches, blocks, blocks_done;
    char kernel[232];
};

struct Program {
    int report_fd = -1;     // where the report goes when the process ends
    int signal = 0;         // which would have ended the process; 0: none
    ProgressOfProgram* progress = nullptr;
};

void write_program_report(int code = 1);   // once, however the process ends, by this exit status: JSON, a newline, and the numbers of what was recorded
[[noreturn]] void end_by_signal();   // after the report

}  // namespace ladder
