// A case's counters and findings as JSON, with program counters; the session puts lines and words in.
#include <algorithm>
#include <cstdio>

#include "machine.h"

namespace ladder {

namespace {

class Json {
public:
    Json& key(const char* name) { return comma(), quote(name), text_ += ':', fresh_ = true, *this; }
    Json& value(const std::string& s) { return comma(), quote(s), *this; }
    Json& value(std::uint64_t n) { return comma(), text_ += std::to_string(n), *this; }
    Json& value(long long n) { return comma(), text_ += std::to_string(n), *this; }
    Json& value(bool b) { return comma(), text_ += b ? "true" : "false", *this; }
    Json& open(char bracket) { return comma(), text_ += bracket, fresh_ = true, *this; }
    Json& close(char bracket) { return text_ += bracket, fresh_ = false, *this; }
    template <class T> Json& field(const char* name, const T& v) { return key(name).value(v); }
    Json& field(const char* name, unsigned v) { return key(name).value(std::uint64_t{v}); }
    Json& field(const char* name, int v) { return key(name).value(static_cast<long long>(v)); }
    Json& field(const char* name, const Index& i) {
        return key(name).open('[').value(std::uint64_t{i.x}).value(std::uint64_t{i.y}).value(std::uint64_t{i.z}).close(']');
    }
    std::string text_;

private:
    void comma() {
        if (!fresh_) text_ += ',';
        fresh_ = false;
    }
    void quote(const std::string& s) {
        text_ += '"';
        for (const char c : s) {
            char escaped[8];
            if (c == '"' || c == '\\') text_ += '\\', text_ += c;
            else if (static_cast<unsigned char>(c) < 0x20) std::snprintf(escaped, sizeof escaped, "\\u%04x", c), text_ += escaped;
            else text_ += c;
        }
        text_ += '"';
    }
    bool fresh_ = true;
};

void write_place(Json& json, const char* block, const char* thread, const Place& place) {
    if (!place.in_kernel) return;
    json.field(block, place.block_index).field(thread, place.thread_index);
}

void write_pcs(Json& json, const char* name, const auto& pcs) {
    json.key(name).open('[');
    for (const std::uint32_t pc : pcs) json.value(std::uint64_t{pc});
    json.close(']');
}

bool is_within_a_block(const Finding& finding) { return finding.place.block == finding.other.block; }

// Whether the same two lines race where it does harm, and where a condition on that holds, too.
bool are_told(const Finding& finding, const auto& holds) {
    const auto lines = std::minmax(finding.pc, finding.other_pc);
    return std::ranges::any_of(machine().findings, [&](const Finding& each) {
        return each.kind == finding.kind && !each.note && std::minmax(each.pc, each.other_pc) == lines && holds(each);
    });
}

// Whether a race that only leaves all as it is counts as a note: its store has changed something elsewhere, so that it is by
// the program's rule, and not by equal numbers, that it does not here; and its lines do no harm anywhere.
bool stays_note(const Finding& finding) {
    const std::uint32_t store = finding.access == "write" ? finding.pc : finding.other_pc;
    const bool changes = std::ranges::any_of(machine().executors, [&](const auto& each) { return each->changing.contains(store); });
    return changes && !are_told(finding, [](const Finding&) { return true; });
}

bool is_told_already(const Finding& finding) {
    return finding.text == unchanged && are_told(finding, [&](const Finding& each) { return is_within_a_block(each) == is_within_a_block(finding); });
}

void write_finding(Json& json, Finding finding) {
    if (finding.text == unchanged && !stays_note(finding)) {
        finding.note = false;
        finding.text = is_within_a_block(finding) ? "" : "other block";
    }
    json.open('{').field("kind", finding.kind).field("note", finding.note).field("kernel", finding.kernel);
    json.field("launch", finding.launch).field("pc", finding.pc).field("line", finding.line);
    write_place(json, "block", "thread", finding.place);
    write_place(json, "other_block", "other_thread", finding.other);
    json.field("access", finding.access).field("address", std::uint64_t{finding.address}).field("bytes", finding.bytes);
    json.field("array", finding.array).field("space", finding.space).field("offset", finding.offset);
    json.field("array_bytes", finding.array_bytes).field("array_line", finding.array_line)
        .field("array_order", finding.array_order);
    json.field("other_pc", finding.other_pc).field("other_line", finding.other_line).field("other_access", finding.other_access);
    json.field("call_pc", finding.call_pc).field("other_call_pc", finding.other_call_pc);
    const Progress& progress = finding.progress;
    json.field("steps", progress.steps).field("threads", progress.threads).field("blocks", progress.blocks).field("blocks_done", progress.blocks_done);
    write_pcs(json, "callers", finding.callers);
    write_pcs(json, "pcs", progress.pcs);
    json.field("text", finding.text).field("count", finding.count).close('}');
}

Site sum_at(int kernel, std::uint32_t pc) {
    Site total{};
    for (const auto& executor : machine().executors) {
        const auto known = executor->kernels.find(kernel);
        if (known == executor->kernels.end()) continue;
        const Site& site = known->second.sites[pc - machine().module.text_begin];
        if (!site.listed) continue;
        total.pc = pc;
        total.kind = site.kind;
        total.space = site.space;
        total.bytes = site.bytes;
        for (const auto& [name, sum] : site_sums) total.*sum += site.*sum;
        total.multiplicity = std::max(total.multiplicity, site.multiplicity);
    }
    return total;
}

void write_array(Json& json, const RecordedArray& array) {
    json.open('{').field("name", array.name).field("space", static_cast<int>(array.space));
    json.field("bytes", std::uint64_t{array.bytes}).field("start", std::uint64_t{array.start}).field("line", array.line).close('}');
}

// The worst of what the executors have kept of a place, so that it is the same on any number of them.
void write_worst(Json& json, int kernel, std::uint32_t pc) {
    const Site* worst = nullptr;
    const WorstRequest* request = nullptr;
    for (const auto& executor : machine().executors) {
        const auto known = executor->kernels.find(kernel);
        if (known == executor->kernels.end()) continue;
        const Site& site = known->second.sites[pc - machine().module.text_begin];
        if (!site.listed || !site.kept) continue;
        if (worst && (site.waste < worst->waste || (site.waste == worst->waste && site.worst_block >= worst->worst_block))) continue;
        worst = &site;
        request = &known->second.worst.at(pc);
    }
    if (!request) return;
    write_array(json.field("waste", worst->waste).key("array"), request->array);
    json.field("mask", request->mask).key("places").open('[');
    for (const long long place : request->places) json.value(place);
    json.close(']');
}

void write_kernel(Json& json, int number, const KernelTotals& kernel) {
    json.open('{').field("name", kernel.name).field("line", kernel.line).field("launches", kernel.launches).field("counted_launches", kernel.counted_launches);
    json.field("blocks", kernel.blocks).field("threads", kernel.threads).field("barriers", kernel.barriers);
    json.field("busy_threads", kernel.busy_threads).field("busy_blocks", kernel.busy_blocks).field("busiest_bytes", kernel.task_bytes);
    json.field("most_barriers", kernel.most.barriers).field("most_copy_groups", kernel.most.copy_groups);
    json.field("most_copy_bytes", kernel.most.copy_bytes).field("copies", kernel.copies);
    json.field("static_shared", std::uint64_t{kernel.static_shared}).field("dynamic_shared", std::uint64_t{kernel.dynamic_shared});
    json.key("passed_barriers").open('[');
    for (const PassedBarrier& barrier : kernel.passed_barriers)
        json.open('[').value(static_cast<long long>(barrier.line)).value(static_cast<long long>(barrier.some)).value(static_cast<long long>(barrier.all)).close(']');
    json.close(']');
    std::vector<std::uint32_t> listed;
    for (const auto& executor : machine().executors) {
        const auto known = executor->kernels.find(number);
        if (known != executor->kernels.end()) listed.insert(listed.end(), known->second.listed.begin(), known->second.listed.end());
    }
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    json.key("sites").open('[');
    for (const std::uint32_t pc : listed) {
        const Site site = sum_at(number, pc);
        json.open('{').field("pc", site.pc).field("kind", static_cast<int>(site.kind)).field("space", static_cast<int>(site.space));
        for (const auto& [name, sum] : site_sums) json.field(name, site.*sum);
        json.field("bytes", unsigned{site.bytes}).field("multiplicity", site.multiplicity);
        write_worst(json, number, pc);
        json.close('}');
    }
    json.close(']').close('}');
}

// But for the steps and places, of which it says how many numbers they are: there may be many.
void write_recording(Json& json, const Recorder& recorder) {
    json.open('[');
    for (const RecordedBlock& block : recorder.blocks) {
        json.open('{').field("launch", std::uint64_t{block.launch}).field("cut", block.cut).field("steps", std::uint64_t{block.steps.size()}).field("places", std::uint64_t{block.places.size()}).key("arrays").open('[');
        for (const RecordedArray& array : block.arrays) write_array(json, array);
        json.close(']').close('}');
    }
    json.close(']');
}

void write_sample(Json& json, int number, const LaunchSample& launch) {
    std::uint64_t barriers = 0, atomic_words = 0;
    for (const BlockSample& block : launch.ran) barriers += block.barriers, atomic_words = std::max<std::uint64_t>(atomic_words, block.atomic_words.size());
    std::set<Address> words;
    for (const BlockSample& block : launch.ran) words.insert(block.atomic_words.begin(), block.atomic_words.end());
    json.open('{').field("kernel", number).field("function", launch.function).field("blocks", launch.blocks).field("threads", launch.threads).field("repeats", launch.repeats);
    json.field("shared_bytes", std::uint64_t{launch.shared_bytes}).field("cooperative", launch.cooperative).field("barriers", barriers);
    json.field("atomic_words", std::uint64_t{words.size()}).field("atomic_words_of_a_block", atomic_words).field("registers", std::uint64_t{registers_of(launch)}).field("frame_bytes", std::uint64_t{launch.frame_bytes});
    json.field("allowed_registers", std::uint64_t{launch.allowed_registers}).field("resident", std::uint64_t{launch.traffic.resident}).field("held", std::uint64_t{launch.traffic.held});
    json.field("neighbours", std::uint64_t{launch.traffic.neighbours}).field("l1_bytes", std::uint64_t{launch.traffic.l1_bytes});
    json.field("scattered", launch.traffic.scattered).field("by_scattered", launch.traffic.by_scattered);
    json.key("ran").open('[');
    for (const BlockSample& block : launch.ran) {
        std::uint64_t copied = 0;
        for (const WarpSample& warp : block.warps) copied += warp.copied;
        const auto most = [&](auto of) { return std::uint64_t{of(*std::max_element(block.warps.begin(), block.warps.end(), [&](auto& a, auto& b) { return of(a) < of(b); }))}; };
        json.open('{').field("number", block.number).field("steps", block.steps()).field("copied", copied);
        json.field("longest_warp", most([](auto& warp) { return warp.steps; })).field("load_rounds", most([](auto& warp) { return warp.load_rounds; }));
        json.field("lone_rounds", most([](auto& warp) { return warp.lone_rounds; }));
        json.field("shared_rounds", most([](auto& warp) { return warp.shared_rounds; })).close('}');
    }
    json.close(']').key("regions").open('[');
    for (const auto& [id, of] : launch.traffic.regions) {
        const Region& region = *machine().memory.regions()[static_cast<std::size_t>(id)];
        json.open('{').field("id", id).field("name", region.name).field("bytes", std::uint64_t{region.bytes}).field("of_task", region.of_task);
        json.field("load_span", of.loads.bytes()).field("load_blocks", of.loads.blocks).field("store_span", of.stores.bytes()).field("store_blocks", of.stores.blocks);
        json.field("loaded", of.loaded).field("stored", of.stored).field("asked", of.asked).field("missed", of.missed);
        json.field("alone", of.alone).field("together", of.together).close('}');
    }
    json.close(']').close('}');
}

// Texts of inline PTX that ran, by place.
void write_statements(Json& json) {
    std::map<std::uint32_t, const ptx::Program*> all;
    for (const auto& executor : machine().executors) all.insert(executor->statements.seen().begin(), executor->statements.seen().end());
    json.open('[');
    for (const auto& [pc, program] : all) {
        json.open('{').field("pc", pc).key("instructions").open('[');
        for (const ptx::Instruction& each : program->instructions) json.value(each.name);
        json.close(']').key("begins").open('[');
        for (const ptx::Instruction& each : program->instructions) json.value(static_cast<long long>(each.begins));
        json.close(']').key("guarded").open('[');
        for (const ptx::Instruction& each : program->instructions) json.value(static_cast<long long>(each.guard.form != ptx::Operand::Form::Nothing));
        json.close(']').close('}');
    }
    json.close(']');
}

// Whether all of the task's inputs were copied there.
bool inputs_go_to_the_host(const DeviceMemory& memory) {
    std::size_t inputs = 0;
    for (const auto& region : memory.regions()) inputs += region->of_task && !region->writable ? region->bytes : 0;
    return inputs && memory.inputs_to_host >= inputs;
}

std::uint64_t count_touched(std::vector<Lazy<std::uint8_t>> Executor::* bitmaps, std::size_t region) {
    std::uint64_t count = 0;
    std::size_t bytes = 0;
    for (const auto& executor : machine().executors)
        if (((*executor).*bitmaps).size() > region && ((*executor).*bitmaps)[region]) bytes = ((*executor).*bitmaps)[region].size();
    for (std::size_t i = 0; i < bytes; ++i) {
        unsigned all = 0;
        for (const auto& executor : machine().executors)
            if (((*executor).*bitmaps).size() > region && ((*executor).*bitmaps)[region]) all |= ((*executor).*bitmaps)[region][i];
        count += static_cast<std::uint64_t>(__builtin_popcount(all));
    }
    return count;
}

void write_counted(Json& json, Address a, const CountedWord& word) {
    json.open('{').field("word", std::uint64_t{a}).field("name", word.variable).field("offset", word.offset).field("region_bytes", word.region_bytes);
    json.field("named", word.named).field("op", static_cast<int>(word.op)).field("type", static_cast<int>(word.type)).field("pc", word.pc);
    json.field("first", word.first).field("found", word.found).field("step", word.step).field("calls", word.calls);
    json.field("launch", std::uint64_t{word.launch}).field("is_alike", word.is_alike).close('}');
}

constexpr std::size_t most_launches_told = 10'000;   // of a graded file: to tell of more takes seconds

}  // namespace

std::string report() {
    Machine& m = machine();
    Json json;
    json.open('{').key("findings").open('[');
    for (const Finding& finding : m.findings)
        if (!is_told_already(finding)) write_finding(json, finding);
    json.close(']').key("kernels").open('[');
    for (std::size_t k = 0; k < m.kernels.size(); ++k) write_kernel(json, static_cast<int>(k), m.kernels[k]);
    json.close(']').key("regions").open('[');
    for (const auto& region : m.memory.regions()) {
        if (region->is_heap && !region->bytes) continue;
        json.open('{').field("name", region->name).field("bytes", std::uint64_t{region->bytes}).field("line", region->line).field("of_task", region->of_task);
        json.field("loaded", count_touched(&Executor::loaded_bytes, static_cast<std::size_t>(region->id)));
        json.field("stored", count_touched(&Executor::stored_bytes, static_cast<std::size_t>(region->id))).close('}');
    }
    json.close(']').key("launches").open('[');
    const std::size_t told = m.whole_program ? m.launches.size() : std::min(m.launches.size(), most_launches_told);
    for (std::size_t i = 0; i < told; ++i) {
        const LaunchRecord& launch = m.launches[i];
        json.open('{').field("kernel", launch.kernel).field("grid", launch.grid).field("block", launch.block);
        json.field("shared_bytes", std::uint64_t{launch.shared}).field("line", launch.line).field("given_stream", launch.given_stream).field("own_stream", launch.own_stream).close('}');
    }
    json.close(']').field("launched", std::uint64_t{m.launches.size()}).field("allocated", std::uint64_t{m.memory.allocated_bytes()}).field("peak", std::uint64_t{m.memory.peak_bytes()});
    json.field("inputs_to_host", inputs_go_to_the_host(m.memory)).field("broken", m.fault != Success).field("printed_signs", m.printed_signs).field("cooperative", std::ranges::any_of(m.launches, &LaunchRecord::cooperative));
    json.field("copies_read", m.memory.read_by_copies.all).field("copies_read_of_task", m.memory.read_by_copies.of_task);
    json.field("copies_wrote", m.memory.written_by_copies.all).field("copies_wrote_of_task", m.memory.written_by_copies.of_task);
    if (m.sampling.on()) {
        json.field("set_bytes", m.sampling.set_bytes).field("sets", m.sampling.sets).field("skipped", m.sampling.skipped).field("thins", m.sampling.thinned).key("samples").open('[');
        for (const auto& [number, launch] : m.sampling.launches) write_sample(json, number, launch);
        json.close(']').key("copied").open('{');
        for (const auto& [id, bytes] : m.sampling.copied)
            if (const Region& region = *m.memory.regions()[static_cast<std::size_t>(id)]; region.of_task)
                json.key(region.name.c_str()).open('[').value(bytes[false]).value(bytes[true]).close(']');
        json.close('}').key("set_last").open('{');
        for (const auto& [id, bytes] : m.sampling.set_last)
            if (const Region& region = *m.memory.regions()[static_cast<std::size_t>(id)]; region.of_task) json.field(region.name.c_str(), bytes);
        json.close('}');
    }
    json.key("counted_words").open('[');
    for (const auto& [a, word] : m.counted_words.words) write_counted(json, a, word);
    json.close(']');
    write_statements(json.key("statements"));
    if (m.recorder.on) write_recording(json.key("recording"), m.recorder);
    if (m.recorder.number != Recorder::none) json.field("recorded_launch", std::uint64_t{m.recorder.number});
    json.close('}');
    return json.text_;
}

}  // namespace ladder
