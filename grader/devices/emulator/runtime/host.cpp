// The host side of CUDA: launches, memory and errors, as the learner's launcher sees them.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "children.h"
#include "frames.h"
#include "host_call.h"
#include "noted.h"
#include "variables.h"

namespace ladder {

Machine the_machine;

void file(const char* kind, const std::string& kernel, int line, const std::string& text) {
    Finding finding;
    finding.kind = kind;
    finding.kernel = kernel;
    finding.launch = kernel.empty() ? 0 : machine().launches.size();
    finding.line = line;
    finding.text = text;
    machine().findings.push_back(std::move(finding));
}

int Machine::kernel_number(const Launch& launch) {
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (kernels[i].name == launch.kernel) return static_cast<int>(i);
    KernelTotals totals;
    totals.name = launch.kernel;
    totals.line = launch.line;
    kernels.push_back(std::move(totals));
    return static_cast<int>(kernels.size()) - 1;
}

namespace {

// A GPU takes more, but here they would run for longer than any time limit.
constexpr std::uint64_t most_blocks = std::uint64_t{1} << 26;
constexpr unsigned long usual_argument_bytes = 128;      // of a launch: pointers and sizes, no results of the host's
constexpr std::uint64_t threads_of_an_executor = 256;   // of a launch: for fewer, one more does not pay

std::string static_shared_text(std::size_t bytes) {
    return "its static shared memory is " + std::to_string(bytes) + " bytes, at most " + std::to_string(shared_per_block) + " are allowed";
}

// The blocks of a cluster: those that the launch names, or else the kernel.
Index cluster_size(const Launch& launch, const Symbol* function) {
    const Index own = machine().module.cluster_size(function);
    if (launch.names_cluster) return {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
    return own.x ? own : Index{1, 1, 1};
}

std::string refusal_of_cluster(const Launch& launch, const Symbol* function) {
    const Index own = machine().module.cluster_size(function), size = cluster_size(launch, function);
    const auto text = [](const Index& of) { return std::to_string(of.x) + " x " + std::to_string(of.y) + " x " + std::to_string(of.z); };
    if (own.x && (own.x != size.x || own.y != size.y || own.z != size.z))
        return "it asks for clusters of " + text(size) + " blocks, and the kernel's __cluster_dims__ say " + text(own) + ": write the same, or one of the two";
    const unsigned axes[] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; ++axis)
        if (axes[axis] == 0 || launch.grid[axis] % axes[axis] != 0)
            return "the grid has " + std::to_string(launch.grid[axis]) + " blocks in " + "xyz"[axis] + ", which is no multiple of the " + std::to_string(axes[axis]) + " that a cluster has there";
    const std::uint64_t blocks = std::uint64_t{size.x} * size.y * size.z;
    const bool more = machine().wide_clusters.contains(function ? function->name : "");
    if (blocks <= (more ? most_cluster_blocks_optin : most_cluster_blocks)) return "";
    return "a cluster has " + std::to_string(blocks) + " blocks, at most " + std::to_string(more ? most_cluster_blocks_optin : most_cluster_blocks) + " are allowed" +
           (more ? "" : " (cudaFuncSetAttribute with cudaFuncAttributeNonPortableClusterSizeAllowed raises this to " + std::to_string(most_cluster_blocks_optin) + ")");
}

// Dynamic shared memory that a launch may ask for, in bytes, by what host code has set.
std::size_t allowed_shared(const Symbol* function, const std::map<std::string, std::size_t>& set) {
    const auto raised = set.find(function ? function->name : "");
    if (raised != set.end()) return raised->second;
    return shared_per_block - std::min(shared_per_block, machine().module.static_shared(function));
}

// What a GPU would refuse, in its words; empty when the launch is fine. `error` becomes CUDA's number for it.
std::string refusal(const Launch& launch, const Symbol* function, int& error) {
    const auto threads = static_cast<std::uint64_t>(launch.block[0]) * launch.block[1] * launch.block[2];
    error = InvalidValue;   // so CUDA 13; before, it was InvalidConfiguration
    const auto text = [](std::uint64_t value) { return std::to_string(value); };
    for (int axis = 0; axis < 3; ++axis) {
        const std::string name(1, "xyz"[axis]);
        if (launch.grid[axis] == 0) return "the grid has 0 blocks in " + name;
        if (launch.block[axis] == 0) return "the block has 0 threads in " + name;
        const std::uint64_t most_blocks = axis == 0 ? 2147483647u : 65535u;
        if (launch.grid[axis] > most_blocks) return "the grid has " + text(launch.grid[axis]) + " blocks in " + name + ", at most " + text(most_blocks) + " are allowed";
        const std::uint64_t most_threads = axis == 2 ? 64 : 1024;
        if (launch.block[axis] > most_threads)
            return "the block has " + text(launch.block[axis]) + " threads in " + name + ", at most " + text(most_threads) + " are allowed";
    }
    if (const std::string why = refusal_of_cluster(launch, function); !why.empty()) return error = InvalidClusterSize, why;
    if (threads > threads_per_block) return "the block has " + text(threads) + " threads, at most " + text(threads_per_block) + " are allowed";
    const std::size_t bound = machine().module.launch_bound(function);
    if (bound && threads > bound) return "the block has " + text(threads) + " threads, its __launch_bounds__ allow " + text(bound);
    const std::size_t fixed = machine().module.static_shared(function);
    if (fixed > shared_per_block) return static_shared_text(fixed);
    const std::size_t limit = fixed + allowed_shared(function, machine().once_allowed);
    if (fixed + launch.shared_bytes > limit)
        return "it asks for " + text(fixed + launch.shared_bytes) + " bytes of shared memory, at most " + text(limit) +
               " are allowed (cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize raises this to " + text(shared_per_block_optin) + ")";
    const std::uint64_t blocks = static_cast<std::uint64_t>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    if (blocks > most_blocks)
        return "the grid has " + text(blocks) + " blocks, and so many are more than the emulator can hold: give each thread more to do";
    error = CooperativeTooLarge;
    const std::uint64_t resident = static_cast<std::uint64_t>(ladder_multiprocessors()) * most_resident(threads, fixed + launch.shared_bytes);
    if (launch.cooperative && blocks > resident)
        return "a cooperative launch must fit on the GPU at once: " + text(blocks) + " blocks, room for " + text(resident);
    error = Success;
    return "";
}

// Moves what the executors found into the case's list: of equal findings the one of the lowest block, so that the list
// does not depend on which executor ran what. How far the blocks behind one that failed have come does: they are left out.
void collect_findings(std::size_t executors, std::uint64_t last_block) {
    std::vector<Finding> found;
    for (std::size_t e = 0; e < executors; ++e) {
        auto& from = machine().executors[e]->findings;
        std::copy_if(std::move_iterator(from.begin()), std::move_iterator(from.end()), std::back_inserter(found),
                     [&](const Finding& finding) { return finding.place.block <= last_block; });
        from.clear();
    }
    const auto same = [](const Finding& a, const Finding& b) {
        return a.kind == b.kind && a.pc == b.pc && a.other_pc == b.other_pc && a.line == b.line && a.note == b.note && a.access == b.access;
    };
    std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) { return a.place.block < b.place.block; });
    for (Finding& finding : found) {
        auto& all = machine().findings;
        const auto known = std::find_if(all.begin(), all.end(), [&](auto& other) { return same(finding, other); });
        if (known == all.end()) all.push_back(std::move(finding));
        else known->count += finding.count;
    }
}

// A kernel's shared memory has the arrays of the __device__ functions, too, that it calls: those of which it has touched
// one. Their bytes, besides those of the kernel's own arrays.
std::size_t borrowed_shared(const LaunchState& state, std::size_t executors) {
    const std::string kernel = state.function ? state.function->name : "";
    std::map<std::string, std::size_t> arrays;
    for (std::size_t e = 0; e < executors; ++e)
        for (const auto& region : machine().executors[e]->own_regions)
            if (region->space == Space::Shared && region->touched) arrays[region->name] = region->bytes;
    std::size_t sum = 0;
    for (const auto& [name, bytes] : arrays)
        if (!name.empty() && owner_of(name) != kernel) sum += bytes;   // dynamic shared memory has no name
    return sum;
}

void run_launch(LaunchState& state) {
    Machine& m = machine();
    const std::uint64_t work = state.blocks * state.block.x * state.block.y * state.block.z;
    const std::uint64_t worth = std::max<std::uint64_t>(1, work / threads_of_an_executor);
    const std::size_t stacks = std::size_t{state.block.x} * state.block.y * state.block.z + 1;   // of a block
    const std::size_t with_stacks = std::max<std::size_t>(1, Stacks::most() / stacks);
    const std::size_t most = state.clusters.any() ? 1 : static_cast<std::size_t>(m.threads);   // blocks of a cluster touch each other's memory
    const std::size_t count = std::min<std::size_t>({worth, state.blocks, most, with_stacks});
    state.executors = count;
    state.seats = std::clamp<std::size_t>(with_stacks / count, 1, most_seats);
    for (const auto& executor : m.executors) executor->keep_stacks(stacks, state.seats);   // of those, too, who have no part in this launch
    while (m.executors.size() < count) m.executors.push_back(std::make_unique<Executor>(static_cast<int>(m.executors.size())));
    const std::size_t found = m.findings.size();
    m.memory.note_host_writes();
    m.memory.open();
    std::vector<std::thread> others;
    const Work launch = m.stream_order.last();
    const auto work_on = [&](std::size_t e) {
        prepare_signals();
        m.stream_order.run_part_of(launch);
        m.executors[e]->begin_launch(&state);
        m.executors[e]->run();
    };
    for (std::size_t e = 1; e < count; ++e) others.emplace_back(work_on, e);
    work_on(0);
    for (std::thread& other : others) other.join();
    for (auto& [block, text] : state.printed) m.printed_signs += visible_signs(text), std::fwrite(text.data(), 1, text.size(), stdout);
    if (!state.printed.empty()) m.printed = {m.stream_order.last(), m.kernels[static_cast<std::size_t>(state.kernel)].name};
    collect_findings(count, state.schedule.stop_after);
    KernelTotals& totals = m.kernels[static_cast<std::size_t>(state.kernel)];
    const std::size_t fixed = m.module.static_shared(state.function) + borrowed_shared(state, count);
    totals.static_shared = std::max(totals.static_shared, fixed);
    if (fixed > shared_per_block) file("launch_error", totals.name, state.launch->line, static_shared_text(fixed));
    if (state.schedule.crowded) file("crowd", totals.name, state.launch->line, std::to_string(state.schedule.room) + ' ' + std::to_string(multiprocessors_of_h200)), m.findings.back().note = true;
    std::vector<Finding> between;
    state.races.check(state, between);
    std::move(between.begin(), between.end(), std::back_inserter(m.findings));
    std::for_each(m.findings.begin() + static_cast<std::ptrdiff_t>(found), m.findings.end(), [&](Finding& each) { each.launch = m.launches.size(); });
    note_use_by_launch(state.tells_host);
    m.memory.shut();
}

}  // namespace

// Whether the kernel's next launch leaves traces.
static bool begin_watching(int kernel) {
    Machine& m = machine();
    KernelTotals& totals = m.kernels[static_cast<std::size_t>(kernel)];
    if (!m.counting || !(m.watched.wants(totals.name, totals.launches) || m.recorder.recording)) return false;
    if (m.watched.last) {
        totals.counted_launches = 0;
        for (const auto& executor : m.executors) executor->kernels.erase(kernel);
    }
    totals.counted_launches += 1;
    return true;
}

// What earlier launches have handed on by flags is of use to one on another stream that may run beside them: it is forgotten
// where the host has waited for them, or where there is no other stream.
static void begin_flags(LaunchState& state) {
    Machine& m = machine();
    state.first_id = (m.launches.size() & 0xffffff) << 40;
    state.acquired = m.origin.acquired;
    if (m.origin.parent || ((!m.streams.empty() || m.stream_order.is_per_thread()) && !m.acquisitions.is_large() && !m.stream_order.host_knew_all())) return;
    m.acquisitions.clear();
    m.stream_races.forget_flags();
}

bool is_refused(const Launch& launch, const Symbol* function) {
    int error = Success;
    const std::string why = refusal(launch, function, error);
    if (why.empty()) return false;
    file("launch_error", launch.kernel, launch.line, why);
    if (!machine().origin.parent) machine().last_error = error;
    return true;
}

bool fails_in_kernel(const Launch& launch) {
    int error = Success;
    return !refusal(launch, nullptr, error).empty();
}

static Launch named(const Launch& launch, const Symbol* function) {
    Launch its = launch;
    its.kernel = name_of(launch, function);
    return its;
}

void launch_kernel(const Launch& asked) {
    Machine& m = machine();
    m.host_steps = 0;
    const Symbol* const function = function_of(asked);
    const Launch launch = named(asked, function);
    const std::uint64_t blocks = static_cast<std::uint64_t>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    m.recorder.begin_launch(launch.kernel);
    m.launches.push_back({launch.kernel, {launch.grid[0], launch.grid[1], launch.grid[2]}, {launch.block[0], launch.block[1], launch.block[2]},
                          launch.shared_bytes, launch.line, launch.stream == m.given_stream, m.streams.contains(launch.stream), launch.cooperative});
    m.memory.copied_from_host += std::max(launch.argument_bytes, usual_argument_bytes) - usual_argument_bytes;
    if (function) launch.refer(launch.arguments, references_of(function->name));
    if (is_refused(launch, function)) return;
    if (refusal_of_call(launch.stream, launch.line) || m.fault) return;
    if (m.only_launches) return note_launch(launch);
    const Arguments arguments(launch, function);
    if (launch.programmatic) launches_may_overlap();
    m.stream_order.work(launch.stream, launch.line, launch.programmatic ? StreamOrder::Kind::Programmatic : StreamOrder::Kind::Kernel);
    LaunchState state(blocks);
    state.launch = &launch;
    state.function = function;
    if (function) m.launched.insert(function->name);
    state.kernel = m.sampling.on() ? m.sampling.number_of(launch) : m.kernel_number(launch);
    if (state.kernel < 0) return;   // one like it was sampled
    state.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    state.block = {launch.block[0], launch.block[1], launch.block[2]};
    state.clusters = {cluster_size(launch, function), state.grid, launch.names_cluster || machine().module.cluster_size(function).x};
    state.counting = begin_watching(state.kernel);
    if (m.whole_program) m.extents.add(launch, state.counting && m.watched.counters);
    if (!m.sampling.on()) state.schedule.room = multiprocessors_of_h200 * most_resident(launch.block[0] * launch.block[1] * launch.block[2], m.module.static_shared(function) + launch.shared_bytes);
    if (ProgressOfProgram* const shown = m.program.progress) {
        *shown = {1, m.launches.size(), blocks, 0, {}};
        m.kernels[static_cast<std::size_t>(state.kernel)].name.copy(shown->kernel, sizeof shown->kernel - 1);
    }
    if (m.blocks_turned) {   // a ticket that blocks draw is then the number of none, from neither end
        for (std::uint64_t n = blocks; n > 0; --n) state.chosen.push_back(n - 1);
        for (std::uint64_t n = 1; n + 1 < blocks; n += 2) std::swap(state.chosen[n], state.chosen[n + 1]);
    }
    begin_flags(state);
    run_chosen(state, run_launch);
    KernelTotals& totals = m.kernels[static_cast<std::size_t>(state.kernel)];
    totals.launches += 1;
    totals.blocks += blocks;
    totals.threads += blocks * launch.block[0] * launch.block[1] * launch.block[2];
    totals.barriers += state.barriers;
    totals.copies += state.copies;
    totals.most.take(state.most);
    if (state.task_bytes > totals.task_bytes) {
        totals.task_bytes = state.task_bytes;
        totals.busy_threads = std::min<std::uint64_t>(state.busy_threads, warp_lanes * state.of_warps.most(state.task_bytes));
        totals.busy_blocks = std::min<std::uint64_t>(state.busy_blocks, state.of_blocks.most(state.task_bytes));
    }
    totals.passed_barriers.merge(state.passed_barriers);
    totals.dynamic_shared = std::max(totals.dynamic_shared, launch.shared_bytes);
    if (state.schedule.stop_after.load() != ~std::uint64_t{0}) {
        m.fault = error_of_launch(m.findings, m.launches.size());   // as on a GPU: after a fault the context is lost
    }
}

}  // namespace ladder

using namespace ladder;

extern "C" {

void ladder_launch(const Launch* launch) {
    if (current) return launch_later(*launch);
    const HostCall call;
    launch_kernel(*launch);
    launch_children(launch->stream);
    give_back_of_parameters(launch->line);
}

int ladder_launch_fails(const Launch* launch) {
    const HostCall call;
    const Symbol* const function = function_of(*launch);
    if (!is_refused(named(*launch, function), function)) return false;
    break_captures();
    return true;
}

int ladder_allow_shared(const void* kernel, std::size_t bytes) {
    const Symbol* symbol = machine().module.function_at(kernel);
    if (!symbol) return InvalidValue;
    if (machine().module.static_shared(symbol) + bytes > shared_per_block_optin) return InvalidValue;
    machine().allowed_shared[symbol->name] = machine().once_allowed[symbol->name] = bytes;
    return Success;
}

void ladder_allow_clusters(const void* kernel, int more) {
    const Symbol* const symbol = machine().module.function_at(kernel);
    if (symbol && more) machine().wide_clusters.insert(symbol->name);
    else if (symbol) machine().wide_clusters.erase(symbol->name);
}

int ladder_clusters_of(const void* kernel, int axis) {
    const Symbol* const symbol = machine().module.function_at(kernel);
    const Index size = machine().module.cluster_size(symbol);
    const unsigned of_axis[] = {size.x, size.y, size.z, symbol && machine().wide_clusters.contains(symbol->name)};
    return static_cast<int>(of_axis[axis]);
}

std::size_t ladder_static_shared(const void* kernel) {
    return machine().module.static_shared(machine().module.function_at(kernel));
}

// Of what earlier cases have set it tells nothing: else a file could count its calls.
std::size_t ladder_allowed_shared(const void* kernel) { return allowed_shared(machine().module.function_at(kernel), machine().allowed_shared); }

std::size_t ladder_possible_shared(const void* kernel) {
    const Symbol* const symbol = machine().module.function_at(kernel);
    const bool is_raised = symbol && machine().once_allowed.contains(symbol->name) && !machine().allowed_shared.contains(symbol->name);
    return is_raised ? shared_per_block_optin - machine().module.static_shared(symbol) : ladder_allowed_shared(kernel);
}

int ladder_most_threads(const void* kernel) {
    const std::size_t bound = machine().module.launch_bound(machine().module.function_at(kernel));
    return bound ? static_cast<int>(std::min<std::size_t>(bound, threads_per_block)) : threads_per_block;
}

int ladder_last_error(int clear) {
    if (current) return clear ? std::exchange(current->last_error, std::uint8_t{Success}) : current->last_error;
    const int error = machine().error_asked_for = machine().last_error;
    if (clear) machine().last_error = Success;
    return error;
}
int ladder_fault(int at_once) {
    Machine& m = machine();
    if (!m.fault || !(at_once || m.fault_is_known)) return Success;
    return m.last_error = m.fault;
}
void ladder_set_error(int error) {
    constexpr int not_ready = 600;   // as a loop hears it that waits for a stream
    Machine& m = machine();
    if (current) return;
    m.last_error = error;
    if (error && error != not_ready && error != m.failed.first && m.whole_program) m.failed = {error, calls_to_here()};
}

double ladder_host_seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void ladder_trap(const char* why, int line) {
    Finding finding;
    if (current) finding = finding_at(*current, "trap", 0);
    if (!line) finding.callers = calls_to_here();   // a header's function that gets no line
    finding.kind = "trap";
    finding.line = line;
    finding.text = why;
    if (current) die(*current, finding);
    machine().findings.push_back(std::move(finding));
    leave_entry_point();
}

}  // extern "C"
