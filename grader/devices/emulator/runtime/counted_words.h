// Words of the submission's own in which kernels count by atomics, as tickets of blocks: with what a launch has found there,
// and how it went on. A case can be run once more as if such a word had begun, or gone on, otherwise: then it is known
// whether that is what is wrong (counted_words.py).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "memory.h"
#include "../include/ladder/abi.h"

namespace ladder {

struct CountedWord {
    std::string variable;
    std::uint64_t offset = 0, region_bytes = 0;   // in it
    bool named = false;               // a __device__ variable: it keeps its value from call to call
    Atomic op{};
    Type type{};
    std::uint32_t pc = 0;
    std::size_t launch = 0;           // the last that has found another value than the first of all, else the last
    std::uint64_t first = 0, found = 0, step = 0, calls = 0;   // before the first atomic of all, and of that launch; operand
    bool is_alike = true;             // all of that launch's atomics are this one, with this operand
};

struct CountedWords {
    std::map<Address, CountedWord> words;          // of this case
    std::map<Address, std::uint64_t> first_found;  // by the first atomic of all
    struct Otherwise { Address word = 0; bool begins = false, steps = false; std::uint64_t begin = 0, step = 0, more = 0; } otherwise;
    std::size_t launch = 0;                        // in which that word has begun

    std::uint64_t more_from(Address word) const { return word == otherwise.word ? otherwise.more : 0; }   // than is there
    void begin_case() { words.clear(), launch = 0; }
};

constexpr std::size_t most_counted_words = 64;

// Before an atomic, by one block at a time. Returns the operand that it is to have.
std::uint64_t count_in_word(const Region& region, Atomic op, Type type, void* word, std::uint64_t value, std::uint32_t pc);

}  // namespace ladder
