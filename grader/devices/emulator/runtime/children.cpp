#include "children.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "launch.h"
#include "thread.h"

namespace ladder {

namespace {

struct Child {
    Launch launch;
    std::vector<char> arguments;
    std::string kernel;                  // the name, should the text be the thread's own
    Origin origin;
    auto place() const { return std::pair(origin.stream == reinterpret_cast<void*>(tail_stream), origin.block); }
};

std::atomic<bool> kernels_launch{false};   // and one has: for good
std::mutex children_mutex;   // of blocks that run side by side
std::vector<Child> children;

}  // namespace

bool works_may_race() { return kernels_launch || !machine().streams.empty(); }

void launch_later(const Launch& by_kernel) {
    if (!machine().whole_program) ladder_trap("a kernel launched from a kernel (dynamic parallelism) is not emulated here", by_kernel.line);
    if (fails_in_kernel(by_kernel)) current->last_error = InvalidConfiguration;
    kernels_launch = true;
    const auto* const bytes = static_cast<const char*>(by_kernel.arguments);
    const Origin origin{0, current->block->number, by_kernel.stream, release_to_child(*current)};
    Child child{by_kernel, {bytes, bytes + by_kernel.argument_bytes}, by_kernel.kernel, origin};
    const std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(std::move(child));
}

void launch_children(void* stream) {
    std::vector<Child> now;
    now.swap(children);
    const Origin origin = machine().origin;
    const std::size_t parent = machine().stream_races.works();
    std::ranges::stable_sort(now, {}, &Child::place);   // blocks run side by side, but each one launches in its order
    for (Child& child : now) {
        if (machine().fault) break;
        child.launch.arguments = child.arguments.data();
        child.launch.kernel = child.kernel.c_str();
        child.launch.stream = stream;
        machine().origin = child.origin;
        machine().origin.parent = parent;
        launch_kernel(child.launch);
        launch_children(stream);   // a kernel is over when all that it has launched is
    }
    machine().origin = origin;
}

}  // namespace ladder
