// Executors run the blocks of a launch: those that can go on (schedule.h), else new ones.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "jitter.h"
#include "machine.h"
#include "replay.h"
#include "shared_layout.h"

namespace ladder {

Executor::Executor(int n) : number(n) {
    dynamic_shared = static_cast<char*>(std::aligned_alloc(1024, shared_per_block_optin + 1024));
}

Executor::~Executor() {
    give_back_stacks();
    machine().spare_blocks.keep(std::move(idle));
    std::free(dynamic_shared);
}

void Executor::keep_stacks(std::size_t count, std::size_t most) {
    if (!seats.empty() && (seats.front().stacks->count() != count || seats.size() > most)) give_back_stacks();
}

void Executor::give_back_stacks() {
    Machine& m = machine();
    const std::size_t most = 2 * most_seats * static_cast<std::size_t>(m.threads);   // of two kernels in turn
    for (Seat& seat : seats) m.spare_stacks.keep(std::move(seat.stacks), most);
    seats.clear();
}

void clear_shared(const Region& region) {
    std::memset(reinterpret_cast<void*>(region.begin), machine().poison, region.bytes);
    std::memset(region.initialised, 0, region.bytes);
}

void Executor::begin_launch(LaunchState* state) {
    launch = state;
    deepest = 0;
    loaded = nullptr;
    patience = {};
    ahead = 0;
    has_waited = false;
    statements.begin_launch();
    const Module& module = machine().module;
    regions.clear();
    own_regions.clear();
    const auto own = [&](Address begin, std::size_t bytes, Space space, std::string name) -> Region& {
        auto region = std::make_unique<Region>();
        region->begin = begin;
        region->bytes = bytes;
        region->space = space;
        region->id = -1;
        region->name = std::move(name);
        own_regions.push_back(std::move(region));
        regions.push_back(own_regions.back().get());
        return *own_regions.back();
    };
    own(0, 0, Space::Local, "");   // region 0: the stacks of the block that runs
    for (const auto& region : machine().memory.regions()) regions.push_back(region.get());
    shared_begin = module.thread_block();
    shared_bytes = module.tls_bytes;
    const std::size_t dynamic = state->launch->shared_bytes;
    const std::size_t first = shared_begin % 16, first_dynamic = round_up(first + shared_bytes, 16);
    shared_initialised = std::make_unique<Lazy<std::uint8_t>>(first_dynamic + dynamic + 1);
    for (const Symbol& symbol : module.symbols) {
        if (symbol.kind == SymbolKind::SharedArray) {
            Region& region = own(shared_begin + symbol.value, symbol.bytes, Space::Shared, symbol.name);
            region.initialised = shared_initialised->data() + first + symbol.value;
        } else if (symbol.kind == SymbolKind::Uncounted) {
            Region& region = own(module.base + symbol.value, symbol.bytes, Space::Constant, symbol.name);
            region.counted = false;
            region.is_named = region.name.front() != '.';   // a table of constants, not a section
        }
    }
    if (dynamic > 0) {
        Region& region = own(reinterpret_cast<Address>(dynamic_shared), dynamic, Space::Shared, "");
        region.initialised = shared_initialised->data() + first_dynamic;
    }
    std::vector<Region*> arrays;
    for (const auto& region : own_regions)
        if (region->space == Space::Shared) arrays.push_back(region.get());
    lay_out_shared(module, state->function, arrays);
    if (state->clusters.any()) clusters.begin_launch(state->clusters, std::move(arrays), own);
    passed_barriers.clear();
    touched_shared.clear();
    for (const auto& region : own_regions)
        if (region->space == Space::Shared) clear_shared(*region);
    Region& arguments = own(reinterpret_cast<Address>(state->launch->arguments), state->launch->argument_bytes, Space::Constant, "");
    arguments.counted = arguments.writable = false;
    sort_regions();
    for (const auto& block : idle) block->races.begin_launch(regions.size());
    auto& kernel = kernels[state->kernel];
    if (!kernel.sites.size()) kernel.sites = Lazy<Site>(module.text_end - module.text_begin + 1);
    sites = &kernel;
}

void Executor::sort_regions() {
    order.clear();   // without region 0, which moves from block to block
    for (std::size_t i = 1; i < regions.size(); ++i) order.push_back(static_cast<std::uint16_t>(i));
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return regions[a]->begin < regions[b]->begin; });
    std::fill(std::begin(site_region), std::end(site_region), no_region);
    std::fill(std::begin(known), std::end(known), Known{});
}

// Only arrays with no more rules than their bounds.
void Executor::remember(std::uint16_t index, std::uint32_t pc) {
    const Region& region = *regions[index];
    if (index == 0 || !region.counted || region.of_host || region.is_heap || region.sides != Sides::Device || region.space == Space::Constant) return;
    known[place_of(pc)] = {&region, pc, index, region.writable};
}

Region* Executor::find(Address a, std::size_t bytes) {
    const std::uint16_t index = region_index(a, bytes, 0);
    return index == no_region ? nullptr : regions[index];
}

void Executor::first_touch(Region& shared) {
    touched_shared.push_back(&shared);
    const Symbol* const function = launch->function;
    const std::string owner = owner_of(shared.name);
    shared.of_other_kernel = function && owner != function->name && machine().launched.contains(owner);
}

bool Executor::is_of_other_block(Address a) const {
    return std::any_of(machine().executors.begin(), machine().executors.end(), [&](const auto& other) {
        const Address dynamic = reinterpret_cast<Address>(other->dynamic_shared);
        return other.get() != this && (a - other->shared_begin < other->shared_bytes || a - dynamic < shared_per_block_optin);
    });
}

std::uint16_t Executor::search_region(Address a, std::size_t bytes, std::uint32_t pc) {
    if (regions[0]->holds(a, bytes)) return 0;
    auto after = std::upper_bound(order.begin(), order.end(), a, [&](Address value, std::uint16_t i) { return value < regions[i]->begin; });
    while (after != order.begin()) {
        const std::uint16_t index = *--after;
        if (regions[index]->bytes == 0) continue;   // an empty array begins where its neighbour does
        if (!regions[index]->holds(a, bytes)) break;
        bool& touched = regions[index]->touched;   // of a variable, by executors at once
        if (!__atomic_load_n(&touched, __ATOMIC_RELAXED)) {
            __atomic_store_n(&touched, true, __ATOMIC_RELAXED);
            if (regions[index]->space == Space::Shared) first_touch(*regions[index]);
        }
        if (pc) site_region[(pc ^ pc >> 10) & 1023] = index;
        return index;
    }
    return no_region;
}

// What the block has in the shared arrays that blocks of this executor have touched so far, with which of it is initialised.
void Executor::save_shared(Block& block) const {
    block.saved_shared.clear();
    for (const Region* region : touched_shared) {
        const auto bytes = reinterpret_cast<const char*>(region->begin), flags = reinterpret_cast<const char*>(region->initialised);
        block.saved_shared.insert(block.saved_shared.end(), bytes, bytes + region->bytes);
        block.saved_shared.insert(block.saved_shared.end(), flags, flags + region->bytes);
    }
}

// Arrays that it has not had a chance to touch are as for a new block.
void Executor::restore_shared(const Block& block) {
    const char *saved = block.saved_shared.data(), *const end = saved + block.saved_shared.size();
    for (const Region* region : touched_shared) {
        if (saved == end) {
            clear_shared(*region);
            continue;
        }
        std::memcpy(reinterpret_cast<void*>(region->begin), saved, region->bytes);
        std::memcpy(region->initialised, saved + region->bytes, region->bytes);
        saved += 2 * region->bytes;
    }
}

// Makes a block's shared memory the executor's: it may have been used by another block in between.
void Executor::load(Block& block) {
    if (loaded == &block) return;
    if (launch->clusters.any()) {
        if (loaded) clusters.keep(*loaded);
        clusters.bring(block);
    } else {
        if (loaded && !loaded->finished) save_shared(*loaded);
        restore_shared(block);
    }
    for (Seat& seat : seats) {
        if (seat.stacks.get() != block.stacks || seat.block == &block) continue;
        if (seat.block) seat.block->save_stacks(&block);
        seat.block = &block;
        block.restore_stack();
    }
    regions[0]->begin = reinterpret_cast<Address>(block.stacks->base());
    regions[0]->bytes = block.stacks->bytes();
    loaded = &block;
}

// Stacks for a new block. If many blocks have begun and are not finished, they take turns at them.
Stacks& Executor::sit_down(Block& block) {
    const std::size_t count = block.threads.size() + 1;
    auto seat = std::find_if(seats.begin(), seats.end(), [](const Seat& each) { return !each.block; });
    if (seat == seats.end()) {
        if (seats.size() < (can_share_stacks ? launch->seats : resident.size() + 1)) {
            seats.push_back({machine().spare_stacks.take(count, stack_bytes), nullptr});
            seat = seats.end() - 1;
        } else {
            seat = seats.begin() + static_cast<std::ptrdiff_t>(block.number % launch->seats);
            seat->block->save_stacks();
        }
    }
    seat->block = &block;
    return *seat->stacks;
}

std::unique_ptr<Trace> Executor::take() {
    if (traces.empty()) return std::make_unique_for_overwrite<Trace>();
    auto trace = std::move(traces.back());
    traces.pop_back();
    return trace;
}

void Executor::keep(std::unique_ptr<Trace> trace) {
    if (trace) traces.push_back(std::move(trace));
}

std::unique_ptr<Block> SpareBlocks::take(std::size_t threads) {
    {
        std::lock_guard lock(mutex_);
        if (!spare_.empty() && spare_.back()->threads.size() != threads) spare_.clear();
        if (!spare_.empty()) {
            auto block = std::move(spare_.back());
            spare_.pop_back();
            return block;
        }
    }
    auto block = std::make_unique<Block>();
    block->threads.resize(threads);
    block->warps.resize((threads + warp_lanes - 1) / warp_lanes);
    return block;
}

void SpareBlocks::keep(std::vector<std::unique_ptr<Block>>&& blocks) {
    std::lock_guard lock(mutex_);
    std::move(blocks.begin(), blocks.end(), std::back_inserter(spare_));
}

Block& Executor::new_block(std::uint64_t number_) {
    const std::size_t count = static_cast<std::size_t>(launch->block.x) * launch->block.y * launch->block.z;
    std::unique_ptr<Block> block;
    if (!idle.empty() && idle.back()->threads.size() == count) {
        block = std::move(idle.back());
        idle.pop_back();
    } else {
        idle.clear();
        block = machine().spare_blocks.take(count);
        block->races.begin_launch(regions.size());
    }
    block->begin(number_, *launch, *this);
    resident.push_back(std::move(block));
    return *resident.back();
}

void Block::begin(std::uint64_t n, LaunchState& state, Executor& on) {
    number = n;
    id = state.id_of(n, 0);
    launch = &state;
    executor = &on;
    index = index_of(state.number_of(n), state.grid);
    finished = stopped = faulted = false;
    recorded = machine().recorder.begin(*this);
    awaiting = 0;
    orders = has_ordered = has_passed = false;
    traced = nullptr;
    unordered_steps = turn_steps = 0;
    changed.clear();
    watches = dozes = false;
    idle_rounds = naps = second_locks = 0;
    grid_phase = phase = barriers = 0;
    most = {};
    copies = 0;
    copied.clear();
    saved_shared.clear();
    saved_stack.clear();
    stacks = &on.sit_down(*this);
    printed.clear();
    meetings.clear();
    if (std::exchange(has_named, false)) std::fill(std::begin(named), std::end(named), NamedBarrier{});
    races.begin_block(*this);
    for (std::size_t i = 0; i < threads.size(); ++i) {
        Thread& thread = threads[i];
        thread.reset();
        thread.fiber = stacks->start(i, thread_main);
        thread.stack = stacks->bottom(i);
        if (machine().filled_stack) Stacks::fill(thread.fiber, machine().filled_stack, (i + number) % 2 == 0);
        thread.executor = &on;
        thread.is_only_checked = machine().few_blocks && !state.counting;
        thread.block = this;
        thread.warp = &warps[i / warp_lanes];
        thread.lane = static_cast<std::uint8_t>(i % warp_lanes);
        thread.number = static_cast<std::uint32_t>(i);
        thread.index = index_of(i, state.block);
    }
    for (std::size_t w = 0; w < warps.size(); ++w) {
        warps[w].block = this;
        warps[w].can_run = true;
        warps[w].is_away = false;
        warps[w].number = static_cast<std::uint32_t>(w);
        warps[w].threads = &threads[w * warp_lanes];
        warps[w].lanes = static_cast<int>(std::min<std::size_t>(warp_lanes, threads.size() - w * warp_lanes));
        begin_replay(warps[w]);
    }
    if (state.acquired)
        for (Thread& thread : threads) thread.clock.acquired = thread.warp->cursor[thread.lane].acquired = state.acquired;
    resume = stacks->start(threads.size(), block_main);
    if (machine().sampling.on()) begin_sample(*this);
}

// Puts on their way into the caches, which hold few of a thousand blocks: a warp's threads, and its part of each.
void Block::fetch(const WarpUnit& warp) const {
    constexpr std::size_t line = 64, of_a_thread = 3;
    const auto fetch_lines = [](const void* first, std::size_t lines) {
        for (std::size_t l = 0; l < lines; ++l) __builtin_prefetch(static_cast<const char*>(first) + l * line);
        asm volatile("");   // without it gcc takes `fetch` for a function that does nothing, and leaves out the calls of it
    };
    for (int l = 0; l < warp.lanes; ++l) fetch_lines(warp.threads + l, of_a_thread);
    fetch_lines(&warp, sizeof warp / line);
}

void Block::save_stacks(const Block* next) {
    constexpr std::size_t usual = 512;   // bytes of a lane
    for (WarpUnit& warp : warps) {
        if (next) {
            const WarpUnit& in_its_place = next->warps[warp.number];   // who awaits the turn mostly goes on alone in it
            if (in_its_place.can_run || !next->awaiting) next->fetch(in_its_place);
        }
        if (warp.is_away || !warp.alive()) continue;
        warp.is_away = true;
        warp.saved_stacks.clear();
        warp.saved_stacks.reserve(static_cast<std::size_t>(warp.lanes) * usual);
        each_lane(warp.alive(), [&](int l) { stacks->save(warp.threads[l].number, warp.threads[l].fiber, warp.saved_stacks); });
    }
    saved_stack.clear();
    stacks->save(threads.size(), resume, saved_stack);
}

void Block::restore_stack() { stacks->restore(threads.size(), resume, saved_stack.data()); }

void bring_back(WarpUnit& warp) {
    if (!std::exchange(warp.is_away, false)) return;
    const char* saved = warp.saved_stacks.data();
    each_lane(warp.alive(), [&](int l) { saved = warp.block->stacks->restore(warp.threads[l].number, warp.threads[l].fiber, saved); });
}

void Executor::run_until_parked(Block& block) {
    load(block);
    if (!block.trace && launch->counting) block.trace = take();
    starting_block = &block;
    switch_fiber(fiber, block.resume);
    current = nullptr;
    if (!block.finished) return;
    if (loaded == &block) {
        if (launch->clusters.any()) clusters.keep(block);
        loaded = nullptr;
    }
    for (Seat& seat : seats)
        if (seat.block == &block) seat.block = nullptr;
    const auto place = std::find_if(resident.begin(), resident.end(), [&](auto& b) { return b.get() == &block; });
    idle.push_back(std::move(*place));
    resident.erase(place);
}

void Executor::run() {
    Schedule& schedule = launch->schedule;
    std::unique_lock lock(schedule.mutex);
    for (;;) {
        Block* block = schedule.resume(*this);
        const bool has_room = ahead == 0 || schedule.must_begin() || (has_waited && ahead < launch->seats);
        has_waited = false;
        if (!block && has_room) block = schedule.resume_ahead(*this);
        if (!block && has_room && schedule.more()) {
            const std::uint64_t next = schedule.begin(*this);
            lock.unlock();
            block = &new_block(next);
        } else if (block) {
            lock.unlock();
        } else if (resident.empty()) {
            return;
        } else if (block = schedule.wait(*this, lock); !block) {
            continue;
        }
        run_until_parked(*block);
        jitter();
        lock.lock();
    }
}

}  // namespace ladder
