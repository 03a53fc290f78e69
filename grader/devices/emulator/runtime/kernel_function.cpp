// Which function a launch runs. Its text says `tile`, and so may two namespaces, overloads and all instantiations of a
// template; each has launch bounds and shared memory of its own. So the launch is begun, for no thread, and given up at the
// first callback from the kernel.
#include <setjmp.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "machine.h"

namespace ladder {

namespace {

struct Search {
    jmp_buf back;
    const Symbol* found;
};
__thread Search* search = nullptr;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where the template arguments begin that end before `end`; `end` itself, if none do.
std::size_t arguments_before(const std::string& name, std::size_t end) {
    int open = 0;
    while (end > 0 && (open > 0 || name[end - 1] == '>')) {
        --end;
        open += (name[end] == '>') - (name[end] == '<');
    }
    return end;
}

// The word that ends before `end`, or before the template arguments that do.
std::string word_before(const std::string& name, std::size_t end) {
    end = arguments_before(name, end);
    std::size_t begin = end;
    while (begin > 0 && is_word(name[begin - 1])) --begin;
    return name.substr(begin, end - begin);
}

// The launch's own, from include/ladder/launch.h.
bool is_ours(const std::string& name) { return name.starts_with("ladder::"); }

// "Pair<int>::Pair(Pair<int> const&)", "Maybe<int>::Maybe<float>(float)", "Number::operator float() const": they copy the arguments, before the kernel begins.
bool copies_arguments(const std::string& name) {
    if (name.find("::operator") != std::string::npos) return true;
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::", at + 2)) {
        const std::string owner = word_before(name, at);
        const std::size_t behind = at + 2 + owner.size();
        if (owner.empty() || name.compare(at + 2, owner.size(), owner) != 0 || behind >= name.size()) continue;
        // A template's instance is told with what it returns, and a constructor returns nothing.
        if (name[behind] == '(' || (name[behind] == '<' && !name.starts_with("void "))) return true;
    }
    return false;
}

// Where the parameters begin in a function's demangled name; its end, if it has none.
std::size_t parameters_of(const std::string& function) {
    int depth = 0;
    for (std::size_t at = function.rfind(')'); at != std::string::npos && at > 0; --at) {
        depth += (function[at] == ')') - (function[at] == '(');
        if (depth == 0) return at;
    }
    return function.size();
}

std::string word_of(const std::string& function) { return word_before(function, parameters_of(function)); }

// Whether a launch has a pointer to this function, by what stands there: a name with `::` is a function's.
bool is_pointer(const std::string& written, const std::string& function) {
    const std::string word = word_before(written, written.size()), its = word_of(function);
    if (its.empty() || word == its || written.find("::") != std::string::npos) return false;
    const auto& symbols = machine().module.symbols;
    return word.empty() || std::none_of(symbols.begin(), symbols.end(), [&](const Symbol& each) { return each.kind == SymbolKind::Function && word_of(each.name) == word; });
}

}  // namespace

const char* name_of(const Launch& launch, const Symbol* function) {
    static std::map<std::pair<std::string, std::string>, std::string> known;
    if (!function) return launch.kernel;
    const auto [place, fresh] = known.try_emplace({launch.kernel, function->name}, launch.kernel);
    if (!fresh || !is_pointer(launch.kernel, function->name)) return place->second.c_str();
    const std::string whole = function->name, word = word_of(whole);
    const std::size_t end = parameters_of(whole), begin = arguments_before(whole, end);
    const std::string arguments = whole.substr(begin, end - begin);
    place->second = word + (arguments.find('(') == std::string::npos ? arguments : "");   // that has functions among them
    return place->second.c_str();
}

std::uint64_t references_of(const std::string& function) {
    const std::size_t end = function.rfind(')');
    if (end == std::string::npos) return 0;
    std::uint64_t found = 0;
    int depth = 0;
    for (std::size_t at = end; at-- > 0;) {
        const char c = function[at];
        if (c == '(' && depth == 0) return found;
        if (c == ',' && depth == 0) found <<= 1;
        depth += (c == ')' || c == '>' || c == ']' || c == '}') - (c == '(' || c == '<' || c == '[' || c == '{');
        if (c == '&' && depth == 0 && (at + 1 == end || function[at + 1] == ',')) found |= 1;
    }
    return 0;
}

const Symbol* function_of(const Launch& launch) {
    Search mine{};
    search = &mine;
    if (setjmp(mine.back) == 0) launch.run(launch.arguments);
    search = nullptr;
    return mine.found;
}

bool reached(Address code) {
    if (!search) return false;
    const Symbol* const function = machine().module.function_around(code);
    if (!function || is_ours(function->name) || copies_arguments(function->name)) return true;
    search->found = function;
    longjmp(search->back, 1);
}

void stop_searching() { search = nullptr; }

}  // namespace ladder

using namespace ladder;

extern "C" void ladder_evaluate(void (*argument)(void*), void* of) {
    Search* const suspended = search;
    search = nullptr;
    argument(of);
    search = suspended;
}
