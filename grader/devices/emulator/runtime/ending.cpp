// What can only be said of a case once host code has ended.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "host_call.h"
#include "machine.h"

namespace ladder {

namespace {

// A good part of the inputs copied to the host, and as much of the outputs back: then it is the host that computes. A few
// bytes are no sign: the sums of some blocks may be added up there.
constexpr std::size_t few_bytes = 4096, part = 4;

bool computed_by_host(const DeviceMemory& memory) {
    std::size_t inputs = 0, outputs = 0;
    for (const auto& region : memory.regions()) {
        if (!region->writable) inputs += region->bytes;
        outputs += region->before.size();
    }
    return memory.copied_to_host > few_bytes && memory.copied_to_host >= inputs / part && memory.copied_from_host >= outputs / part;
}

void judge_host_code(Machine& m) {
    Finding finding;
    finding.kind = "host_access";
    const Address touched = m.memory.touched_by_host;
    if (const Region* region = touched ? m.memory.nearest(touched) : nullptr) {
        m.findings.push_back(finding.at(*region, touched));
    } else if (!m.whole_program && computed_by_host(m.memory)) {
        finding.text = "computed by the host";
        m.findings.push_back(finding);
    }
}

void report_streams(Machine& m) {
    Finding finding;
    finding.kind = "race";
    const auto file = [&](const char* text, const std::vector<int>& lines) {
        finding.text = text;
        for (const int line : lines) {
            finding.line = line;
            m.findings.push_back(finding);
        }
    };
    file("stream", m.stream_order.not_joined(m.given_stream));
    file("early stream", m.stream_order.too_early());
}

constexpr std::size_t most_launches_between = 3;   // an array for each of a few steps may be kept to the end

// Streams or events of a program that a line makes again and again, and that stay.
void report_loops(const auto& made, const char* what, Finding finding) {
    std::map<int, std::set<std::size_t>> between;
    for (const auto& [_, its] : made)
        if (its.line > 0) between[its.line].insert(its.launches_before);
    for (const auto& [line, launches] : between) {
        if (launches.size() <= most_launches_between) continue;
        finding.line = line;
        finding.text = what;
        machine().findings.push_back(finding);
    }
}

// Memory that was not freed, and streams that a line creates although it has one from a call before. One that is made
// once and kept is no leak, nor is another one that the checking build of the same file has.
void report_leaks(Machine& m) {
    Finding finding;
    finding.kind = "leak";
    finding.note = m.whole_program;   // its end frees all
    const auto is_kept = [](const Region& each) { return each.line && !each.freed && each.bytes; };   // no bytes: no longer registered
    std::map<int, std::set<std::size_t>> between;   // by line: how many launches came before what it has allocated
    for (const auto& region : m.memory.regions())
        if (is_kept(*region)) between[region->line].insert(region->launches_before);
    for (const auto& region : m.memory.regions()) {
        if (!is_kept(*region)) continue;
        finding.text = m.whole_program && between[region->line].size() > most_launches_between ? "loop" : "";
        finding.line = region->line;
        finding.array_bytes = region->bytes;
        m.findings.push_back(finding);
    }
    finding.array_bytes = 0;
    if (m.whole_program) return report_loops(m.streams, "streams of a loop", finding), report_loops(m.events, "events of a loop", finding);
    finding.text.clear();
    std::set<int> kept, fresh;
    for (auto& [stream, its] : m.streams) {
        if (its.module != m.module.base) continue;
        (its.line < 0 ? kept : fresh).insert(std::abs(its.line));
        its.line = -std::abs(its.line);
    }
    for (const int line : fresh) {
        finding.line = line;
        if (kept.contains(line)) m.findings.push_back(finding);
    }
}

// The same of the kernels' heap, which a call that keeps some of it fills in the end. Of some blocks alone, or of those that
// ended in an error, it says nothing.
void report_heap(Machine& m) {
    const auto is_error = [](const Finding& each) { return !each.note; };
    if (m.sampling.on() || m.few_blocks || std::ranges::any_of(m.findings, is_error)) return;
    for (const auto& [pc, bytes] : m.heap.living()) {
        Finding finding;
        finding.kind = "leak";
        finding.text = "heap";
        finding.pc = pc;
        finding.array_bytes = bytes;
        m.findings.push_back(std::move(finding));
    }
}

// What is so already, or is advice that this GPU cannot take: a program goes on as it would without the call.
bool is_harmless(int error) {
    constexpr int no_peers = 217, not_ready = 600, peer_access_already = 704, no_peer_access = 705, device_in_use = 708, not_supported = 801;
    const int harmless[] = {no_peers, not_ready, peer_access_already, no_peer_access, device_in_use, not_supported};
    return std::find(std::begin(harmless), std::end(harmless), error) != std::end(harmless);
}

}  // namespace

void finish_case(Machine& m) {
    judge_host_code(m);
    note_untouched_of_both_sides();
    note_constants_never_set();
    note_textures_asked_otherwise();
    if (m.whole_program && m.last_error && m.last_error != m.error_asked_for) {
        Finding finding;
        finding.kind = is_harmless(m.last_error) ? "harmless_error" : "unchecked_error";
        finding.note = true;
        finding.offset = m.last_error;
        if (m.failed.first == m.last_error) finding.callers = m.failed.second;
        m.findings.push_back(std::move(finding));
    }
    if (m.given_up || m.fault) return;
    const auto& [print, kernel] = m.printed;
    if (m.whole_program && print.number && !m.program.signal && !m.stream_order.host_knows(print)) file("lost_output", kernel, print.line, "");
    if (!m.whole_program) {
        report_streams(m);
        report_heap(m);
    }
    report_leaks(m);
}

}  // namespace ladder
