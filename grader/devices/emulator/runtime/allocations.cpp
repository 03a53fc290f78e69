// Memory that host code asks for and gives back, at once or as work on a stream.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "heap.h"
#include "host_call.h"
#include "matrices.h"
#include "thread.h"

namespace ladder {

namespace {

int allocate(void** pointer, std::size_t bytes, int line) {
    const int error = machine().memory.allocate(pointer, bytes, std::max(line, 1), machine().poison);
    if (!error) return Success;
    machine().last_error = error;
    if (machine().whole_program) file("out_of_memory", "", line, std::to_string(bytes));
    return error;
}

int release(void* pointer, bool pinned, int line) {
    const Region* const region = machine().memory.find(reinterpret_cast<Address>(pointer));
    const bool other_function = region && !region->freed && (region->sides == Sides::Pinned) != pinned;
    const int error = other_function ? InvalidValue : machine().memory.release(pointer);
    if (other_function) {
        file("invalid_free", "", line, pinned ? "device" : "pinned");
        machine().last_error = error;
    } else if (error) {
        const bool kept = machine().memory.is_of_earlier_case(reinterpret_cast<Address>(pointer));
        const std::string again = region && region->freed_by_launch ? "launch " + std::to_string(region->freed_by_launch) : "again";
        const std::string why = !region ? "" : region->is_heap ? "heap" : region->freed ? again : region->of_task ? "given" : "inside";
        file(kept ? "leak" : "invalid_free", "", line, kept ? "kept" : why);
        machine().last_error = error;
    }
    return error;
}

// What the ends of a kernel's parameters give back: host code's, for a kernel has no cudaFree. On a GPU a launch has one copy
// of its arguments, and here each thread has one, too: the memory goes once, when the launch is over.
struct OfParameters {
    std::mutex one_at_a_time;
    std::map<void*, std::pair<bool, int>> pointers;   // which are pinned, and the line
} of_parameters;

// A kernel's cudaMalloc is its malloc, and where the pointer goes is written to.
int allocate_by_kernel(void** pointer, std::size_t bytes, Address caller) {
    void* const memory = allocate_in_kernel(bytes, "kernel's cudaMalloc", caller);
    write_at(*current, reinterpret_cast<Address>(pointer), &memory, sizeof memory, {0, program_counter(caller)});
    return memory ? Success : OutOfMemory;
}

// Work on a stream that a graph keeps is not done now; in a graded file own streams hold no memory.
bool is_work(int captured) { return machine().whole_program && !captured; }

}  // namespace

void give_back_of_parameters(int launch_line) {
    for (const auto& [pointer, how] : std::exchange(of_parameters.pointers, {}))
        if (!give_back(pointer, how.first, how.second)) machine().memory.find(reinterpret_cast<Address>(pointer))->freed_by_launch = launch_line;
}

int give_back(void* pointer, bool pinned, int line) {
    if (ladder_in_kernel()) {
        const std::lock_guard<std::mutex> alone(of_parameters.one_at_a_time);
        of_parameters.pointers[pointer] = {pinned, line};
        return Success;
    }
    const HostCall call;
    if (const int error = refusal_of_memory(line)) return error;
    if (!pointer) return Success;
    ladder_host_waits_for_all();   // as cudaFree does
    return release(pointer, pinned, line);
}

}  // namespace ladder

using namespace ladder;

extern "C" {

int ladder_malloc(void** pointer, std::size_t bytes, int line) {
    if (current && machine().whole_program) return allocate_by_kernel(pointer, bytes, reinterpret_cast<Address>(__builtin_return_address(0)));
    const HostCall call;
    if (const int error = refusal_of_memory(line)) return error;
    if (const int error = refusal_of_result(pointer, "cudaMalloc", line)) return error;
    return allocate(pointer, bytes, line);
}

int ladder_free(void* pointer, int line) {
    if (current && machine().heap.spans(reinterpret_cast<Address>(pointer))) return free_in_kernel(pointer, reinterpret_cast<Address>(__builtin_return_address(0))), Success;
    return give_back(pointer, false, line);
}

int ladder_malloc_async(void** pointer, std::size_t bytes, void* stream, int captured, int line) {
    const HostCall call;
    if (const int error = refusal_of_result(pointer, "cudaMallocAsync", line)) return error;
    if (!is_work(captured)) return allocate(pointer, bytes, line);
    if (const int error = ladder_stream_work(stream, line)) return error;
    const int error = allocate(pointer, bytes, line);
    if (!error && *pointer) machine().stream_races.allocated(*machine().memory.find(reinterpret_cast<Address>(*pointer)));
    return error;
}

int ladder_free_async(void* pointer, void* stream, int captured, int line) {
    const HostCall call;
    if (!is_work(captured)) return ladder_free(pointer, line);
    if (const int error = ladder_stream_work(stream, line)) return error;
    if (!pointer) return Success;
    if (const Region* const region = machine().memory.find(reinterpret_cast<Address>(pointer))) machine().stream_races.freed(*region);
    return release(pointer, false, line);
}

int ladder_device_reset(int line) {
    const HostCall call;
    if (const int error = refusal_of_memory(line)) return error;
    ladder_host_waits_for_all();
    if (!machine().whole_program) return wrong_call(InvalidValue, "reset", line);
    for (const auto& region : machine().memory.regions()) {
        const bool allocated = region->line && !region->freed && region->sides != Sides::Registered;
        if (allocated && region->device == ladder_current_device(-1)) machine().memory.release(reinterpret_cast<void*>(region->begin));
    }
    return Success;
}

std::size_t ladder_memory_in_use() { return machine().memory.live_bytes(); }

}  // extern "C"
