// ld, st and addresses: cvta, mapa, isspacep, prefetch. Each access goes the way of plain code's.
#include "opcodes.h"

namespace ladder::ptx {

namespace {

enum Where { Generic, Global, Shared, Local, Constant, Parameter };   // its choice

// The state space, with or without a scope of blocks: .shared::cta, and .shared::cluster, which has one block here.
int space_of(Modifiers& left) {
    if (left.take_one({"shared::cta", "shared::cluster", "shared"}) >= 0) return Shared;
    if (left.take("global")) return Global;
    if (left.take("local")) return Local;
    if (left.take("const")) return Constant;
    if (left.take("param")) return Parameter;
    return Generic;
}

Order order_of(Modifiers& left, bool* of_block) {
    left.take("weak");
    const int order = left.take_one({"volatile", "relaxed", "acquire", "release", "mmio"});
    *of_block = left.take_one({"cta", "cluster", "gpu", "sys"}) == 0;
    constexpr Order orders[] = {Order::Volatile, Order::Relaxed, Order::Acquire, Order::Release, Order::Relaxed};
    return order < 0 ? Order::Weak : orders[order];
}

// An address in a window of its own is none of another's: on a GPU `ld.local` of a pointer to global memory leads nowhere.
bool is_elsewhere(int where, Space space) {
    if (where == Global) return space == Space::Shared || space == Space::Local;
    if (where == Local) return space == Space::Shared || space == Space::Global || space == Space::Constant;
    return (where == Constant || where == Parameter) && (space == Space::Shared || space == Space::Global);
}

Address address_of(Lane& lane, const Instruction& at, const Operand& address) {
    if (at.choice == Shared) return lane.shared(address);
    const Address generic = lane.generic(address);
    if (at.choice != Generic && is_elsewhere(at.choice, ladder_space(reinterpret_cast<const void*>(generic))))
        lane.stop(at, "its address is that of memory of another kind");
    return generic;
}

// What ld and st have in common: extra is the number of elements, rounding the order, flag: its scope is the block.
void prepare_access(Instruction& it, std::size_t value) {
    Modifiers left(it);
    it.rounding = static_cast<int>(order_of(left, &it.flag));
    it.choice = space_of(left);
    const bool hinted = left.take("L2::cache_hint");
    if (it.choice == Global && left.take("nc")) it.rounding = static_cast<int>(Order::Cached);
    left.drop_caching();
    const int vector = left.take_one({"v2", "v4"});
    it.extra = vector < 0 ? 1 : vector == 0 ? 2 : 4;
    it.type = left.needed_type();
    left.done();
    want_operands(it, 2, hinted ? 3 : 2);
    want_address(it[1 - value]);
    if (it.type.bytes() * it.extra > 16 || it.type.bytes() == 0) throw Wrong("at most 16 bytes are moved at once");
    if (it.extra > 1 && (it[value].form != Operand::Form::Vector || it[value].parts.size() != it.extra)) throw Wrong("it needs a vector of " + std::to_string(it.extra) + " registers");
    if (it.extra > 1) {
        for (Operand& part : it[value].parts) want_wide_enough(part, it.type);
    } else {
        want_wide_enough(it[value], it.type);
    }
}

const Operand& element(const Instruction& at, std::size_t value, std::size_t number) { return at.extra > 1 ? at[value].parts[number] : at[value]; }

// A narrower value fills a wider register with its sign.
std::uint64_t extended(Type type, unsigned register_bits, std::uint64_t bits) {
    if (type.kind != Kind::Signed || type.width() >= register_bits) return bits;
    const unsigned above = 64 - type.width();
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above);
    return register_bits == 64 ? whole : whole & ((std::uint64_t{1} << register_bits) - 1);
}

void prepare_ld(Instruction& it) {
    prepare_access(it, 0);
    it.run = [](Lane& l, const Instruction& at) {
        const unsigned bytes = at.type.bytes();
        unsigned char data[16];
        l.load(at, address_of(l, at, at[1]), data, static_cast<unsigned>(bytes * at.extra), static_cast<Order>(at.rounding), static_cast<unsigned>(at.extra));
        for (std::size_t i = 0; i < at.extra; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, data + i * bytes, bytes);
            const Operand& to = element(at, 0, i);
            l.set(to, extended(at.type, to.type.width(), bits));
        }
    };
}

void prepare_st(Instruction& it) {
    prepare_access(it, 1);
    it.run = [](Lane& l, const Instruction& at) {
        const unsigned bytes = at.type.bytes();
        unsigned char data[16];
        for (std::size_t i = 0; i < at.extra; ++i) {
            const std::uint64_t bits = l.bits(element(at, 1, i));
            std::memcpy(data + i * bytes, &bits, bytes);
        }
        const auto order = static_cast<Order>(at.rounding);
        const Address to = address_of(l, at, at[0]);
        if (order == Order::Release) fence(l.thread, at.flag ? Scope::Block : Scope::Device);
        l.store(at, to, data, static_cast<unsigned>(bytes * at.extra), order, static_cast<unsigned>(at.extra));
    };
}

// ---- addresses ----

// cvta.to.shared.u64 d, a: from a pointer; without .to: a pointer. Only shared memory has addresses of its own here.
void prepare_cvta(Instruction& it) {
    Modifiers left(it);
    it.flag = left.take("to");
    it.choice = space_of(left);
    it.type = left.needed_type();
    left.done();
    want_operands(it, 2);
    want_register(it[0], it.type);
    want_value(it[1], it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const std::uint64_t bits = l.bits(at[1]);
        if (at.choice != Shared) l.set(at[0], bits);
        else if (at.flag) l.set(at[0], std::uint64_t{ladder_shared_address(reinterpret_cast<const void*>(bits))});
        else l.set(at[0], reinterpret_cast<std::uint64_t>(ladder_shared_pointer(bits)));
    };
}

// mapa d, a, b: the same element of the shared array of block b of the cluster. With .shared::cluster the addresses are shared memory's.
void prepare_mapa(Instruction& it) {
    Modifiers left(it);
    it.flag = left.take("shared::cluster");
    it.type = left.needed_type();
    left.done();
    want_operands(it, 3);
    want_register(it[0], it.type);
    want_value(it[1], it.type);
    want_value(it[2], {Kind::Unsigned, 32, 1});
    it.run = [](Lane& l, const Instruction& at) {
        const std::uint64_t bits = l.bits(at[1]);
        const void* const own = at.flag ? ladder_shared_pointer(bits) : reinterpret_cast<const void*>(bits);
        const void* const mapped = ladder_map_shared(own, l.get<std::uint32_t>(at[2]), l.line);
        l.set(at[0], at.flag ? std::uint64_t{ladder_shared_address(mapped)} : reinterpret_cast<std::uint64_t>(mapped));
    };
}

void prepare_isspacep(Instruction& it) {
    Modifiers left(it);
    it.choice = space_of(left);
    left.done();
    want_operands(it, 2);
    want_predicate(it[0]);
    want_value(it[1], {Kind::Bits, 64, 1});
    it.run = [](Lane& l, const Instruction& at) {
        static constexpr Space spaces[] = {Space::Unknown, Space::Global, Space::Shared, Space::Local, Space::Constant, Space::Constant};
        l.set(at[0], std::uint64_t{ladder_space(reinterpret_cast<const void*>(l.bits(at[1]))) == spaces[at.choice]});
    };
}

// Hints: nothing is counted.
void prepare_hint(Instruction& it) {
    it.run = [](Lane&, const Instruction&) {};
}

void prepare_createpolicy(Instruction& it) {
    if (it.operands.empty()) throw Wrong("it needs a register for the policy");
    want_register(it[0], {Kind::Bits, 64, 1});
    it.run = [](Lane& l, const Instruction& at) { l.set(at[0], std::uint64_t{0}); };
}

}  // namespace

void add_memory(Table& table) {
    table.insert({{"ld", prepare_ld}, {"ldu", prepare_ld}, {"st", prepare_st}, {"cvta", prepare_cvta}, {"mapa", prepare_mapa}, {"isspacep", prepare_isspacep}, {"prefetch", prepare_hint},
                  {"prefetchu", prepare_hint}, {"applypriority", prepare_hint}, {"discard", prepare_hint}, {"createpolicy", prepare_createpolicy}});
}

}  // namespace ladder::ptx
