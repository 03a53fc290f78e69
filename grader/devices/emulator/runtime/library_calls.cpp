// What libraries' headers and textures tell of the calls of a whole program.
#include <algorithm>
#include <array>
#include <deque>

#include "frames.h"
#include "executor.h"
#include "host_call.h"
#include "launch.h"

namespace ladder {

namespace {

struct WatchedTexture {
    unsigned asked;   // as FetchedAt has it
    bool normalized;
    int line;
};

std::deque<WatchedTexture>& watched_textures() {
    static auto& all = *new std::deque<WatchedTexture>;   // each keeps its place; read when all else is destroyed
    return all;
}

// All in [-1, 1] and all over it, of an array with more: those are fractions. All in the middle or at the edge of a texel, and
// beyond 2: those are places.
bool asks_otherwise(const WatchedTexture& t) {
    if (t.asked & FetchedAt::Last) return true;
    if (t.normalized) return (t.asked & FetchedAt::Far) && !(t.asked & FetchedAt::Between);
    constexpr unsigned all_over = FetchedAt::Low | FetchedAt::High | FetchedAt::Between;
    return (t.asked & all_over) == all_over && !(t.asked & FetchedAt::Beyond);
}

// Where threads of a launch begin random numbers: how many in a row begin the same, and whether they are of several blocks.
struct BegunSequence {
    std::array<std::uint64_t, 3> which{};   // its seed, its number and its first place
    std::uint64_t launch = 0, block = 0, thread = 0;
    unsigned others = 0;
    bool many_blocks = false;
};
constexpr unsigned enough_others = 3;

}  // namespace

void note_textures_asked_otherwise() {
    std::set<int> told;
    for (const WatchedTexture& each : watched_textures()) {
        if (!asks_otherwise(each) || !told.insert(each.line).second) continue;
        file("texture_coordinates", "", each.line, each.asked & FetchedAt::Last ? "elements" : each.normalized ? "places" : "fractions");
        machine().findings.back().note = true;
    }
}

}  // namespace ladder

using namespace ladder;

extern "C" {

int ladder_wrong_call(int error, const char* why, int line) {
    const HostCall call;
    return wrong_call(error, std::string("said ") + why, line);
}

void ladder_refused_call(const char* why, int line) {
    const HostCall call;
    file("refused_call", "", line, why);
    machine().findings.back().note = true;
}

unsigned* ladder_watch_texture(int normalized, int line) {
    const HostCall call;
    return &watched_textures().emplace_back(WatchedTexture{0, normalized != 0, line}).asked;
}

void ladder_wrong_texel(int gives_floats, int holds_floats) {
    if (!current) return;
    auto& all = current->executor->findings;
    if (std::any_of(all.begin(), all.end(), [](const Finding& each) { return each.kind == "texture_type"; })) return;
    Finding finding = finding_at(*current, "texture_type", 0);
    finding.callers = calls_to_here();
    finding.text = holds_floats ? "floats" : gives_floats ? "fractions" : "whole";
    all.push_back(std::move(finding));
}

// A launch of several blocks may mean one sequence for the threads of each.
void ladder_random_sequence(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    if (!current) return;
    static thread_local BegunSequence last;
    const Block& block = *current->block;
    const std::array<std::uint64_t, 3> which{seed, subsequence, offset};
    const std::uint64_t launch = block.launch->first_id;
    if (last.launch != launch || last.which != which) last = {which, launch, block.number, current->number, 0, false};
    if (last.block == block.number && last.thread == current->number) return;
    last.many_blocks |= last.block != block.number;
    last.block = block.number, last.thread = current->number;
    if (++last.others < enough_others || (!last.many_blocks && block.launch->blocks > 1)) return;
    auto& all = current->executor->findings;
    if (std::any_of(all.begin(), all.end(), [](const Finding& each) { return each.kind == "same_sequence"; })) return;
    Finding finding = finding_at(*current, "same_sequence", 0);
    finding.note = true;
    finding.callers = calls_to_here();
    all.push_back(std::move(finding));
}

}  // extern "C"
