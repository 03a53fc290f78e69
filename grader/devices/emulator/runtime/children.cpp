#include "children.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <tuple>
#include <vector>

#include "launch.h"
#include "thread.h"

namespace ladder {

namespace {

void* const tail_stream = reinterpret_cast<void*>(3);   // cudaStreamTailLaunch: behind all others

struct Child {
    std::function<void(void* stream)> run;
    void* stream;
    std::uint64_t block;                 // of the thread that asks for it
    unsigned thread;
    auto place() const { return std::tuple(stream == tail_stream, block, thread); }
};

std::mutex children_mutex;   // of blocks that run side by side
std::vector<Child> children;
bool copies_now = false;

void keep(void* stream, std::function<void(void* stream)> run) {
    Child child{std::move(run), stream, current->block->number, current->number};
    const std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(std::move(child));
}

}  // namespace

void launch_later(const Launch& by_kernel) {
    if (!machine().whole_program) ladder_trap("a kernel launched from a kernel (dynamic parallelism) is not emulated here", by_kernel.line);
    const auto* const bytes = static_cast<const char*>(by_kernel.arguments);
    // With its name, should the text be the thread's own.
    keep(by_kernel.stream, [launch = by_kernel, arguments = std::vector<char>(bytes, bytes + by_kernel.argument_bytes),
                            kernel = std::string(by_kernel.kernel)](void* stream) mutable {
        launch.arguments = arguments.data();
        launch.kernel = kernel.c_str();
        launch.stream = stream;
        launch_kernel(launch);
        launch_children(stream);   // a kernel is over when all that it has launched is
    });
}

void launch_children(void* stream) {
    std::vector<Child> now;
    now.swap(children);
    std::ranges::stable_sort(now, {}, &Child::place);   // as blocks that run side by side have not come to it
    for (Child& child : now) {
        if (machine().fault) return;
        child.run(stream);
    }
}

bool works_for_a_kernel() { return copies_now; }

}  // namespace ladder

using namespace ladder;

extern "C" void ladder_work_later(void* stream, void (*later)(void* work, void* stream), const void* work, std::size_t bytes) {
    if (!machine().whole_program) ladder_trap("a copy by a kernel (dynamic parallelism) is not emulated here", 0);
    const auto* const begin = static_cast<const char*>(work);
    keep(stream, [later, copied = std::vector<char>(begin, begin + bytes)](void* behind) mutable {
        copies_now = true;
        later(copied.data(), behind);
        copies_now = false;
    });
}
