// Executors run the blocks of a launch; the turn decides whose order-sensitive operations come next.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "machine.h"

namespace ladder {

void LaunchState::settle_turn() {
    for (;;) {
        while (first_unfinished < blocks && states[first_unfinished] == BlockState::Finished) ++first_unfinished;
        bool yielded = false, at_grid = false;
        std::uint64_t next = blocks;
        for (std::uint64_t b = first_unfinished; b < blocks && next == blocks; ++b) {
            yielded = yielded || states[b] == BlockState::Yielded;
            at_grid = at_grid || states[b] == BlockState::GridSync;
            if (states[b] == BlockState::Waiting || states[b] == BlockState::Running) next = b;
        }
        const bool all_started = next == blocks;
        if (all_started && yielded) {
            for (BlockState& state : states)
                if (state == BlockState::Yielded) state = BlockState::Waiting;
            continue;
        }
        if (all_started && at_grid) {   // everybody has come, or never will
            grid_stuck = first_unfinished > 0 || finished_blocks() > 0;
            for (BlockState& state : states)
                if (state == BlockState::GridSync) state = BlockState::Running;
            continue;
        }
        turn.store(next, std::memory_order_release);
        changed.notify_all();
        return;
    }
}

std::uint64_t LaunchState::finished_blocks() const {
    return static_cast<std::uint64_t>(std::count(states.begin(), states.end(), BlockState::Finished));
}

Executor::Executor(int n) : number(n) {
    dynamic_shared = static_cast<char*>(std::aligned_alloc(1024, shared_per_block_optin + 1024));
}

Executor::~Executor() { std::free(dynamic_shared); }

void Executor::begin_launch(LaunchState* state) {
    launch = state;
    loaded = nullptr;
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
    shared_initialised = std::make_unique<Lazy<std::uint8_t>>(shared_bytes + dynamic + 64);
    for (const Symbol& symbol : module.symbols) {
        if (symbol.kind == 1) {
            Region& region = own(shared_begin + symbol.value, symbol.bytes, Space::Shared, symbol.name);
            region.initialised = shared_initialised->data() + symbol.value;
        } else if (symbol.kind == 5) {
            own(module.base + symbol.value, symbol.bytes, Space::Constant, symbol.name).counted = false;
        }
    }
    if (dynamic > 0) {
        Region& region = own(reinterpret_cast<Address>(dynamic_shared), dynamic, Space::Shared, "");
        region.initialised = shared_initialised->data() + shared_bytes;
    }
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
}

Region* Executor::find(Address a, std::size_t bytes) {
    const std::uint16_t index = region_index(a, bytes, 0);
    return index == no_region ? nullptr : regions[index];
}

std::uint16_t Executor::search_region(Address a, std::size_t bytes, std::uint32_t pc) {
    if (regions[0]->holds(a, bytes)) return 0;
    auto after = std::upper_bound(order.begin(), order.end(), a, [&](Address value, std::uint16_t i) { return value < regions[i]->begin; });
    while (after != order.begin()) {
        const std::uint16_t index = *--after;
        if (regions[index]->bytes == 0) continue;   // an empty array begins where its neighbour does
        if (!regions[index]->holds(a, bytes)) break;
        if (regions[index]->space == Space::Shared) regions[index]->touched = true;   // ours alone: other executors have their own
        if (pc) site_region[(pc ^ pc >> 10) & 1023] = index;
        return index;
    }
    return no_region;
}

// Makes a block's shared memory the executor's: it may have been used by another block in between.
void Executor::load(Block& block) {
    if (loaded == &block) return;
    const std::size_t dynamic = launch->launch->shared_bytes;
    if (loaded && !loaded->finished) {
        Block& old = *loaded;
        old.saved_shared.resize(shared_bytes + dynamic);
        std::memcpy(old.saved_shared.data(), reinterpret_cast<void*>(shared_begin), shared_bytes);
        std::memcpy(old.saved_shared.data() + shared_bytes, dynamic_shared, dynamic);
        old.saved_initialised.assign(shared_initialised->data(), shared_initialised->data() + shared_bytes + dynamic);
    }
    if (!block.saved_shared.empty()) {
        std::memcpy(reinterpret_cast<void*>(shared_begin), block.saved_shared.data(), shared_bytes);
        std::memcpy(dynamic_shared, block.saved_shared.data() + shared_bytes, dynamic);
        std::copy(block.saved_initialised.begin(), block.saved_initialised.end(), shared_initialised->data());
    } else {
        for (const auto& region : own_regions) {
            if (region->space != Space::Shared) continue;
            std::memset(reinterpret_cast<void*>(region->begin), machine().poison, region->bytes);   // not the last block's values
            std::memset(region->initialised, 0, region->bytes);
        }
    }
    regions[0]->begin = reinterpret_cast<Address>(block.stacks->base());
    regions[0]->bytes = block.stacks->bytes();
    loaded = &block;
}

Block& Executor::new_block(std::uint64_t number_) {
    const std::size_t count = static_cast<std::size_t>(launch->block.x) * launch->block.y * launch->block.z;
    std::unique_ptr<Block> block;
    if (!idle.empty() && idle.back()->threads.size() == count) {
        block = std::move(idle.back());
        idle.pop_back();
    } else {
        idle.clear();
        block = std::make_unique<Block>();
        block->stacks = std::make_unique<Stacks>(count + 1, stack_bytes);
        block->threads.resize(count);
        block->warps.resize((count + warp_lanes - 1) / warp_lanes);
        block->races.begin_launch(regions.size());
    }
    block->begin(number_, *launch, *this);
    resident.push_back(std::move(block));
    return *resident.back();
}

void Block::begin(std::uint64_t n, LaunchState& state, Executor& on) {
    number = n;
    launch = &state;
    executor = &on;
    index = {static_cast<unsigned>(n % state.grid.x), static_cast<unsigned>(n / state.grid.x % state.grid.y),
             static_cast<unsigned>(n / state.grid.x / state.grid.y)};
    finished = stopped = false;
    recorded = machine().recorder.wants(*this);
    idle_rounds = 0;
    grid_phase = barriers = 0;
    saved_shared.clear();
    printed.clear();
    barrier_lines.clear();
    races.begin_block(*this);
    for (std::size_t i = 0; i < threads.size(); ++i) {
        Thread& thread = threads[i];
        thread = Thread{};
        thread.stack_pointer = stacks->start(i, thread_main);
        thread.executor = &on;
        thread.block = this;
        thread.warp = &warps[i / warp_lanes];
        thread.lane = static_cast<std::uint8_t>(i % warp_lanes);
        thread.number = static_cast<std::uint32_t>(i);
        const auto t = static_cast<unsigned>(i);
        thread.index = {t % state.block.x, t / state.block.x % state.block.y, t / state.block.x / state.block.y};
    }
    for (std::size_t w = 0; w < warps.size(); ++w) {
        warps[w].block = this;
        warps[w].number = static_cast<std::uint32_t>(w);
        warps[w].threads = &threads[w * warp_lanes];
        warps[w].lanes = static_cast<int>(std::min<std::size_t>(warp_lanes, threads.size() - w * warp_lanes));
        begin_replay(warps[w]);
    }
    resume = stacks->start(threads.size(), block_main);
}

// The next block to run here: one that is not waiting for others, else a new one; null when there is none for now.
Block* Executor::pick(std::unique_lock<std::mutex>&) {
    for (const auto& block : resident) {
        const BlockState state = launch->states[block->number];
        if (state == BlockState::Running || (state == BlockState::Waiting && launch->turn.load() == block->number)) return block.get();
    }
    const bool room = resident.size() < 2 || launch->turn.load() >= launch->next_block;
    if (!room || launch->next_block >= launch->blocks || launch->next_block > launch->stop_after.load()) return nullptr;
    Block& block = new_block(launch->next_block++);
    launch->states[block.number] = BlockState::Running;
    return &block;
}

void Executor::run() {
    std::unique_lock lock(launch->mutex);
    for (;;) {
        Block* const block = pick(lock);
        if (!block) {
            const bool more = launch->next_block < launch->blocks && launch->next_block <= launch->stop_after.load();
            if (resident.empty() && !more) break;
            launch->changed.wait(lock);
            continue;
        }
        launch->states[block->number] = BlockState::Running;
        lock.unlock();
        load(*block);
        starting_block = block;
        ladder_switch(&stack_pointer, block->resume);
        current = nullptr;
        lock.lock();
        if (!block->finished) continue;
        if (loaded == block) loaded = nullptr;
        const auto place = std::find_if(resident.begin(), resident.end(), [&](auto& b) { return b.get() == block; });
        idle.push_back(std::move(*place));
        resident.erase(place);
        launch->changed.notify_all();
    }
}

}  // namespace ladder
