#include "children.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <vector>

#include "launch.h"
#include "thread.h"

namespace ladder {

namespace {

void* const tail_stream = reinterpret_cast<void*>(3);   // cudaStreamTailLaunch: behind all others

struct Child {
    Launch launch;
    std::vector<char> arguments;
    std::string kernel;                  // the name, should the text be the thread's own
    std::uint64_t block;                 // of the thread that has launched it
    unsigned thread;
    auto place() const { return std::tuple(launch.stream == tail_stream, block, thread); }
};

std::mutex children_mutex;   // of blocks that run side by side
std::vector<Child> children;

}  // namespace

void launch_later(const Launch& by_kernel) {
    if (!machine().whole_program) ladder_trap("a kernel launched from a kernel (dynamic parallelism) is not emulated here", by_kernel.line);
    const auto* const bytes = static_cast<const char*>(by_kernel.arguments);
    Child child{by_kernel, {bytes, bytes + by_kernel.argument_bytes}, by_kernel.kernel, current->block->number, current->number};
    const std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(std::move(child));
}

void launch_children(void* stream) {
    std::vector<Child> now;
    now.swap(children);
    std::ranges::stable_sort(now, {}, &Child::place);   // as blocks that run side by side have not come to it
    for (Child& child : now) {
        if (machine().fault) return;
        child.launch.arguments = child.arguments.data();
        child.launch.kernel = child.kernel.c_str();
        child.launch.stream = stream;
        launch_kernel(child.launch);
        launch_children(stream);   // a kernel is over when all that it has launched is
    }
}

}  // namespace ladder
