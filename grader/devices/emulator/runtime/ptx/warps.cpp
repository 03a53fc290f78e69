// What the lanes of a warp do together: shfl, vote, match, redux, elect, activemask, bar.warp.sync.
#include "opcodes.h"

namespace ladder::ptx {

namespace {

void want_mask(Operand& operand) { want_value(operand, {Kind::Bits, 32, 1}); }

Type needed_word(Modifiers& left) {
    const Type type = left.needed_type();
    if (type.width() != 32) throw Wrong("it is for 32 bits");
    return type;
}

// d or d|p
void want_pair(Instruction& it, Type type) {
    if (it[0].form != Operand::Form::Pair) return want_register(it[0], type);
    want_register(it[0].parts[0], type);
    want_predicate(it[0].parts[1]);
}
void set_pair(Lane& l, const Instruction& at, std::uint64_t value, bool predicate) {
    if (at[0].form != Operand::Form::Pair) return l.set(at[0], value);
    l.set(at[0].parts[0], value);
    l.set(at[0].parts[1], std::uint64_t{predicate});
}

// The source lane, and whether there is one, as the PTX ISA has it; then the existing shuffle fetches the value.
void run_shuffle(Lane& l, const Instruction& at) {
    const std::uint32_t by = l.get<std::uint32_t>(at[2]) & 31, c = l.get<std::uint32_t>(at[3]), mask = l.get<std::uint32_t>(at[4]);
    const int lane = l.thread.lane, segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
    const int last = (lane & segment) | (clamp & ~segment), first = lane & segment, distance = static_cast<int>(by);
    int source = 0;
    bool there = false;
    switch (at.choice) {
        case 0: source = lane - distance, there = source >= last; break;
        case 1: source = lane + distance, there = source <= last; break;
        case 2: source = lane ^ distance, there = source <= last; break;
        default: source = first | (distance & ~segment), there = source <= last;
    }
    set_pair(l, at, l.warp(at, Warp::ShuffleIndex, mask, l.get<std::uint32_t>(at[1]), there ? source : lane), there);
}

void prepare_shuffle(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take_one({"up", "down", "bfly", "idx"});
    it.type = needed_word(left);
    left.done();
    if (it.choice < 0) throw Wrong("it needs .up, .down, .bfly or .idx");
    want_operands(it, 5);
    want_pair(it, it.type);
    for (const std::size_t i : {1, 2, 3, 4}) want_mask(it[i]);
    it.run = run_shuffle;
}

void prepare_vote(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take_one({"all", "any", "uni", "ballot"});
    it.type = left.needed_type();
    left.done();
    if (it.choice < 0) throw Wrong("it needs .all, .any, .uni or .ballot");
    want_operands(it, 3);
    if (it.choice == 3) want_register(it[0], {Kind::Bits, 32, 1});
    else want_predicate(it[0]);
    want_predicate(it[1]);
    want_mask(it[2]);
    it.run = [](Lane& l, const Instruction& at) {
        static constexpr Warp votes[] = {Warp::All, Warp::Any, Warp::MatchAll, Warp::Ballot};
        const std::uint64_t found = l.warp(at, votes[at.choice], l.get<std::uint32_t>(at[2]), l.predicate(at[1]));
        l.set(at[0], at.choice == 3 ? found : std::uint64_t{found != 0});
    };
}

template <bool all> void prepare_match(Instruction& it) {
    Modifiers left(it);
    left.take("sync");
    it.type = left.needed_type();
    left.done();
    want_operands(it, 3);
    want_pair(it, {Kind::Bits, 32, 1});
    want_value(it[1], it.type);
    want_mask(it[2]);
    it.run = [](Lane& l, const Instruction& at) {
        const std::uint64_t found = l.warp(at, all ? Warp::MatchAll : Warp::MatchAny, l.get<std::uint32_t>(at[2]), l.bits(at[1]));
        set_pair(l, at, found, found != 0);
    };
}

void prepare_redux(Instruction& it) {
    Modifiers left(it);
    it.choice = left.take_one({"add", "min", "max", "and", "or", "xor"});
    it.type = needed_word(left);
    left.done();
    if (it.choice < 0 || !it.type.whole()) throw Wrong("it reduces whole numbers: .add, .min, .max, .and, .or or .xor");
    want_operands(it, 3);
    want_register(it[0], it.type);
    want_value(it[1], it.type);
    want_mask(it[2]);
    it.run = [](Lane& l, const Instruction& at) {
        const bool is_signed = at.type.kind == Kind::Signed;
        const Warp operations[] = {Warp::AddUnsigned, is_signed ? Warp::MinSigned : Warp::MinUnsigned, is_signed ? Warp::MaxSigned : Warp::MaxUnsigned,
                                   Warp::And, Warp::Or, Warp::Xor};
        l.set(at[0], l.warp(at, operations[at.choice], l.get<std::uint32_t>(at[2]), l.get<std::uint32_t>(at[1])));
    };
}

// The lowest lane of those that are there.
void prepare_elect(Instruction& it) {
    want_operands(it, 2);
    if (it[0].form != Operand::Form::Pair) throw Wrong("it gives a lane and a predicate, as d|p");
    want_pair(it, {Kind::Bits, 32, 1});
    want_mask(it[1]);
    it.run = [](Lane& l, const Instruction& at) {
        const auto lanes = static_cast<std::uint32_t>(l.warp(at, Warp::Ballot, l.get<std::uint32_t>(at[1]), 1));
        const int leader = lanes ? __builtin_ctz(lanes) : 0;
        set_pair(l, at, static_cast<std::uint64_t>(leader), l.thread.lane == leader);
    };
}

void prepare_activemask(Instruction& it) {
    Modifiers left(it);
    it.type = needed_word(left);
    left.done();
    want_operands(it, 1);
    want_register(it[0], it.type);
    it.run = [](Lane& l, const Instruction& at) {
        l.thread.request = {l.thread.warp, active_mask_op, 0, 0, 0, 0, l.line, l.place(at), 0};
        wait(l.thread, State::AtWarp);
        l.set(at[0], l.thread.request.result);
    };
}

void prepare_sync(Instruction& it) {
    want_operands(it, 1);
    want_mask(it[0]);
    it.run = [](Lane& l, const Instruction& at) { l.warp(at, Warp::Sync, l.get<std::uint32_t>(at[0]), 0); };
}

}  // namespace

void add_warps(Table& table) {
    table.insert({{"shfl.sync", prepare_shuffle}, {"vote.sync", prepare_vote}, {"match.any.sync", prepare_match<false>}, {"match.all.sync", prepare_match<true>},
                  {"redux.sync", prepare_redux}, {"elect.sync", prepare_elect}, {"activemask", prepare_activemask},
                  {"bar.warp.sync", prepare_sync}});
}

}  // namespace ladder::ptx
