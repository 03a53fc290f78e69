// Launches. `k<<<grid, block>>>(x, n)` arrives as `ladder::launch("k", line, lambda calling k, config(grid,
// block))(x, n)`.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "streams.h"
#include "vector_types.h"

namespace ladder {

// __launch_bounds__(threads, blocks a multiprocessor, ...): the first is a limit. For the second nvcc saves registers;
// without it, or with 0, for one block.
template <class... Hopes> constexpr std::size_t most_threads(std::size_t threads, Hopes...) { return threads; }
template <class... More> constexpr std::size_t least_blocks(std::size_t, std::size_t blocks = 1, More...) { return blocks ? blocks : 1; }
// __cluster_dims__(x, y, z), as one number.
constexpr std::size_t cluster_size(unsigned x = 1, unsigned y = 1, unsigned z = 1) { return x + cluster_axis * (y + cluster_axis * z); }

struct Config {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    bool names_cluster = false, programmatic = false;
    unsigned cluster[3] = {};   // blocks
};

// nvcc takes a launch that names the blocks alone.
[[gnu::noinline]] inline LADDER_UNSEEN Config config(dim3 grid, dim3 block = 1, std::size_t shared = 0, cudaStream_t stream = nullptr) {
    return {grid, block, shared, stream};
}

// A launch, whatever its kernel is. What is made anew for each launch makes a build slower: it is as little as can be, and
// what is the same for all stays a function of its own.
struct Started {
    const char* kernel;
    int line;
    Config config;
    bool cooperative;
    void (*run)(void* call);
    void (*refer)(void* call, unsigned long which);
    void* (*copied)(const void* call);   // null where no graph keeps it
    void* call;
    std::size_t bytes;
};
[[gnu::noinline]] inline LADDER_UNSEEN void start(const Started& its);

// A launch on a stream that is captured into a graph, which then has the arguments' values.
inline LADDER_UNSEEN void keep_launch(const Started& its) {
    const auto later = [](void* self, cudaStream_t on) LADDER_UNSEEN {
        Started& kept = *static_cast<Started*>(self);
        kept.config.stream = on;
        start(kept);
    };
    Started* const kept = new Started(its);
    kept->call = its.copied(its.call);
    keep_work(its.config.stream, later, kept);
}

[[gnu::noinline]] inline LADDER_UNSEEN void start(const Started& its) {
    const Config& c = its.config;
    const Launch launch = {
        .grid = {c.grid.x, c.grid.y, c.grid.z},
        .block = {c.block.x, c.block.y, c.block.z},
        .shared_bytes = c.shared,
        .stream = c.stream,
        .kernel = its.kernel,
        .line = its.line,
        .cooperative = its.cooperative,
        .names_cluster = c.names_cluster,
        .programmatic = c.programmatic,
        .cluster = {c.cluster[0], c.cluster[1], c.cluster[2]},
        .run = its.run,
        .refer = its.refer,
        .arguments = its.call,
        .argument_bytes = its.bytes,
    };
    if (!in_a_capture(c.stream)) return ladder_launch(&launch);
    if (!ladder_launch_fails(&launch)) keep_launch(its);
}

// What copies a call: nothing in a graded file, which has no graphs (libraries/ladder_program.h).
template <class Call, class = void> struct Copies { static constexpr void* (*copied)(const void* call) = nullptr; };

// A call whose kernel may have parameters that are references: a bit for each, as the runtime tells.
struct Referring {
    unsigned long referred;
};
inline LADDER_UNSEEN void refer(void* self, unsigned long which) { static_cast<Referring*>(self)->referred = which; }
inline LADDER_UNSEEN void refer_to_none(void*, unsigned long) {}

// `call` runs the kernel for one CUDA thread, and lives until the launch is over.
template <class Call>
LADDER_UNSEEN void start(const char* kernel, int line, const Config& c, bool cooperative, Call& call) {
    const auto refers = std::is_base_of_v<Referring, Call> ? refer : refer_to_none;
    const auto run = [](void* self) LADDER_UNSEEN { (*static_cast<Call*>(self))(); };
    start({kernel, line, c, cooperative, run, refers, Copies<Call>::copied, &call, sizeof call});
}

// `{a, b}` as an argument: what the kernel's parameter makes of it. It is evaluated once, as all arguments are.
template <class Make> struct Braced {
    Make make;
    bool made = false;
    alignas(64) char value[4096] = {};   // the most that all parameters may have

    template <class T> LADDER_UNSEEN const T& as() {
        static_assert(sizeof(T) <= sizeof value, "a kernel's parameters have at most 4096 bytes");
        const auto evaluate = [](void* self) LADDER_UNSEEN {
            auto& braced = *static_cast<Braced*>(self);
            new (braced.value) T(braced.make.template operator()<T>());
        };
        if (!made) ladder_evaluate(evaluate, this);
        made = true;
        return *reinterpret_cast<const T*>(value);
    }
};
template <class Make> LADDER_UNSEEN Braced<Make> braced(Make make) { return {make}; }

template <class Make> struct BracedCopy {
    Braced<Make>* from;
    template <class T> LADDER_UNSEEN operator T() const { return from->template as<T>(); }
};

// A literal 0 or NULL as an argument is a null pointer, too, and no variable would be.
struct Zero {
    LADDER_UNSEEN constexpr operator int() const { return 0; }
    template <class T> LADDER_UNSEEN constexpr operator T*() const { return nullptr; }
};

// What a launch keeps of an argument.
template <class A> struct Kept { using type = A; };
template <class Make> struct Kept<Braced<Make>> { using type = BracedCopy<Make>; };
template <class A> using kept = typename Kept<std::decay_t<A>>::type;
template <class A> LADDER_UNSEEN kept<A> keep(A&& argument) {
    if constexpr (std::is_same_v<kept<A>, std::decay_t<A>>) return std::forward<A>(argument);
    else return {&argument};
}

// Objects with copy constructors or destructors of their own, as one that owns memory and stands for its address. A launch
// copies what the kernel's parameter makes of them, and never them: their bytes are enough to make that from.
template <class A>
constexpr bool is_lent = std::is_class_v<std::decay_t<A>> && std::is_same_v<kept<A>, std::decay_t<A>> &&
                         !(std::is_trivially_copyable_v<std::decay_t<A>> && std::is_copy_constructible_v<std::decay_t<A>>);

// An argument: the launch's copy of it, or, for a parameter that is a reference, the very object.
template <std::size_t, class A, bool = is_lent<A>> struct Argument {
    kept<A> copy;
    kept<A>* original = nullptr;

    LADDER_UNSEEN explicit Argument(A&& argument) : copy(keep(std::forward<A>(argument))) {
        if constexpr (std::is_same_v<kept<A>, std::remove_cv_t<std::remove_reference_t<A>>>)
            original = const_cast<kept<A>*>(__builtin_addressof(argument));
    }
    LADDER_UNSEEN kept<A>& value(bool referred) { return referred && original ? *original : copy; }
};

template <std::size_t number, class A> struct Argument<number, A, true> {
    using Object = std::remove_reference_t<A>;
    alignas(Object) char bytes[sizeof(Object)];
    Object* original;

    LADDER_UNSEEN explicit Argument(A&& argument) : original(__builtin_addressof(argument)) {
        __builtin_memcpy(bytes, static_cast<const void*>(original), sizeof bytes);
    }
    LADDER_UNSEEN Object& value(bool referred) { return referred ? *original : *reinterpret_cast<Object*>(bytes); }
};

template <class Kernel, class Numbers, class... A> struct Call;
template <class Kernel, std::size_t... I, class... A>
struct Call<Kernel, std::index_sequence<I...>, A...> : Referring, Argument<I, A>... {
    Kernel kernel;
    LADDER_UNSEEN explicit Call(const Kernel& kernel, A&&... arguments)
        : Referring{0}, Argument<I, A>(std::forward<A>(arguments))..., kernel(kernel) {}
    LADDER_UNSEEN void operator()() { kernel(Argument<I, A>::value(referred >> I & 1)...); }
};

template <class Kernel> struct Launcher {
    const char* name;
    int line;
    Kernel kernel;
    Config config;

    // The arguments are copied here, once, as a launch copies them; each CUDA thread gets copies of the copies.
    template <class... A> LADDER_UNSEEN void operator()(A&&... arguments) const {
        Call<Kernel, std::index_sequence_for<A...>, A...> call(kernel, std::forward<A>(arguments)...);
        start(name, line, config, false, call);
    }

    template <class Accepts> LADDER_UNSEEN auto taking(Accepts) const {
        return [*this]<class... A>(A&&... arguments) LADDER_UNSEEN {
            if constexpr (std::is_invocable_v<Accepts, number<A>...>) (*this)(keep_number(std::forward<A>(arguments))...);
            else (*this)(std::forward<A>(arguments)...);
        };
    }

private:
    // A zero is a number, unless the kernel takes it as a pointer only.
    template <class A> using number = std::conditional_t<std::is_same_v<kept<A>, Zero>, int, kept<A>>;
    template <class A> static LADDER_UNSEEN decltype(auto) keep_number(A&& argument) {
        if constexpr (std::is_same_v<kept<A>, Zero>) return 0;
        else return std::forward<A>(argument);
    }
};

template <class Kernel>
LADDER_UNSEEN Launcher<Kernel> launch(const char* name, int line, Kernel kernel, Config config) {
    return {name, line, kernel, config};
}

// ---- launches by a host function, which returns the launch's own error ----

template <class Call>
LADDER_UNSEEN cudaError_t start_checked(const char* kernel, int line, const Config& c, bool cooperative, Call& call) {
    if (const cudaError_t fault = status()) return fault;
    const int before = ladder_last_error(1);
    start(kernel, line, c, cooperative, call);
    const int error = ladder_last_error(0);
    if (!error) ladder_set_error(before);
    return static_cast<cudaError_t>(error);
}

// A call of the kernel with copies of these arguments.
template <class... P> LADDER_UNSEEN auto bound(void (*kernel)(P...), std::remove_cv_t<P>... copies) {
    return [=]() LADDER_UNSEEN { kernel(copies...); };
}

// The first of some arguments, as written but for a `&` before it: up to the first comma that no brackets hold.
template <std::size_t N> struct FirstOf {
    char text[N] = {};
    LADDER_UNSEEN constexpr FirstOf(const char (&arguments)[N]) {
        std::size_t from = 0;
        while (arguments[from] == '&' || arguments[from] == ' ') ++from;
        int open = 0;
        for (std::size_t i = from; arguments[i] && (open || arguments[i] != ','); ++i) {
            const char c = text[i - from] = arguments[i];
            if (c == '<' || c == '(' || c == '[') ++open;
            else if (open && (c == '>' || c == ')' || c == ']')) --open;   // not that of table->kernel
        }
    }
};
#define LADDER_FIRST_OF(arguments) [] { static constexpr ::ladder::FirstOf first(arguments); return first.text; }()

template <class P> LADDER_UNSEEN std::remove_cv_t<P>& argument(void** arguments, std::size_t number, int line) {
    ladder_reads_argument(arguments[number], static_cast<int>(number), line);
    return *static_cast<std::remove_cv_t<P>*>(arguments[number]);
}

// The parameters' types come from the kernel's pointer, so translation takes away the cast to void*.
template <class... P>
LADDER_UNSEEN cudaError_t launch_configured(const char* name, int line, bool cooperative, void (*kernel)(P...),
                                            const Config& c, void** arguments) {
    return [=]<std::size_t... I>(std::index_sequence<I...>) LADDER_UNSEEN {
        auto call = bound(kernel, argument<P>(arguments, I, line)...);
        return start_checked(name, line, c, cooperative, call);
    }(std::index_sequence_for<P...>{});
}
template <class... P>
LADDER_UNSEEN cudaError_t launch_pointers(const char* name, int line, bool cooperative, void (*kernel)(P...), dim3 grid,
                                          dim3 block, void** arguments, std::size_t shared = 0,
                                          cudaStream_t stream = nullptr) {
    return launch_configured(name, line, cooperative, kernel, config(grid, block, shared, stream), arguments);
}

}  // namespace ladder

// Macros, because only they know the kernel's name. To them a kernel written as k<1, 2> is two arguments.
#define cudaLaunchKernel(...) ::ladder::launch_pointers(LADDER_FIRST_OF(#__VA_ARGS__), __builtin_LINE(), false, __VA_ARGS__)
#define cudaLaunchCooperativeKernel(...) \
    ::ladder::launch_pointers(LADDER_FIRST_OF(#__VA_ARGS__), __builtin_LINE(), true, __VA_ARGS__)

// ---- cudaLaunchKernelEx ----

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};

// Caches are not emulated: what should stay in them is taken, and changes nothing.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
    void* base_ptr;
    std::size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};

union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    struct { unsigned x, y, z; } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
    unsigned sharedMemCarveout;
};

struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

namespace ladder {

inline LADDER_UNSEEN Config config(const cudaLaunchConfig_t& c) {
    Config its = config(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream);
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        if (c.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization) its.programmatic = c.attrs[i].val.programmaticStreamSerializationAllowed != 0;
        const auto& [x, y, z] = c.attrs[i].val.clusterDim;
        if (c.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        its.names_cluster = true;
        its.cluster[0] = x, its.cluster[1] = y, its.cluster[2] = z;
    }
    return its;
}

inline LADDER_UNSEEN bool is_cooperative(const cudaLaunchConfig_t& c) {
    bool found = false;
    for (unsigned i = 0; i < c.numAttrs; ++i)
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) found = c.attrs[i].val.cooperative != 0;
    return found;
}

template <class P> LADDER_UNSEEN std::remove_cv_t<P> as_parameter(std::remove_cv_t<P> argument) { return argument; }

template <class... P, class... A>
LADDER_UNSEEN cudaError_t launch_extended(const char* name, int line, const cudaLaunchConfig_t* c, void (*kernel)(P...),
                                          A&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "the kernel takes another number of arguments");
    auto call = [kernel, ... copies = as_parameter<P>(std::forward<A>(arguments))]()
                    LADDER_UNSEEN { kernel(copies...); };
    return start_checked(name, line, config(*c), is_cooperative(*c), call);
}

template <class... P>
LADDER_UNSEEN cudaError_t launch_pointers(const char* name, int line, const cudaLaunchConfig_t* c, void (*kernel)(P...),
                                          void** arguments) {
    return launch_configured(name, line, is_cooperative(*c), kernel, config(*c), arguments);
}

}  // namespace ladder

#define cudaLaunchKernelEx(config, ...) \
    ::ladder::launch_extended(LADDER_FIRST_OF(#__VA_ARGS__), __builtin_LINE(), config, __VA_ARGS__)
#define cudaLaunchKernelExC(config, ...) \
    ::ladder::launch_pointers(LADDER_FIRST_OF(#__VA_ARGS__), __builtin_LINE(), config, __VA_ARGS__)

// ---- clusters ----

// Both take the shared memory and the threads of a block alone.
template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, F* kernel, const cudaLaunchConfig_t* c) {
    const ladder::Config its = ladder::config(*c);
    const unsigned blocks = its.names_cluster ? its.cluster[0] * its.cluster[1] * its.cluster[2] : 1;
    const int threads = static_cast<int>(c->blockDim.x * c->blockDim.y * c->blockDim.z);
    *clusters = ladder_multiprocessors() * ladder::blocks_that_fit(ladder::address(kernel), threads, c->dynamicSmemBytes) / static_cast<int>(blocks);
    return ladder::status();
}
template <class F>
LADDER_UNSEEN cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, F*, const cudaLaunchConfig_t*) {
    *blocks = ladder::most_cluster_blocks;
    return ladder::status();
}
