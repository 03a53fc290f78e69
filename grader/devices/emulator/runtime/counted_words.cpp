#include "counted_words.h"

#include <cstring>

#include "machine.h"

namespace ladder {

namespace {

unsigned bytes_of(Type type) { return type > Type::U32 && type != Type::F32 ? 8 : 4; }

std::uint64_t held(const void* word, Type type) {
    std::uint64_t value = 0;
    std::memcpy(&value, word, bytes_of(type));
    return value;
}

CountedWord* word_of(CountedWords& all, const Region& region, Address a) {
    const auto known = all.words.find(a);
    if (known != all.words.end()) return &known->second;
    if (all.words.size() >= most_counted_words) return nullptr;
    CountedWord& made = all.words[a];
    made.variable = region.name, made.offset = a - region.begin, made.region_bytes = region.bytes, made.named = region.is_named;
    return &made;
}

}  // namespace

std::uint64_t count_in_word(const Region& region, Atomic op, Type type, void* word, std::uint64_t value, std::uint32_t pc) {
    Machine& m = machine();
    if (m.whole_program || m.sampling.on() || region.of_task || region.space != Space::Global) return value;
    if ((value == 0 && (op == Atomic::Add || op == Atomic::Or)) || type < Type::I32 || type > Type::F64) return value;   // it only looks
    const auto a = reinterpret_cast<Address>(word);
    CountedWords& all = m.counted_words;
    CountedWord* const its = word_of(all, region, a);
    if (!its) return value;
    const CountedWords::Otherwise& otherwise = all.otherwise;
    if (otherwise.word == a && otherwise.begins && all.launch != m.launches.size()) {
        all.launch = m.launches.size();
        std::memcpy(word, &otherwise.begin, bytes_of(type));
    }
    if (otherwise.word == a && otherwise.steps) value = otherwise.step;
    if (its->launch != m.launches.size()) {
        const std::uint64_t now = held(word, type), first = its->named ? all.first_found.try_emplace(a, now).first->second : now;
        if (its->launch && its->found != its->first) return value;   // of this one it is told
        its->launch = m.launches.size();
        its->first = first, its->found = now, its->step = value, its->calls = 0, its->is_alike = true;
        its->op = op, its->type = type, its->pc = pc;
    }
    ++its->calls;
    its->is_alike = its->is_alike && its->op == op && its->step == value && its->pc == pc;
    return value;
}

}  // namespace ladder

extern "C" {

using namespace ladder;

// From now on a launch finds that in the word with its first atomic, its atomics have this operand, and give so much more;
// null: none does.
void ladder_session_count_otherwise(void* word, int begins, std::uint64_t begin, int steps, std::uint64_t step, std::int64_t more) {
    machine().counted_words.otherwise = {reinterpret_cast<Address>(word), begins != 0, steps != 0, begin, step, static_cast<std::uint64_t>(more)};
}

}  // extern "C"
