// An asm statement: found by where it is, read when it is new, run for one lane.
#include "statement.h"

#include <alloca.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "../../include/ladder/abi.h"
#include "lane.h"
#include "special.h"

namespace ladder::ptx {

namespace {

// As in include/ladder/ptx.h.
enum : unsigned { letter_bits = 0xff, written = 0x100, updated = 0x200, moved = 0x400 };
constexpr std::size_t most_operands = 256, most_slots = 2048;
constexpr int rounds_of_an_atomic = 3;

char letter(unsigned constraint) { return static_cast<char>(constraint & letter_bits); }

Type type_of(unsigned constraint) {
    switch (letter(constraint)) {
        case 'h': return {Kind::Bits, 16, 1};
        case 'l': return {Kind::Bits, 64, 1};
        case 'd': return {Kind::Float, 64, 1};
        case 'f': return {Kind::Float, 32, 1};
        default: return {Kind::Bits, 32, 1};
    }
}

bool is_text(unsigned constraint) { return letter(constraint) == 'n' || letter(constraint) == 'C'; }

// The number of the operand whose register an operand like "0" has; its own, if it has one.
std::size_t slot_of(const unsigned* constraints, std::size_t number) {
    const char c = letter(constraints[number]);
    return c >= '0' && c <= '9' ? static_cast<std::size_t>(c - '0') : number;
}

// The text with marks for its operands, and with the values of those that are text.
std::string expanded(const char* text, const unsigned* constraints, std::size_t count, const std::uint64_t* values) {
    std::string found;
    for (const char* c = text; *c; ++c) {
        if (*c != '%') {
            found += *c;
        } else if (c[1] == '%') {
            found += *c++;
        } else if (c[1] < '0' || c[1] > '9') {
            found += *c;
        } else {
            char* end = nullptr;
            const std::size_t number = std::strtoul(c + 1, &end, 10);
            c = end - 1;
            if (number >= count) throw Wrong("inline PTX: there is no operand `%" + std::to_string(number) + "`");
            if (letter(constraints[number]) == 'n') found += std::to_string(static_cast<std::int64_t>(values[number]));
            else if (letter(constraints[number]) == 'C') found += reinterpret_cast<const char*>(values[number]);
            else found += operand_mark + std::to_string(slot_of(constraints, number)) + operand_end;
        }
    }
    return found;
}

// Besides its operands, this hangs on what others do, or on the time.
bool varies(const Instruction& instruction) {
    const std::string& name = instruction.name;
    if (name.starts_with("atom.") || name.starts_with("ldmatrix.")) return true;
    if (name.starts_with("ld.")) return name.find(".nc") == name.npos && !name.starts_with("ld.param") && !name.starts_with("ld.const");
    return std::any_of(instruction.operands.begin(), instruction.operands.end(), is_clock);
}

Program program_of(const char* text, const unsigned* constraints, std::size_t count, const std::uint64_t* values) {
    std::vector<Type> types;
    for (std::size_t i = 0; i < count; ++i) types.push_back(type_of(constraints[i]));
    Program program;
    try {
        program = Program::read(expanded(text, constraints, count, values), types);
    } catch (const Wrong& wrong) {
        program.error = wrong.what();
    }
    for (const Instruction& each : program.instructions)
        if (program.varies.empty() && varies(each)) program.varies = each.name;
    if (program.slots.size() > most_slots) program.error = "inline PTX: these are too many registers";
    return program;
}

// No such PTX: what a GPU's assembler would refuse to build, or what is not emulated.
[[noreturn]] void refuse(Thread& thread, const std::string& why, int line) {
    Finding finding = finding_at(thread, "inline_ptx", 0);
    finding.line = line;
    finding.text = why;
    die(thread, std::move(finding));
}

// Where a launch is sampled, what the instructions cost is taken from the basic block of C++ that they are in.
void run(Lane& lane) {
    const auto& instructions = lane.program.instructions;
    const bool counts = !machine().sampling.on();
    while (lane.next < instructions.size()) {
        const Instruction& instruction = instructions[lane.next++];
        if (instruction.begins && counts) record(lane.thread, Event::Block, lane.place(instruction) - 1, 0, 0, no_region);
        if (instruction.guard.form != Operand::Form::Nothing && !lane.predicate(instruction.guard)) continue;
        if (instruction.computes && counts) record(lane.thread, Event::Arithmetic, lane.arithmetic_place(instruction), 0, 0, no_region);
        instruction.run(lane, instruction);
    }
}

}  // namespace

// Without volatile a statement is a function of its inputs to nvcc, which runs it in front of a loop whose rounds give it the same
// ones (nvcc 13.0 does so for loads, atomics and clocks, also behind barriers and in a branch).
// Data may send an atomic, as a histogram's, to the same place again: it stays where it is, and is left alone for some rounds.
static void check_moved(const Lane& lane, const unsigned* constraints, std::size_t count, const std::uint64_t* values) {
    Thread& thread = lane.thread;
    if (!thread.moved) thread.moved = std::make_unique<Moved>();
    Moved::Given now;
    for (std::size_t i = 0; i < count; ++i)
        if (!(constraints[i] & written) || constraints[i] & updated) now.inputs.push_back(values[i]);
    for (std::size_t i = 0; i < count; ++i)
        if (constraints[i] & written) now.outputs.push_back(lane.frame[slot_of(constraints, i)]);
    const auto calls = thread.calls.known();
    now.inputs.insert(now.inputs.end(), calls.begin(), calls.end());
    if (lane.program.varies.starts_with("ld.acquire"))
        ladder_trap(("this asm has no `volatile`: nvcc may run `" + lane.program.varies + "` once, in front of the loop, and other loads before it; "
                     "write asm volatile(\"...\" : ... : ... : \"memory\")").c_str(), lane.line);
    Moved::Given& before = thread.moved->by_place[lane.pc];
    if (before.inputs == now.inputs && !before.outputs.empty()) now.rounds = before.rounds + 1;
    if (now.rounds >= (lane.program.varies.starts_with("atom.") ? rounds_of_an_atomic : 1) && before.outputs != now.outputs)
        ladder_trap(("this asm has no `volatile`: nvcc may run it once, in front of the loop, though `" + lane.program.varies +
                     "` gives something else in this round; write asm volatile(...)").c_str(), lane.line);
    before = std::move(now);
}

bool Statement::is(const char* its_text, const unsigned* its_constraints, const std::uint64_t* values) const {
    if (text != its_text || constraints != its_constraints) return false;
    std::size_t next = 0;
    for (std::size_t i = 0; next < texts.size(); ++i)
        if (is_text(constraints[i]) && values[i] != texts[next++]) return false;
    return true;
}

const Program& Statements::find(std::uint32_t pc, const char* text, const unsigned* constraints, std::size_t count, const std::uint64_t* values) {
    Statement& known = recent_[pc % std::size(recent_)];
    if (known.program && known.is(text, constraints, values)) return *known.program;
    known = {text, constraints, {}, nullptr};
    std::string key(text);
    for (std::size_t i = 0; i < count; ++i) {
        key += '\0' + std::to_string(constraints[i]);
        if (is_text(constraints[i])) known.texts.push_back(values[i]);
        if (letter(constraints[i]) == 'n') key += ' ' + std::to_string(values[i]);
        if (letter(constraints[i]) == 'C') key += ' ' + std::string(reinterpret_cast<const char*>(values[i]));
    }
    auto& program = programs_[key];
    if (!program) program = std::make_unique<Program>(program_of(text, constraints, count, values));
    known.program = program.get();
    seen_.try_emplace(pc, program.get());
    return *program;
}

}  // namespace ladder::ptx

using namespace ladder;
using namespace ladder::ptx;

extern "C" {

std::uint64_t ladder_ptx(int line, const char* text, const unsigned* constraints, ...) {
    Thread* const thread = current;
    if (!thread) ladder_trap("inline PTX (asm) is for kernels: host code has come to this line", line);
    settle_store(*thread);
    std::uint64_t values[most_operands];
    std::size_t count = 0, outputs = 0;
    va_list arguments;
    va_start(arguments, constraints);
    for (; constraints[count]; ++count) {
        if (count == most_operands) ladder_trap("inline PTX: these are too many operands", line);
        values[count] = va_arg(arguments, std::uint64_t);
        outputs += (constraints[count] & written) != 0;
    }
    va_end(arguments);
    const std::uint32_t pc = program_counter(__builtin_return_address(0));
    const ptx::Program& program = thread->executor->statements.find(pc, text, constraints, count, values);
    if (!program.error.empty()) refuse(*thread, program.error, line);
    const std::size_t slots = std::max<std::size_t>(program.slots.size(), 1);
    auto* const frame = static_cast<std::uint64_t*>(alloca(slots * sizeof(std::uint64_t)));
    std::fill_n(frame, slots, 0);
    for (std::size_t i = 0; i < count; ++i)
        if (!(constraints[i] & written) || constraints[i] & updated) frame[slot_of(constraints, i)] = values[i];
    Lane lane{*thread, program, frame, pc, line};
    run(lane);
    if (constraints[0] & moved && !program.varies.empty()) check_moved(lane, constraints, count, values);
    if (outputs > 1) thread->ptx_results.assign(frame, frame + outputs);
    return frame[0];
}

std::uint64_t ladder_ptx_result(int number) { return current->ptx_results[static_cast<std::size_t>(number)]; }

}  // extern "C"
