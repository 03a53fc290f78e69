// Of the checking build alone: what emulator/margins.py makes of a local array whose address is lent.
#pragma once

#ifndef __CUDA__
#include <type_traits>

#include "abi.h"

namespace ladder {

// Enough for a walk one too far and for a vector over the end, and for a row too many of a larger array: a multiple of any
// alignment that an access needs, so that what is declared with `alignas` lies where it should. Not more, for stacks are small.
constexpr unsigned long margin_of(unsigned long bytes) {
    constexpr unsigned long least = 64, most = 512;
    return bytes < least ? least : bytes > most ? most : (bytes + least - 1) / least * least;
}

template <class Variable> using Same = Variable;
template <class Given> using Value = std::decay_t<Given>;

// A variable between bytes that none has.
template <class Variable> struct alignas(16) WithMargins {
    unsigned char before[margin_of(sizeof(Variable))];
    Variable at;
    unsigned char behind[margin_of(sizeof(Variable))];
};

template <class Part> LADDER_INLINE constexpr void set_to(Part& to, const Part& of) {
    if constexpr (std::is_array_v<Part>) for (unsigned long i = 0; i < std::extent_v<Part>; ++i) set_to(to[i], of[i]);
    else to = of;
}

// The copy that a structured binding names the parts of.
template <class Variable> LADDER_INLINE constexpr WithMargins<std::remove_cv_t<std::remove_reference_t<Variable>>> bound(Variable&& of) {
    return {.at = static_cast<Variable&&>(of)};
}
template <class Element, unsigned long count> LADDER_INLINE constexpr WithMargins<std::remove_cv_t<Element>[count]> bound(Element (&of)[count]) {
    WithMargins<std::remove_cv_t<Element>[count]> copy;
    set_to<std::remove_cv_t<Element>[count]>(copy.at, of);
    return copy;
}

template <class Variable> constexpr unsigned long bytes_of_value(typename Variable::value_type*) { return sizeof(typename Variable::value_type); }
template <class> constexpr unsigned long bytes_of_value(...) { return 0; }

// What an array is indexed by, 0 of what is none.
template <class Variable> constexpr unsigned long bytes_of_element() {
    if constexpr (std::is_array_v<Variable>) return sizeof(std::remove_extent_t<Variable>);
    else return bytes_of_value<Variable>(nullptr);
}

// While it lives, the runtime refuses accesses to these bytes. A constant's value may be worked out with it: so it has no
// destructor, but a cleanup.
class Margins {
public:
    template <class Variable> LADDER_UNSEEN constexpr Margins(const WithMargins<Variable>& variable, const char* name)
        : variable_(&variable.at) {
        if (!__builtin_is_constant_evaluated())
            ladder_margins(&variable.at, sizeof(Variable), bytes_of_element<Variable>(), margin_of(sizeof(Variable)), name);
    }
    Margins(const Margins&) = delete;
    LADDER_UNSEEN constexpr void end() const {
        if (!__builtin_is_constant_evaluated()) ladder_no_margins(variable_);
    }

private:
    const volatile void* variable_;
};

// The same of what the head of a `for`, `if` or `switch` declares: one declaration has to do, a structured binding.
class MarginsOfHead {
public:
    template <class Variable> LADDER_UNSEEN MarginsOfHead(const Variable& variable, const char* name) : variable_(&variable) {
        ladder_margins(&variable, sizeof(Variable), bytes_of_element<Variable>(), margin_of(sizeof(Variable)), name);
    }
    MarginsOfHead(const MarginsOfHead&) = delete;
    LADDER_UNSEEN ~MarginsOfHead() { ladder_no_margins(variable_); }

private:
    const volatile void* variable_;
};

template <class Variable> struct alignas(16) InHead {
    unsigned char before[margin_of(sizeof(Variable))];
    Variable at;
    unsigned char behind[margin_of(sizeof(Variable))];
    const char* name;
    MarginsOfHead told{at, name};
};

}  // namespace ladder

LADDER_UNSEEN constexpr void ladder_end_margins(const ladder::Margins* margins) { margins->end(); }

#endif
