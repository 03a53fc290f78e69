// A program's main() runs to its end, whatever that is: what was found goes to the report before the process ends.
#include "program.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "frames.h"
#include "host_accesses.h"
#include "host_call.h"
#include "machine.h"

namespace ladder {

namespace {

struct Call {
    int (*main)(int, char**, char**);
    int argc;
    char** argv;
};

// Ctrl-C, or the end of the time: what runs says where it stands, at its next basic block. Host code that comes to none,
// though it is told again every half second, waits in a library's function, as in getchar(): it is left there.
void on_interrupt(int, siginfo_t*, void* context) {
    constexpr int patience = 4;
    static int told = 0;
    machine().out_of_time = true;
    if (++told <= patience || current || HostCall::is_under_way() || machine().program.report_fd < 0) return;
    if (can_leave_entry_point()) host_out_of_time(learner_frame(*static_cast<const ucontext_t*>(context)), true);
}

void write_all(int fd, const void* data, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t wrote = write(fd, static_cast<const char*>(data) + done, bytes - done);
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
}

void call_main(void** arguments) {
    auto& call = *static_cast<Call*>(arguments[0]);
    *static_cast<int*>(arguments[1]) = call.main(call.argc, call.argv, environ);
}

}  // namespace

bool is_named(const std::string& name, const std::string& wanted) {
    return wanted.empty() || name == wanted || name.substr(0, name.find('<')) == wanted;
}

bool Watched::wants(const std::string& name, std::uint64_t launches_before) const {
    return (counters || races) && is_named(name, kernel) && launches_before < first;
}

// A program that ends well, with nothing else to be told, has asked whether it got its memory, and done with less.
void excuse_less_memory(std::vector<Finding>& findings) {
    const auto fails = [](const Finding& each) { return !each.note && each.kind != "out_of_memory"; };
    if (std::any_of(findings.begin(), findings.end(), fails)) return;
    for (Finding& each : findings) each.note = true;
}

void write_program_report(int code) {
    const int fd = std::exchange(machine().program.report_fd, -1);
    if (fd < 0) return;
    if (code && !machine().program.signal) machine().error_asked_for = machine().last_error;   // it ends so because of that
    finish_case(machine());
    if (code == 0) excuse_less_memory(machine().findings);
    const std::string text = report() + '\n';
    write_all(fd, text.data(), text.size());
    for (const RecordedBlock& block : machine().recorder.blocks) {
        write_all(fd, block.steps.data(), block.steps.size() * sizeof block.steps[0]);
        write_all(fd, block.places.data(), block.places.size() * sizeof block.places[0]);
    }
    close(fd);
}

// The program ends as its fault would have ended it, after the report.
[[noreturn]] void end_by_signal() {
    const auto& findings = machine().findings;
    const bool touched = !findings.empty() && findings.back().kind == "host_access";   // seen before it could happen
    std::fflush(stdout);
    write_program_report();   // which adds what was never freed
    const int number = touched ? SIGSEGV : machine().program.signal ? machine().program.signal : SIGABRT;
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// To be called before the program's library is loaded: what it registers to be done at exit is done before the report.
void ladder_program_prepare(int report_fd, int progress_fd) {
    machine().whole_program = true;   // what only holds for a graded entry point does not: given buffers and stream, no leaks
    machine().program = {report_fd, 0, nullptr};
    void* const shared = mmap(nullptr, sizeof(ProgressOfProgram), PROT_READ | PROT_WRITE, MAP_SHARED, progress_fd, 0);
    if (shared != MAP_FAILED) machine().program.progress = static_cast<ProgressOfProgram*>(shared);
    on_exit([](int code, void*) { write_program_report(code); }, nullptr);   // atexit() is a part of the library that calls it
}

// What to look at, before main() is called.
void ladder_program_watch(int counters, int races, const char* kernel, std::uint64_t first, int last) {
    machine().watched = {counters != 0, races != 0, kernel, first, last != 0};
}

// Calls main() and ends the process as the program would have ended it.
[[noreturn]] void ladder_program_run(int (*main)(int, char**, char**), int argc, char** argv) {
    Call call{main, argc, argv};
    int code = 0;
    struct sigaction interrupted{};
    interrupted.sa_sigaction = on_interrupt;
    interrupted.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGINT, &interrupted, nullptr);
    if (machine().program.progress) machine().program.progress->started = 1;
    void* arguments[] = {&call, &code};
    if (ladder_session_run(call_main, arguments) == 0) std::exit(code);
    end_by_signal();
}

// exit() comes to the report by itself, these do not (the linker leads a program's calls here).
void __wrap__exit(int code) {
    write_program_report(code);
    _exit(code);
}
void __wrap__Exit(int code) { __wrap__exit(code); }
void __wrap_quick_exit(int code) { __wrap__exit(code); }

}  // extern "C"
