// atom and red. They are performed where CUDA's own atomics are (runtime/atomics.cpp).
#include "opcodes.h"

namespace ladder::ptx {

namespace {

constexpr Atomic operations[] = {Atomic::Add, Atomic::Min, Atomic::Max, Atomic::Increment, Atomic::Decrement, Atomic::And, Atomic::Or, Atomic::Xor, Atomic::Exchange, Atomic::CompareSwap};
// Of .relaxed, .acquire, .release, .acq_rel.
bool releases(int order) { return order >= 2; }
Acquires acquires(int order) { return order == 0 || order == 2 ? Acquires::AtFence : Acquires::Now; }   // if none is named: as atomicAdd

ladder::Type type_of(Type type) {
    if (type.kind == Kind::Float && type.bits == 16) return type.elements == 2 ? ladder::Type::F16x2 : ladder::Type::F16;
    if (type.kind == Kind::Brain) return type.elements == 2 ? ladder::Type::BF16x2 : ladder::Type::BF16;
    if (type.kind == Kind::Float) return type.bits == 64 ? ladder::Type::F64 : ladder::Type::F32;
    if (type.width() == 16) return ladder::Type::U16;
    const bool is_signed = type.kind == Kind::Signed;
    if (type.width() == 32) return is_signed ? ladder::Type::I32 : ladder::Type::U32;
    if (type.width() == 64) return is_signed ? ladder::Type::I64 : ladder::Type::U64;
    throw Wrong("there is no atomic operation of this width");
}

std::uint64_t perform(Lane& l, const Instruction& at, Address address, const Operand& value, std::uint64_t compare, std::uint64_t wanted) {
    return do_atomic(&l.thread, operations[at.choice], type_of(at.type), static_cast<Scope>(at.extra), reinterpret_cast<void*>(address), at.type.bytes(),
                     at.choice == 9 ? wanted : l.bits(value), compare, l.place(at), acquires(at.rounding));
}

// rounding: the order; from.elements: how many values; extra: the scope; flag: the address is shared memory's.
template <bool gives> void prepare_atomic(Instruction& it) {
    Modifiers left(it);
    it.rounding = left.take_one({"relaxed", "acquire", "release", "acq_rel"});
    const int scope = left.take_one({"cta", "cluster", "gpu", "sys"});
    it.extra = static_cast<std::uint64_t>(scope == 0 ? Scope::Block : scope == 3 ? Scope::System : Scope::Device);
    it.flag = left.take_one({"shared::cta", "shared::cluster", "shared"}) >= 0;
    if (!it.flag) left.take("global");
    it.choice = left.take_one({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
    left.take("noftz");
    const bool hinted = left.take("L2::cache_hint");
    const int vector = left.take_one({"v2", "v4"});
    it.from.elements = vector < 0 ? 1 : vector == 0 ? 2 : 4;
    it.type = left.needed_type();
    left.done();
    if (it.choice < 0) throw Wrong("it needs an operation, as .add");
    type_of(it.type);
    if (gives && vector >= 0) throw Wrong("it takes one value: red takes vectors");
    const std::size_t first = gives ? 1 : 0, count = first + (it.choice == 9 ? 3 : 2);
    want_operands(it, count, hinted ? count + 1 : count);
    if (gives) want_register(it[0], it.type);
    want_address(it[first]);
    want_vector(it[first + 1], it.from.elements, it.type);
    if (it.choice == 9) want_value(it[first + 2], it.type);
    it.run = [](Lane& l, const Instruction& at) {
        const std::size_t address = gives ? 1 : 0;
        const Address a = at.flag ? l.shared(at[address]) : l.generic(at[address]);
        if (releases(at.rounding)) fence(l.thread, static_cast<Scope>(at.extra));
        for (unsigned i = 0; i < at.from.elements; ++i) {
            const Operand& value = at.from.elements == 1 ? at[address + 1] : at[address + 1].parts[i];
            const bool swaps = at.choice == 9;   // atom.cas d, [a], compare, value
            const std::uint64_t found = perform(l, at, a + i * at.type.bytes(), value, swaps ? l.bits(value) : 0, swaps ? l.bits(at[address + 2]) : 0);
            if (gives) l.set(at[0], found);
        }
    };
}

}  // namespace

void add_atomics(Table& table) { table.insert({{"atom", prepare_atomic<true>}, {"red", prepare_atomic<false>}}); }

}  // namespace ladder::ptx
