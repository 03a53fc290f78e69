#include "children.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "launch.h"
#include "thread.h"

namespace ladder {

namespace {

struct Child {
    std::function<void(void* stream)> run;
    Origin origin;
    auto place() const { return std::pair(origin.stream == reinterpret_cast<void*>(tail_stream), origin.block); }
};

std::atomic<bool> kernels_launch{false};   // and one has: for good
std::mutex children_mutex;   // of blocks that run side by side
std::vector<Child> children;
std::atomic<bool> kernels_wait{false};     // for events of theirs

void keep(void* stream, std::function<void(void* stream)> run) {
    kernels_launch = true;
    Child child{std::move(run), {0, current->block->number, stream, release_to_child(*current)}};
    const std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(std::move(child));
}

}  // namespace

bool works_may_race() { return kernels_launch || !machine().streams.empty(); }

void launch_later(const Launch& by_kernel) {
    if (!machine().whole_program) ladder_trap("a kernel launched from a kernel (dynamic parallelism) is not emulated here", by_kernel.line);
    if (fails_in_kernel(by_kernel)) current->last_error = InvalidConfiguration;
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
    const Origin origin = machine().origin;
    const std::size_t parent = machine().stream_races.works();
    std::ranges::stable_sort(now, {}, &Child::place);   // blocks run side by side, but each one launches in its order
    for (Child& child : now) {
        if (machine().fault) break;
        machine().origin = child.origin;
        machine().origin.parent = parent;
        child.run(stream);
    }
    machine().origin = origin;
}

bool works_for_a_kernel() { return machine().origin.parent != 0; }

void a_kernel_waits() { kernels_wait = true; }

bool events_may_order_children() { return kernels_wait; }

}  // namespace ladder

using namespace ladder;

extern "C" void ladder_work_later(void* stream, void (*later)(void* work, void* stream), const void* work, std::size_t bytes) {
    if (!machine().whole_program) ladder_trap("a copy by a kernel (dynamic parallelism) is not emulated here", 0);
    const auto* const begin = static_cast<const char*>(work);
    keep(stream, [later, copied = std::vector<char>(begin, begin + bytes)](void* behind) mutable {
        later(copied.data(), behind);
    });
}
