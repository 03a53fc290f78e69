// A program's main() runs to its end, whatever that is: what was found goes to the report before the process ends.
#include "program.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "machine.h"

namespace ladder {

namespace {

struct Call {
    int (*main)(int, char**, char**);
    int argc;
    char** argv;
};

// Ctrl-C, or the end of the time: what runs says where it stands, at its next basic block.
void on_interrupt(int) { machine().out_of_time = true; }

void call_main(void** arguments) {
    auto& call = *static_cast<Call*>(arguments[0]);
    *static_cast<int*>(arguments[1]) = call.main(call.argc, call.argv, environ);
}

}  // namespace

void write_program_report() {
    const int fd = std::exchange(machine().program.report_fd, -1);
    if (fd < 0) return;
    finish_case(machine());
    const std::string text = report();
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
    close(fd);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// To be called before the program's library is loaded: what it registers to be done at exit is done before the report.
void ladder_program_prepare(int report_fd) {
    machine().program = {true, report_fd, 0};
    std::atexit(write_program_report);
}

// Calls main() and ends the process as the program would have ended it.
[[noreturn]] void ladder_program_run(int (*main)(int, char**, char**), int argc, char** argv) {
    Call call{main, argc, argv};
    int code = 0;
    signal(SIGINT, on_interrupt);
    void* arguments[] = {&call, &code};
    if (ladder_session_run(call_main, arguments) == 0) std::exit(code);
    write_program_report();
    const int number = machine().program.signal ? machine().program.signal : SIGABRT;
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

// exit() comes to the report by itself, these do not (the linker leads a program's calls here).
void __wrap__exit(int code) {
    write_program_report();
    _exit(code);
}
void __wrap__Exit(int code) { __wrap__exit(code); }
void __wrap_quick_exit(int code) { __wrap__exit(code); }

}  // extern "C"
