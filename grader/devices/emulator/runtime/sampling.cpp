#include "sampling.h"

#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "accesses.h"
#include "machine.h"
#include "multiprocessor.h"
#include "request.h"

namespace ladder {

namespace {

constexpr std::size_t most_blocks_run = 16, most_neighbours = 4, most_held = 8;
constexpr double golden = 0.6180339887498949;   // its multiples lie evenly in [0, 1), whatever their number
constexpr std::size_t reserved_shared = 1024;   // of each block, the system's own
constexpr std::size_t simple_registers = 32;    // of a thread: what nvcc gives simple kernels
constexpr std::uint64_t most_set = 1 << 16;     // bytes that are set or copied, as counters are: more takes time and memory
constexpr double parts_of_a_look = 8;             // the share of a call's seconds after which no more blocks are looked at
constexpr std::uint64_t steps_to_thin = 4;      // the share of a call's steps after which a block goes on with one warp

// The lines of a request, and which of their sectors.
template <class F> unsigned each_line(const Request& request, F f) {
    Asked lines[2 * warp_lanes];
    unsigned count = 0;
    for (int i = 0; i < request.lanes; ++i) {
        const std::uint64_t first = request.address[i] / 32, last = (request.address[i] + request.bytes - 1) / 32;
        for (std::uint64_t sector = first; sector <= last; ++sector) {
            unsigned at = count;   // the latest first: lanes go on where the one before them was
            while (at > 0 && lines[at - 1].line != sector / 4) --at;
            if (at == 0) lines[at = count++] = {sector / 4, 0, 0, 0};
            else --at;
            lines[at].sectors |= 1u << sector % 4;
        }
    }
    for (unsigned i = 0; i < count; ++i) f(lines[i], i == 0);
    return count;
}

// Of a thread, if so many blocks of so many threads are to fit; more are not in an instruction.
std::size_t registers_for(std::size_t blocks, std::size_t threads) {
    return std::min<std::size_t>(registers_per_multiprocessor / (blocks * round_up(threads, warp_lanes)) / 8 * 8, 255);
}

BlockSample& sample_of(WarpUnit& warp) { return *warp.block->sample; }

// With those of their clusters, without which they would not go on.
std::vector<std::uint64_t> with_clusters(const LaunchState& state, std::vector<std::uint64_t> numbers) {
    if (!state.clusters.any()) return numbers;
    std::set<std::uint64_t> all;
    for (const std::uint64_t number : numbers)
        for (const std::uint64_t other : state.clusters.blocks_of(state.clusters.of(index_of(number, state.grid)))) all.insert(other);
    return {all.begin(), all.end()};
}

void run_blocks(LaunchState& state, std::vector<std::uint64_t> chosen, void (*run)(LaunchState&)) {
    std::vector<std::uint64_t> numbers = with_clusters(state, std::move(chosen));
    LaunchState part(numbers.size());
    part.launch = state.launch;
    part.function = state.function;
    part.kernel = state.kernel;
    part.grid = state.grid;
    part.block = state.block;
    part.clusters = state.clusters;
    part.counting = state.counting;
    part.chosen = std::move(numbers);
    run(part);
    state.barriers += part.barriers;
    state.copies += part.copies;
    if (part.schedule.stop_after.load() != ~std::uint64_t{0}) state.schedule.stop_after = 0;
}

}  // namespace

void WarpSample::enter_block() {
    ++steps;
    load_rounds += loads;
    lone_rounds += loads && fenced;
    shared_rounds += shares;
    fenced = (fenced && !loads) || stores;
    loads = shares = stores = false;
}

// The load that the copy consists of is waited for when the copy is, and not there either if the warp had other work.
void WarpSample::begin_copy(const Request& request) {
    loads = false;
    copied += std::uint64_t{request.bytes} * static_cast<unsigned>(__builtin_popcount(request.mask));
    copies[request.address[0]] = shared_rounds;
}

void WarpSample::await_copy(Address to) {
    const auto copy = copies.find(to);
    if (copy == copies.end()) return;
    loads = loads || copy->second == shared_rounds;
    copies.erase(copy);
}

bool Chain::goes_on(const Request& request) const {
    if (request.mask != mask || length == 4) return false;
    for (int i = 0; i < lanes; ++i)
        if (request.address[i] != first[i] + 4 * length) return false;
    return true;
}

void Chain::count() {
    const auto aligned = [&](unsigned to) { return std::all_of(first, first + lanes, [&](Address a) { return a % to == 0; }); };
    const unsigned width = length == 4 && aligned(16) ? 4 : length % 2 == 0 && aligned(8) ? 2 : 1;
    site->joined += length / width;
    if (width == 1) return void(site->joined_wavefronts += wavefronts);
    Request wide;
    wide.mask = mask;
    wide.lanes = lanes;
    wide.bytes = 4 * width;
    wide.consecutive = false;
    std::copy(first, first + lanes, wide.address);
    unsigned phases;
    site->joined_wavefronts += length / width * count_wavefronts(wide, true, &phases);
}

void WarpSample::load_shared(Site& site, const Request& request, unsigned wavefronts) {
    if (request.bytes != 4) return void((++site.joined, site.joined_wavefronts += wavefronts));
    auto chain = std::find_if(chains.begin(), chains.end(), [&](const Chain& each) { return each.site == &site; });
    if (chain == chains.end()) chain = chains.insert(chains.end(), Chain{});
    else if (chain->goes_on(request)) return void((++chain->length, chain->wavefronts += wavefronts));
    else chain->count();
    *chain = {&site, request.mask, request.lanes, 1, wavefronts, {}};
    std::copy(request.address, request.address + request.lanes, chain->first);
}

void WarpSample::end_chains() {
    for (Chain& chain : chains) chain.count();
    chains.clear();
}

std::uint64_t BlockSample::steps() const {
    return std::accumulate(warps.begin(), warps.end(), others_steps, [](std::uint64_t sum, auto& warp) { return sum + warp.steps; });
}

void Sampling::begin_case() {
    launches.clear();
    known.clear();
    copied.clear(), set_last.clear();
    steps_left = card.steps;
    set_bytes = sets = skipped = 0;
    thinned = false;
}

int Sampling::number_of(const Launch& launch) {
    const auto count = [](const unsigned* axes) { return std::uint64_t{axes[0]} * axes[1] * axes[2]; };
    set_last.clear(), begin_tickets(), after_tickets.clear();
    const auto [place, fresh] = known.try_emplace({launch.kernel, count(launch.grid), count(launch.block), launch.shared_bytes}, 0);
    if (!fresh) {
        ++launches[place->second].repeats;
        return -1;
    }
    KernelTotals totals;
    totals.name = launch.kernel;
    totals.line = launch.line;
    machine().kernels.push_back(std::move(totals));
    return place->second = static_cast<int>(machine().kernels.size()) - 1;
}

bool Sampling::skips(std::uint64_t bytes) {
    if (!on()) return false;
    ++sets;
    set_bytes += bytes;
    skipped += bytes > most_set;
    return bytes > most_set;
}

std::vector<std::uint64_t> Choice::all(std::size_t most) const {
    std::vector<std::uint64_t> chosen;
    for (std::size_t i = 0; i < most_blocks_run && chosen.size() < most; ++i)
        for (const auto* list : {&held, &neighbours, &scattered})
            if (i < list->size() && chosen.size() < most && std::find(chosen.begin(), chosen.end(), (*list)[i]) == chosen.end())
                chosen.push_back((*list)[i]);
    return chosen;
}

Choice choose_blocks(std::uint64_t blocks, std::size_t resident, std::uint64_t multiprocessors) {
    Choice choice;
    const std::uint64_t others = multiprocessors * (std::min(resident, most_held) - 1);
    const std::uint64_t middle = blocks > others ? std::min(blocks / 2, blocks - 1 - others) : 0;
    for (std::uint64_t b = middle; b < blocks && choice.held.size() < std::min(resident, most_held); b += multiprocessors) choice.held.push_back(b);
    for (std::uint64_t b = middle; b < blocks && choice.neighbours.size() < most_neighbours; ++b) choice.neighbours.push_back(b);
    double place = 0.5;
    for (std::size_t i = 0; i < most_blocks_run; ++i) {
        place += golden;
        choice.scattered.push_back(static_cast<std::uint64_t>((place - static_cast<int>(place)) * static_cast<double>(blocks)));
    }
    return choice;
}

std::size_t resident_blocks(std::uint64_t threads, std::size_t shared_bytes, std::size_t registers) {
    const std::size_t warps = (threads + warp_lanes - 1) / warp_lanes;
    const std::size_t by_registers = registers_per_multiprocessor / (round_up(registers * warp_lanes, 256) * warps);
    const std::size_t by_shared = shared_bytes ? shared_per_multiprocessor / (shared_bytes + reserved_shared) : blocks_per_multiprocessor;
    const std::size_t by_threads = threads_per_multiprocessor / (warps * warp_lanes);
    return std::max<std::size_t>(1, std::min({std::size_t{blocks_per_multiprocessor}, by_registers, by_shared, by_threads}));
}

std::size_t registers_of(const LaunchSample& launch) {
    std::size_t words = launch.frame_bytes / 4;
    for (const BlockSample& block : launch.ran) words = std::max(words, block.own_words.size());
    return std::min(std::max(simple_registers, words), registers_for(1, launch.threads));
}

std::size_t allowed_registers(const Symbol* function, std::size_t threads) {
    const Module& module = machine().module;
    const std::size_t most = module.launch_bound(function) ? module.launch_bound(function) : threads;
    return registers_for(std::clamp<std::size_t>(threads_per_multiprocessor / most, 1, module.launch_blocks(function)), most);
}

static void run_sampled(LaunchState& state, void (*run)(LaunchState&)) {
    Machine& m = machine();
    Sampling& sampling = m.sampling;
    LaunchSample& launch = sampling.launches[state.kernel];
    launch.blocks = state.blocks;
    launch.threads = std::uint64_t{state.block.x} * state.block.y * state.block.z;
    launch.cooperative = state.launch->cooperative;
    if (state.function) launch.function = state.function->name;
    launch.allowed_registers = allowed_registers(state.function, launch.threads);
    const auto fixed = m.module.static_shared(state.function);
    const auto frame = state.function ? m.module.frames.find(state.function->value) : m.module.frames.end();
    if (frame != m.module.frames.end()) launch.frame_bytes = frame->second;
    const auto choice = [&](std::size_t registers) {
        launch.shared_bytes = std::max(fixed, m.kernels[static_cast<std::size_t>(state.kernel)].static_shared) + state.launch->shared_bytes;
        return choose_blocks(state.blocks, resident_blocks(launch.threads, launch.shared_bytes, registers), static_cast<std::uint64_t>(sampling.card.multiprocessors));
    };
    run_blocks(state, choice(simple_registers).all(1), run);
    if (launch.ran.empty() || state.schedule.stop_after.load() == 0) return;
    const std::uint64_t cost = std::max<std::uint64_t>(launch.ran[0].steps(), 1);
    const std::size_t room = launch.ran[0].thinned ? 1 : std::clamp<std::uint64_t>(sampling.steps_left / 2 / cost, 1, most_blocks_run);
    const Choice chosen = choice(room == 1 ? simple_registers : std::min(registers_of(launch), launch.allowed_registers));   // where one block is enough, it is that one
    std::vector<std::uint64_t> rest = chosen.all(room);
    std::erase_if(rest, [&](std::uint64_t b) { return std::any_of(launch.ran.begin(), launch.ran.end(), [=](const BlockSample& each) { return each.number == b; }); });
    sampling.begin_tickets();
    if (!rest.empty()) run_blocks(state, rest, run);
    sampling.steps_left -= std::min(sampling.steps_left, cost * (rest.size() + 1));
    const std::size_t resident = resident_blocks(launch.threads, launch.shared_bytes, std::min(registers_of(launch), launch.allowed_registers));
    launch.traffic = share_caches(launch, chosen, resident, level1_bytes(sampling.card.l1_bytes, resident * (launch.shared_bytes ? launch.shared_bytes + reserved_shared : 0)));
    for (BlockSample& block : launch.ran)
        for (WarpSample& warp : block.warps) warp.asked = {};
}

// Blocks that the file's numbers may be about, in random order.
static std::vector<std::uint64_t> told_blocks(const LaunchState& state, std::random_device& entropy) {
    const std::uint64_t threads = std::max<std::uint64_t>(std::uint64_t{state.block.x} * state.block.y * state.block.z, 1);
    std::vector<std::uint64_t> told;
    for (const std::uint64_t number : machine().told_numbers)
        for (const std::uint64_t block : {number, number + 1, number / threads})
            if (block < state.blocks && std::find(told.begin(), told.end(), block) == told.end()) told.push_back(block);
    std::shuffle(told.begin(), told.end(), entropy);
    return told;
}

// Drawn at random: a kernel that knew which blocks run here could behave in these alone. Where they are only checked, no
// more of them begin once a part of the call's time is spent, but as many as run at once: an end is checked, too.
static void run_few(LaunchState& state, void (*run)(LaunchState&)) {
    static std::random_device entropy;
    const Machine& m = machine();
    std::uniform_int_distribution<std::uint64_t> any(0, state.blocks - 1);
    std::vector<std::uint64_t> numbers = told_blocks(state, entropy);
    numbers.resize(std::min(numbers.size(), m.few_blocks / 2));
    while (numbers.size() < m.few_blocks)
        if (const std::uint64_t number = any(entropy); std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    const std::size_t at_once = state.counting ? numbers.size() : static_cast<std::size_t>(std::max(m.threads, 2));
    const double end = processor_seconds() + m.seconds_limit / parts_of_a_look;
    while (!numbers.empty() && state.schedule.stop_after.load() != 0) {
        const auto rest = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(at_once, numbers.size()));
        std::vector<std::uint64_t> now(numbers.begin(), rest);
        std::sort(now.begin(), now.end());
        run_blocks(state, std::move(now), run);
        numbers.erase(numbers.begin(), rest);
        if (processor_seconds() > end) break;
    }
}

void run_chosen(LaunchState& state, void (*run)(LaunchState&)) {
    const Machine& m = machine();
    if (m.sampling.on()) run_sampled(state, run);
    else if (m.few_blocks && m.few_blocks < state.blocks) run_few(state, run);
    else if (!m.only_blocks.empty() && m.only_blocks.back() < state.blocks) run_blocks(state, m.only_blocks, run);
    else run(state);
}

void begin_sample(Block& block) {
    block.sample = std::make_unique<BlockSample>();
    block.sample->number = block.launch->number_of(block.number);
    block.sample->warps.resize(block.warps.size());
    const SampledCard& card = machine().sampling.card;
    const bool alone = block.launch->chosen.size() == 1;   // else a launch's blocks are known to be short
    block.sample->watched = alone;
    if (card.thins && alone && block.warps.size() > 1) block.sample->pause_after = card.steps / steps_to_thin / block.warps.size() + 1;
}

void sample_access(Executor& executor, WarpUnit& warp, const Request& request) {
    BlockSample& block = sample_of(warp);
    WarpSample& sample = block.warps[warp.number];
    const Region& region = *executor.regions[request.record.region];
    Site& site = executor.sites->sites[request.record.pc - machine().module.text_begin];
    const Event event = counted_as(request, site);
    const bool loads = event == Event::Read || event == Event::VolatileRead || event == Event::AtomicLoad;
    ++sample.steps;
    if (region.space == Space::Shared) {
        sample.shares = sample.shares || loads;
        sample.stores = sample.stores || event == Event::Atomic;
        unsigned phases;
        if (loads) sample.load_shared(site, request, count_wavefronts(request, true, &phases));
    } else if (region.space == Space::Global) {
        sample.loads = sample.loads || loads;
        const unsigned kind = event == Event::Atomic ? Asked::Atomic : loads || event == Event::PartRead ? Asked::Load : Asked::Store;
        sample.stores = sample.stores || kind == Asked::Store || kind == Asked::Atomic;
        const bool room = sample.asked.size() < most_asked / block.warps.size();
        site.lines += each_line(request, [&](Asked asked, bool first) {
            asked.first = first;
            asked.kind = kind;
            if (room) sample.asked.push_back(asked);
        });
        for (int i = 0; kind == Asked::Atomic && i < request.lanes && block.atomic_words.size() < most_atomic_words; ++i)
            block.atomic_words.insert(request.address[i]);
        if (kind == Asked::Atomic && request.record.bytes & float_flag) site.float_lanes += static_cast<unsigned>(request.lanes);
    } else if (region.space == Space::Local && warp.number == 0 && request.mask & 1) {
        for (Address a = request.address[0] / 4; a <= (request.address[0] + request.bytes - 1) / 4; ++a) block.own_words.insert(a);
    }
}

void sample_copy(WarpUnit& warp, const Request& request) {
    WarpSample& sample = sample_of(warp).warps[warp.number];
    if (request.record.event == Event::Issued) sample.begin_copy(request);
    else sample.await_copy(request.address[0]);
}

void sample_barrier(Block& block) {
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
        block.sample->warps[w].end_chains();
        block.sample->warps[w].stores = true;
        if (block.warps[w].alive()) block.sample->warps[w].asked.push_back({0, 0, 1, Asked::Barrier});
    }
}

void keep_sample(Block& block) {
    block.sample->barriers = block.barriers;
    for (WarpSample& warp : block.sample->warps) {
        if (!warp.stopped) warp.enter_block();   // its last one
        warp.end_chains();
    }
    stand_for_others(block, *block.sample);
    LaunchSample& launch = machine().sampling.launches[block.launch->kernel];
    std::lock_guard lock(machine().sampling.mutex);
    launch.ran.push_back(std::move(*block.sample));
    block.sample.reset();
}

}  // namespace ladder

using namespace ladder;

extern "C" {

int ladder_multiprocessors() { return machine().sampling.on() ? machine().sampling.card.multiprocessors : machine().multiprocessors; }

// From the next case on, launches are sampled as on a card with so many multiprocessors; `l1_bytes` of each include its
// shared memory; 0: they are not. Host code may allocate `memory` bytes, if any are said. The sampled blocks of a case need about so many `steps` of warps.
// If a launch `thins`, of a long block one warp goes on for all.
void ladder_session_sample(int count, std::size_t l1_bytes, std::size_t memory, std::uint64_t steps, int thins) {
    machine().sampling.card = {count, l1_bytes, steps, thins != 0};
    machine().memory.reserve(memory ? memory : global_memory);
}

// From the next case on, so many blocks of a launch run, whichever; 0: all of them.
void ladder_session_few_blocks(std::size_t count) { machine().few_blocks = count; }
void ladder_session_told_numbers(const std::uint64_t* numbers, std::size_t count) { machine().told_numbers.assign(numbers, numbers + count); }

// From the next case on, host code is told of so many multiprocessors; 0: of those that the emulated GPU has.
void ladder_session_multiprocessors(int count) { machine().multiprocessors = count ? count : ladder::multiprocessors; }

// A buffer of the task, at its real size: an input repeats what is in `tile` (whole pages of shared memory), and takes no
// memory of its own. Null if there is no room.
void* ladder_session_sampled_buffer(const char* name, std::size_t bytes, int writable, void* tile, std::size_t tile_bytes) {
    DeviceMemory& memory = machine().memory;
    void* begin = nullptr;
    if (memory.allocate(&begin, std::max<std::size_t>(bytes, 1), 0, 0) != Success) return nullptr;
    Region& region = *memory.regions().back();
    region.name = name;
    region.of_task = true;
    region.writable = writable != 0;
    for (std::size_t done = 0; !writable && done < bytes; done += tile_bytes) {
        const std::size_t part = round_up(std::min(tile_bytes, bytes - done), page_size());
        void* const to = static_cast<char*>(begin) + done;
        if (mremap(tile, 0, part, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to) return nullptr;
    }
    return begin;
}

}  // extern "C"
