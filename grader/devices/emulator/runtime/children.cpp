#include "children.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
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
    bool has_local;   // an argument leads to a local variable of the thread that launches it
    auto place() const { return std::pair(origin.stream == reinterpret_cast<void*>(tail_stream), origin.block); }
};

std::vector<std::unique_ptr<Stacks>> parents;   // their stacks, while what they have launched runs
std::atomic<bool> kernels_launch{false};   // and one has: for good
std::mutex children_mutex;   // of blocks that run side by side
std::vector<Child> children;
std::atomic<bool> launches_overlap{false};   // and one has been asked to
std::atomic<bool> kernels_wait{false};     // for events of theirs

void keep(void* stream, std::function<void(void* stream)> run, bool has_local = false) {
    kernels_launch = true;
    Child child{std::move(run), {0, current->block->number, stream, release_to_child(*current)}, has_local};
    const std::lock_guard<std::mutex> lock(children_mutex);
    children.push_back(std::move(child));
}

bool leads_to_a_local(const char* arguments, std::size_t bytes) {
    for (std::size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
        const void* word;
        std::memcpy(&word, arguments + at, sizeof word);
        if (current->block->stacks->holds(word)) return true;
    }
    return false;
}

// Who runs now would else have these stacks for its own, and take a local variable of its parent's for one of those.
void put_stacks_aside() {
    for (const auto& executor : machine().executors) {
        for (Seat& seat : executor->seats) parents.push_back(std::move(seat.stacks));
        executor->seats.clear();
    }
}

}  // namespace

bool is_of_a_parent(Address a) {
    return std::ranges::any_of(parents, [&](const auto& stacks) { return stacks->holds(reinterpret_cast<const void*>(a)); });
}

bool works_are_in_order() { return !kernels_launch && machine().streams.empty() && !machine().stream_order.is_per_thread(); }
bool works_may_race() { return launches_overlap || !works_are_in_order(); }
void launches_may_overlap() { launches_overlap = true; }

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
    }, leads_to_a_local(bytes, by_kernel.argument_bytes));
}

void launch_children(void* stream) {
    std::vector<Child> now;
    now.swap(children);
    const Origin origin = machine().origin;
    const std::size_t parent = machine().stream_races.works();
    const std::size_t others = parents.size();
    if (std::ranges::any_of(now, &Child::has_local)) put_stacks_aside();
    std::ranges::stable_sort(now, {}, &Child::place);   // blocks run side by side, but each one launches in its order
    for (Child& child : now) {
        if (machine().fault) break;
        machine().origin = child.origin;
        machine().origin.parent = parent;
        child.run(stream);
    }
    machine().origin = origin;
    while (parents.size() > others) {
        machine().spare_stacks.keep(std::move(parents.back()), most_seats * static_cast<std::size_t>(machine().threads));
        parents.pop_back();
    }
}

bool works_for_a_kernel() { return machine().origin.parent != 0; }

void a_kernel_waits() { kernels_wait = true; }

bool events_may_order_children() { return kernels_wait; }

}  // namespace ladder

using namespace ladder;

extern "C" void ladder_await_dependency() {
    if (current) await_dependency(*current);
}

extern "C" void ladder_work_later(void* stream, void (*later)(void* work, void* stream), const void* work, std::size_t bytes) {
    if (!machine().whole_program) ladder_trap("a copy by a kernel (dynamic parallelism) is not emulated here", 0);
    const auto* const begin = static_cast<const char*>(work);
    keep(stream, [later, copied = std::vector<char>(begin, begin + bytes)](void* behind) mutable {
        later(copied.data(), behind);
    });
}
