// mma.sync, ldmatrix, stmatrix and movmatrix: matrix instructions, in which the 32 lanes of a warp meet (../matrices.h).
#include "../matrices.h"
#include "../tensor_core.h"

#include "opcodes.h"

namespace ladder::ptx {

namespace {

constexpr Type word{Kind::Bits, 32, 1};

// One register, or several in braces.
std::size_t count(const Operand& operand) { return operand.form == Operand::Form::Vector ? operand.parts.size() : 1; }
const Operand& part(const Operand& operand, std::size_t i) { return operand.form == Operand::Form::Vector ? operand.parts[i] : operand; }

void want_registers(Operand& operand, unsigned words, Type type, bool written) {
    const unsigned each = type.width() / 32;
    if (count(operand) * each != words)
        throw Wrong(std::to_string(words / each) + " registers are needed where " + std::to_string(count(operand)) + " are given");
    if (operand.form == Operand::Form::Vector) return want_vector(operand, words / each, type);
    if (written) want_register(operand, type);
    else want_value(operand, type);
}

Words read(const Lane& l, const Operand& operand, unsigned words) {
    Words found{};
    const auto each = words / static_cast<unsigned>(count(operand));
    for (std::size_t i = 0; i < count(operand); ++i) {
        const std::uint64_t bits = l.bits(part(operand, i));
        std::memcpy(found.word + i * each, &bits, each * sizeof(unsigned));
    }
    return found;
}

void write(Lane& l, const Operand& operand, const Words& words, unsigned count_of_words) {
    const auto each = count_of_words / static_cast<unsigned>(count(operand));
    for (std::size_t i = 0; i < count(operand); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, words.word + i * each, each * sizeof(unsigned));
        if (each == 2) l.set(part(operand, i), bits);
        else l.set(part(operand, i), static_cast<std::uint32_t>(bits));
    }
}

Spot spot_of(const Lane& l, const Instruction& at) { return {l.line, l.place(at)}; }

// ---- mma.sync ----

Number number_of(Type type) {
    switch (type.kind) {
        case Kind::Float: return type.bits == 16 ? Number::F16 : type.bits == 64 ? Number::F64 : Number::F32;
        case Kind::Brain: return Number::BF16;
        case Kind::Tensor: return Number::TF32;
        case Kind::E4M3: return Number::E4M3;
        case Kind::E5M2: return Number::E5M2;
        case Kind::Signed: return type.bits == 8 ? Number::S8 : Number::S32;
        case Kind::Unsigned: return Number::U8;
        default: throw Wrong("matrices of this type are not emulated");
    }
}

bool is_float8(Number number) { return number == Number::E4M3 || number == Number::E5M2; }
bool is_integer(Number number) { return number == Number::S8 || number == Number::U8; }

// The shapes of mma.sync by type, as the PTX ISA lists them for compute capability 8.0 to 9.0.
bool exists(const Product& product, std::string_view shape) {
    const Number a = product.a, sums = product.sums;
    if (a == Number::F64) return shape == "m8n8k4" && sums == Number::F64;
    if (a == Number::F16) return (shape == "m16n8k8" || shape == "m16n8k16") && (sums == Number::F32 || sums == Number::F16);
    if (a == Number::BF16) return (shape == "m16n8k8" || shape == "m16n8k16") && sums == Number::F32;
    if (a == Number::TF32) return (shape == "m16n8k4" || shape == "m16n8k8") && sums == Number::F32;
    if (is_float8(a)) return shape == "m16n8k32" && sums == Number::F32;
    return is_integer(a) && (shape == "m16n8k16" || shape == "m16n8k32") && sums == Number::S32;
}

Product product_of(const Instruction& at) {
    Product product;
    std::memcpy(&product, &at.extra, sizeof product);
    return product;
}

void run_mma(Lane& l, const Instruction& at) {
    const Product product = product_of(at);
    const Words d = multiply_matrices(l.thread, product, {1, 1, 1}, read(l, at[1], words_of_a(product)), read(l, at[2], words_of_b(product)),
                                      read(l, at[3], words_of_sums(product)), spot_of(l, at));
    write(l, at[0], d, words_of_sums(product));
}

void prepare_mma(Instruction& it) {
    Modifiers left(it);
    if (!left.take("aligned")) throw Wrong("it needs .aligned");
    const std::string_view shapes[] = {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"};
    const int shape = left.take_one({"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"});
    if (shape < 0) throw Wrong("this shape is not emulated");
    if (!left.take("row") || !left.take("col")) throw Wrong("it needs .row.col: a row-major, b column-major");
    Product product{};
    product.saturated = left.take("satfinite");
    const Type d = left.needed_type();
    product.a = number_of(left.needed_type());
    product.b = number_of(left.needed_type());
    const Type c = left.needed_type();
    left.done();
    product.sums = number_of(d);
    product.k = static_cast<unsigned char>(shape == 0 ? 4 : 4 << (shape - 1));
    const bool alike = product.a == product.b || (is_integer(product.a) && is_integer(product.b)) || (is_float8(product.a) && is_float8(product.b));
    if (!(d == c) || !alike || !exists(product, shapes[shape])) throw Wrong("there is no such product of these types and this shape, or it is not emulated");
    const bool doubles = product.a == Number::F64;
    const Type in = doubles ? d : word, sums = doubles || product.sums == Number::F32 ? d : word;
    want_operands(it, 4);
    want_registers(it[0], words_of_sums(product), sums, true);
    want_registers(it[1], words_of_a(product), in, false);
    want_registers(it[2], words_of_b(product), in, false);
    want_registers(it[3], words_of_sums(product), sums, false);
    std::memcpy(&it.extra, &product, sizeof product);
    it.run = run_mma;
}

// ---- ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16 bits ----

void run_ldmatrix(Lane& l, const Instruction& at) {
    const auto matrices = static_cast<unsigned>(at.choice);
    write(l, at[0], load_matrices(l.thread, l.shared(at[1]), matrices, at.flag, spot_of(l, at)), matrices);
}

void run_stmatrix(Lane& l, const Instruction& at) {
    const auto matrices = static_cast<unsigned>(at.choice);
    store_matrices(l.thread, l.shared(at[0]), matrices, at.flag, read(l, at[1], matrices), spot_of(l, at));
}

void run_movmatrix(Lane& l, const Instruction& at) { write(l, at[0], move_matrix(l.thread, read(l, at[1], 1), spot_of(l, at)), 1); }

void take_form(Instruction& it, bool moves) {
    Modifiers left(it);
    if (!left.take("aligned")) throw Wrong("it needs .aligned");
    if (!left.take("m8n8")) throw Wrong("only matrices of .m8n8 are emulated");
    it.choice = moves ? 1 : 1 << left.take_one({"x1", "x2", "x4"});
    it.flag = left.take("trans");
    if (!moves) left.take_one({"shared", "shared::cta"});
    if (!left.take("b16")) throw Wrong("only elements of .b16 are emulated");
    left.done();
    want_operands(it, 2);
}

void prepare_ldmatrix(Instruction& it) {
    take_form(it, false);
    want_registers(it[0], static_cast<unsigned>(it.choice), word, true);
    want_address(it[1]);
    it.run = run_ldmatrix;
}

void prepare_stmatrix(Instruction& it) {
    take_form(it, false);
    want_address(it[0]);
    want_registers(it[1], static_cast<unsigned>(it.choice), word, false);
    it.run = run_stmatrix;
}

void prepare_movmatrix(Instruction& it) {
    take_form(it, true);
    if (!it.flag) throw Wrong("it needs .trans");
    want_register(it[0], word);
    want_value(it[1], word);
    it.run = run_movmatrix;
}

}  // namespace

void add_matrices(Table& table) {
    table.insert({{"mma.sync", prepare_mma}, {"ldmatrix.sync", prepare_ldmatrix}, {"stmatrix.sync", prepare_stmatrix}, {"movmatrix.sync", prepare_movmatrix}});
}

}  // namespace ladder::ptx
