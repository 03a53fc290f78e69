// The asm statements that an executor's threads have come by, and what their texts say.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "program.h"

namespace ladder::ptx {

struct Statement {
    const char* text = nullptr;
    const unsigned* constraints = nullptr;
    std::vector<std::uint64_t> texts;    // values that are part of the text: of "n" and "C" operands
    const Program* program = nullptr;

    bool is(const char* its_text, const unsigned* its_constraints, const std::uint64_t* values) const;
};

class Statements {
public:
    const Program& find(std::uint32_t pc, const char* text, const unsigned* constraints, std::size_t count, const std::uint64_t* values);
    const auto& seen() const { return seen_; }   // those that ran, by place
    void begin_launch() { std::fill(std::begin(recent_), std::end(recent_), Statement{}); }   // pointers may mean something else by now

private:
    Statement recent_[256];              // by hash of the program counter
    std::map<std::string, std::unique_ptr<Program>> programs_;   // by content
    std::map<std::uint32_t, const Program*> seen_;
};

}  // namespace ladder::ptx
