// The runtime as Python sees it: one module, then case after case; each ends in a report.
#include <link.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <thread>

#include "crossing.h"
#include "faults.h"
#include "frames.h"
#include "jitter.h"
#include "machine.h"
#include "own_memory.h"

namespace ladder {

namespace {

// Executors beyond the cores that this process may use only take turns at them, in the middle of each other's work.
int of_use(int threads) {
    cpu_set_t cores;
    if (jitters || sched_getaffinity(0, sizeof cores, &cores)) return threads;
    return std::min(threads, CPU_COUNT(&cores));
}

constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Whether the access that faulted was a store; where that is not known, it may have been.
bool fault_writes(const ucontext_t& context) {
#if defined(__x86_64__)
    return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    return (void)context, true;
#endif
}

// A jump to itself, which no callback announces and which never ends, becomes an instruction that faults.
void stop_at(Address jump) {
#if defined(__x86_64__)
    constexpr std::uint8_t undefined[] = {0x0f, 0x0b};   // ud2
#else
    constexpr std::uint8_t undefined[] = {0, 0, 0, 0};   // udf #0
#endif
    void* const page = reinterpret_cast<void*>(jump / page_size() * page_size());
    const std::size_t bytes = jump % page_size() + sizeof undefined;
    if (mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0) return;
    std::memcpy(reinterpret_cast<void*>(jump), undefined, sizeof undefined);
    mprotect(page, bytes, PROT_READ | PROT_EXEC);
}

// In an empty loop.
void on_empty_loop(std::uint32_t pc) {
    Thread* const thread = current;
    Finding finding = thread ? still_running(*thread, pc) : Finding{};
    finding.text = thread ? "empty" : "host";
    if (thread) die(*thread, finding);
    finding.kind = "timeout";
    finding.pc = pc;
    machine().findings.push_back(std::move(finding));
    leave_entry_point();
}

// A fault in a kernel ends its block; one in the learner's host code ends the entry point. The session lives on.
void on_fault(int number, siginfo_t* info, void* raw) {
    leave_unwinder();
    const auto& context = *static_cast<ucontext_t*>(raw);
    Machine& m = machine();
    const auto address = reinterpret_cast<Address>(info->si_addr);
    const auto offset = static_cast<std::uint32_t>(fault_pc(context) - m.module.base);
    const bool empty_loop = number == SIGILL && m.module.empty_loops.contains(offset);
    if (empty_loop && !current) reached(fault_pc(context));   // a kernel that begins with one calls nothing before
    if (empty_loop && (current || can_leave_entry_point())) on_empty_loop(offset + 1);
    if (Thread* const thread = current) {
        const bool overflow = number == SIGSEGV && thread->block->stacks->is_guard(info->si_addr);
        Finding finding = finding_at(*thread, overflow ? "stack_overflow" : "crash", learner_frame(context));
        finding.text = name_of_signal(number);
        finding.address = address;
        if (number == SIGSEGV) refuse_address_of_the_host(*thread, address, finding.pc);
        die(*thread, finding);
    }
    Region* const both = number == SIGSEGV ? m.memory.both_sided(address) : nullptr;
    if (both && !both->uses.empty()) return both_sided_access(*both, address, 1, fault_writes(context), learner_frame(context));
    if (m.whole_program) do_without_malloc();   // its end comes, from wherever it is
    const bool damaged = number == SIGABRT && !said_of_damage().empty();   // malloc's lock may be held: it is lost to Python
    if (!can_leave_entry_point() || (damaged && !m.whole_program)) {
        if (m.whole_program) write_program_report();
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    m.program.signal = number;
    Finding finding;
    finding.kind = number == SIGSEGV && m.memory.is_device(address) ? "host_access" : "crash";
    finding.pc = learner_frame(context);
    finding.callers = calls_to_here();
    finding.text = fault_of_host(number, address, context);
    finding.address = address;
    if (finding.kind == "host_access")
        if (const Region* region = m.memory.nearest(address)) finding.at(*region, address);
    m.findings.push_back(std::move(finding));
    leave_entry_point();
}

int uncaught(const std::string& what) {
    Finding finding;
    finding.kind = "crash";
    finding.text = "an uncaught C++ exception" + what;
    machine().findings.push_back(std::move(finding));
    return 1;
}

// Raises `out_of_time` when a case has taken too long; the callbacks look at it. The limit is on processor time, so that a
// busy machine fails nobody, and a longer one on the clock, when the judge would end it, and less be told. Code that sleeps
// does not look: it is the judge's to end.
class Watchdog {
public:
    explicit Watchdog(double seconds, double wall) : thread_([this, seconds, wall] { watch(seconds, wall); }) {}
    ~Watchdog() {
        {
            std::lock_guard lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
        thread_.join();
        machine().out_of_time = false;
    }

private:
    void watch(double seconds, double wall) {
        std::unique_lock lock(mutex_);
        const double end = processor_seconds() + seconds, end_on_the_clock = ladder_host_seconds() + wall;
        while (!done_) {
            const double left = std::min(end - processor_seconds(), end_on_the_clock - ladder_host_seconds());
            if (left <= 0) machine().out_of_time = true, unwatched = false;
            changed_.wait_for(lock, std::chrono::duration<double>(left > 0 ? std::max(left / 4, 0.01) : 1.0));
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    std::thread thread_;
};

int find_module(dl_phdr_info* info, std::size_t, void* wanted) {
    Module& module = *static_cast<Module*>(wanted);
    if (info->dlpi_addr != module.base) return 0;
    module.tls_module = info->dlpi_tls_modid;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_TLS) module.tls_bytes = segment.p_memsz;
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_X) {
            module.text_begin = segment.p_vaddr;
            module.text_end = segment.p_vaddr + segment.p_memsz;
        }
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_W) {
            module.data_begin = module.base + segment.p_vaddr;
            module.data_bytes = segment.p_memsz;
        }
    }
    return 1;
}

}  // namespace

double processor_seconds() {
    timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Threads that host code started cannot jump back to where the entry point was called.
bool can_leave_entry_point() { return machine().escape && pthread_equal(pthread_self(), machine().entry_thread); }

void leave_entry_point() {
    stop_searching();
    if (can_leave_entry_point()) siglongjmp(*static_cast<sigjmp_buf*>(machine().escape), 1);
    signal(SIGABRT, SIG_DFL);
    std::abort();
}

void prepare_signals() {
    struct AlternateStack {
        char* memory = static_cast<char*>(std::malloc(64 * 1024));
        AlternateStack() {
            stack_t stack{};
            stack.ss_sp = memory;
            stack.ss_size = 64 * 1024;
            sigaltstack(&stack, nullptr);
        }
        ~AlternateStack() {
            stack_t off{};
            off.ss_flags = SS_DISABLE;
            sigaltstack(&off, nullptr);
            std::free(memory);
        }
    };
    thread_local AlternateStack stack;
    (void)stack;
}

}  // namespace ladder

using namespace ladder;

extern "C" {

// The learner's library was loaded: `inside` is any address in it (an entry point).
int ladder_session_module(const void* inside, const Symbol* symbols, std::size_t count, int threads, int counting) {
    Machine& m = machine();
    Dl_info info;
    if (!dladdr(inside, &info)) return 1;
    m.module = Module{};
    m.module.base = reinterpret_cast<Address>(info.dli_fbase);
    dl_iterate_phdr(find_module, &m.module);
    for (std::size_t i = 0; i < count; ++i) m.module.names.push_back(symbols[i].name);
    for (std::size_t i = 0; i < count; ++i) {
        Symbol symbol = symbols[i];
        symbol.name = m.module.names[i].c_str();
        if (symbol.kind == SymbolKind::HostOnly) m.module.host_only.push_back(symbol);
        if (symbol.kind == SymbolKind::OfEachSide) m.module.of_each_side.push_back(symbol);
        if (symbol.kind == SymbolKind::Loop) m.module.loops.push_back({symbol.value, symbol.value + symbol.bytes, 0});
        if (symbol.kind == SymbolKind::LoopEnd) m.module.loops.back().last = symbol.value;
        if (symbol.kind == SymbolKind::EmptyLoop) m.module.empty_loops.insert(static_cast<std::uint32_t>(symbol.value));
        if (symbol.kind == SymbolKind::CallPlace) m.module.call_places[static_cast<std::uint32_t>(symbol.value)] = static_cast<std::uint32_t>(symbol.bytes);
        if (symbol.kind == SymbolKind::Overwrite) m.module.overwrites.insert(static_cast<std::uint32_t>(symbol.value));
        if (symbol.kind == SymbolKind::Update) m.module.updates[static_cast<std::uint32_t>(symbol.value)] = static_cast<Loses>(symbol.bytes);
        if (symbol.kind == SymbolKind::BlindExchange) m.module.blind_exchanges.insert(static_cast<std::uint32_t>(symbol.value));
        if (symbol.kind == SymbolKind::CachedRead) m.module.cached_reads.insert(static_cast<std::uint32_t>(symbol.value));
        if (symbol.kind == SymbolKind::FlagRead) m.module.flag_reads.insert(static_cast<std::uint32_t>(symbol.value));
        if (symbol.kind == SymbolKind::Declared) m.module.add_declared(symbol);
        if (symbol.kind == SymbolKind::Alignment) m.module.add_alignment(symbol);
        if (symbol.kind == SymbolKind::Frame) m.module.frames[symbol.value] = symbol.bytes;
        if (symbol.kind == SymbolKind::Index) m.module.indexes[symbol.name] = symbol;
        m.module.symbols.push_back(symbol);
    }
    for (const std::uint32_t loop : m.module.empty_loops) stop_at(m.module.base + loop);
    m.threads = of_use(threads);
    m.counting = counting != 0;
    return 0;
}

// Local variables that are never set find zeros or other bytes, from now on; 0: whatever lies there.
void ladder_session_fill_stacks(std::size_t bytes) { machine().filled_stack = std::min(bytes, stack_bytes / 4); }

// After so long on the clock the entry point is given up, too: on a busy machine that may come before its processor time
// is spent.
void ladder_session_wall_limit(double seconds) { machine().wall_limit = seconds; }

// %gridid tells nothing of a call: as in a process with many more launches, it is larger from case to case.
static constexpr std::uint64_t most_grids = std::uint64_t{1} << 40;

void ladder_session_begin(double seconds, double data_elements, int poison) {
    Machine& m = machine();
    m.poison = poison;
    m.memory.begin_case();
    m.memory.add_variables(m.module);
    m.heap.begin_case(m.memory);
    m.gpu_stack = usual_gpu_stack;
    m.executors.clear();
    m.kernels.clear();
    m.grids_before = std::min(3 * m.grids_before + m.launches.size(), most_grids);
    m.launches.clear();
    m.noted_launches.clear();
    m.findings.clear();
    m.recorder = Recorder{};
    m.sampling.begin_case();
    m.counted_words.begin_case();
    m.printed_signs = 0;
    m.allowed_shared.clear();
    m.last_error = Success;
    m.fault = Success;
    m.given_up = m.fault_is_known = false;
    m.seconds_limit = seconds;
    m.data_elements = data_elements;
    m.host_steps = 0;
    static int stream;
    m.given_stream = m.whole_program || m.chance.on_default_stream ? nullptr : &stream;   // a program's own is the default one
    m.acquisitions.clear();
    m.stream_order = StreamOrder{};
    m.stream_order.begin(m.given_stream);
    m.stream_races = StreamRaces{}, m.page_locked.begin_case();
}

void ladder_session_mapping(void* begin, std::size_t bytes) { machine().memory.add_mapping(reinterpret_cast<Address>(begin), bytes); }

void ladder_session_buffer(const char* name, void* begin, std::size_t bytes, int writable) {
    machine().memory.add_buffer(name, reinterpret_cast<Address>(begin), bytes, writable != 0);
    Region& region = *machine().memory.regions().back();
    region.of_task = true;
    if (writable) region.before.resize(bytes);
}

// In this case, writes down what one block of a launch does (all of them, if x is `every_block`), and `count` others by
// their numbers in the grid, with room for so many numbers each. The launch is the one with this number among those of
// the kernel, or among all if its name is empty.
void ladder_session_record(const char* kernel, std::size_t launch, unsigned x, unsigned y, unsigned z, std::size_t room, const std::uint64_t* more, std::size_t count) {
    Recorder& recorder = machine().recorder;
    recorder.on = true;
    recorder.kernel = kernel;
    recorder.launches = {launch};
    recorder.room = room;
    recorder.block[0] = x, recorder.block[1] = y, recorder.block[2] = z;
    recorder.more.assign(more, more + count);
}

// Besides that launch, those with these numbers, and with `each_kernel` the first one of each kernel.
void ladder_session_record_launches(const std::uint64_t* launches, std::size_t count, int each_kernel) {
    Recorder& recorder = machine().recorder;
    recorder.launches.insert(recorder.launches.end(), launches, launches + count);
    recorder.each_kernel = each_kernel != 0;
}

// The steps of the recorded block with this number in the report, and the places that they touch; how many numbers each.
void ladder_session_steps(std::size_t number, const std::int64_t** steps, std::size_t* step_numbers, const std::int64_t** places, std::size_t* place_numbers) {
    const RecordedBlock& block = machine().recorder.blocks[number];
    *steps = block.steps.data(), *step_numbers = block.steps.size();
    *places = block.places.data(), *place_numbers = block.places.size();
}

// What runs is a whole program, and no graded file: managed memory, and a default stream that waits for others.
void ladder_session_whole_program(int yes) { machine().whole_program = yes != 0; }

// From now on, only these blocks of a launch run, in ascending order, if it has them all.
void ladder_session_only_blocks(const std::uint64_t* numbers, std::size_t count) { machine().only_blocks.assign(numbers, numbers + count); }

void ladder_session_turn_blocks(int yes) { machine().blocks_turned = yes != 0; }

void ladder_session_turn_elements(int yes) { machine().elements_turned = yes != 0; }

void ladder_session_print_threads(int yes) { machine().print_threads = yes != 0; }

// The grader itself writes into the buffers between two runs.
void ladder_session_open() { machine().memory.open(); }
void ladder_session_show() { machine().memory.show(); }

void* ladder_session_stream() { return machine().given_stream; }

// Calls the entry point. Returns 0, or 1 when it had to be given up (a finding says why).
int ladder_session_run(void (*entry)(void**), void** arguments) {
    Machine& m = machine();
    prepare_signals();
    struct sigaction action {}, before[std::size(fault_signals)];
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < std::size(fault_signals); ++i) sigaction(fault_signals[i], &action, &before[i]);
    static sigjmp_buf escape;   // not on a stack that the program may have overwritten
    volatile int given_up = 0;
    {
        Watchdog watchdog(m.seconds_limit, m.wall_limit);
        m.memory.shut();
        if (sigsetjmp(escape, 1) == 0) {
            m.escape = &escape;
            m.entry_thread = pthread_self();
            try {
                entry(arguments);
            } catch (const std::exception& exception) {
                given_up = uncaught(std::string(": ") + exception.what());
            } catch (const abi::__forced_unwind&) {   // pthread_exit: no exception of the submission's
                throw;
            } catch (...) {
                given_up = uncaught("");
            }
        } else {
            if (m.whole_program) end_by_signal();
            given_up = 1;
        }
        m.escape = nullptr;
        m.given_up = given_up;
        m.memory.show();
    }
    for (std::size_t i = 0; i < std::size(fault_signals); ++i) sigaction(fault_signals[i], &before[i], nullptr);
    std::fflush(stdout);
    if (!m.whole_program) finish_case(m);
    return given_up;
}

// The case as JSON; the text lives until the next call.
const char* ladder_session_report() {
    static std::string text;
    text = report();
    return text.c_str();
}

}  // extern "C"
