// What the emulator's headers ask of its runtime library, and nothing else.
//
// Everything here lives in the runtime, which is compiled without instrumentation. The names start with `ladder_`
// so that they can never meet the symbols of a real libcudart in the same process.
#pragma once

#include <cstddef>

#ifdef __CUDA__   // the front end (sides.h)
#define LADDER_UNSEEN LADDER_SIDE
#define LADDER_CALL __attribute__((host, device, nothrow))
#define LADDER_SAME __attribute__((host, device, nothrow))
#define LADDER_PER_THREAD extern __attribute__((device))
#else
// Code marked LADDER_UNSEEN is not instrumented: it is the emulator's own, and no GPU would execute it.
#define LADDER_UNSEEN __attribute__((no_sanitize("thread"), no_sanitize_coverage))

// Device code's calls of the runtime throw nothing. Unsaid, each would end a basic block in the learner's code.
// SAME: and they give a CUDA thread the same answer all its life.
#define LADDER_CALL __attribute__((nothrow))
#define LADDER_SAME __attribute__((nothrow, const))

#define LADDER_PER_THREAD extern __thread __attribute__((tls_model("initial-exec")))
#endif

namespace ladder {

// One <<<grid, block, shared, stream>>>. `run` calls the kernel once, for the CUDA thread that is current.
struct Launch {
    unsigned grid[3];
    unsigned block[3];
    std::size_t shared_bytes;   // dynamic shared memory
    void* stream;
    const char* kernel;         // as written at the launch, template arguments included
    int line;
    bool cooperative;
    bool names_cluster;
    bool programmatic;         // it may begin before the kernel in front of it is over
    unsigned cluster[3];        // blocks
    void (*run)(void* arguments);
    void (*refer)(void* arguments, unsigned long which);   // parameters that are references: a bit for each
    void* arguments;            // so many bytes: copies, which a parameter's own copy constructor reads
    unsigned long argument_bytes;
};

typedef unsigned Quad __attribute__((vector_size(16)));   // 16 bytes in one register

enum class Barrier : int { Sync, Count, And, Or };

// The warp-wide operations. Each names the lanes that take part by `mask`; all of them must arrive.
enum class Warp : int {
    Sync,
    ShuffleIndex, ShuffleUp, ShuffleDown, ShuffleXor,   // value: the lane's bits, argument: index/delta/mask, width
    All, Any, Ballot,                                   // value: the predicate
    MatchAny, MatchAll,                                 // value: the bits compared; MatchAll returns 0 or the mask
    AddUnsigned, MinUnsigned, MaxUnsigned, MinSigned, MaxSigned, And, Or, Xor,   // 32-bit reductions
    MatrixProduct, LoadMatrices, StoreMatrices, MoveMatrix, LoadFragment, StoreFragment,   // value: a MatrixCall's address
};

enum class Atomic : int { Add, Sub, Exchange, Min, Max, Increment, Decrement, CompareSwap, And, Or, Xor };
enum class Type : int { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, F16, BF16, F16x2, BF16x2 };
enum class Scope : int { Block, Device, System };

// How a pointer is reached: for __isGlobal, __isShared and generic-to-shared conversions. Python (kinds.py) reads names
// and numbers from here.
enum class Space : int { Unknown, Global, Shared, Local, Constant };

// What an asynchronous copy belongs to, and so how one waits for it: of a cuda::pipeline, whether it is a thread's own. Python (kinds.py) reads names and numbers from here.
enum class Waited : unsigned char { Nothing, Primitives, Group, Barrier, Pipeline, OwnPipeline, Ptx };

// The number formats of matrices, and a product as one mma.sync has it: m16n8 and k, for doubles m8n8k4.
enum class Number : unsigned char { F16, BF16, TF32, E4M3, E5M2, S8, U8, S32, F32, F64 };
struct Product {
    Number a, b, sums;
    unsigned char k;
    bool saturated;   // sums of integers stop at the ends of their range
};
struct Words { unsigned word[8]; };   // registers of a lane

// A product of fragments is made of so many of these: above each other, side by side, and along k.
struct Tiles { unsigned char left, right, deep; };

// How a fragment of wmma lies in memory (runtime/fragments.cpp). `left`: the matrix lies left of the other in the product
// that is done, its lanes' registers follow the table of a, else of b. `along`: elements along k are neighbours.
struct FragmentShape {
    unsigned char bytes, registers;   // of an element; of a lane, without repetitions
    bool left, along, by_rows;        // by_rows: nvcc loads it from shared memory by ldmatrix
    bool sums, wide, pairs_lie_in_rows;   // of an accumulator: 16 columns; its two neighbours are neighbours in memory
};

// A CUDA error is an int here; the numbers are CUDA's own (cudaError_t).
enum Error : int { Success = 0, InvalidValue = 1, OutOfMemory = 2, InvalidConfiguration = 9, InvalidPitch = 12, InvalidSymbol = 13, InvalidDevicePointer = 17, InvalidDirection = 21, IllegalAddress = 700, Assertion = 710, MisalignedAddress = 716, AlreadyRegistered = 712, NotRegistered = 713,
                   LaunchOutOfResources = 701, CooperativeTooLarge = 720, LaunchFailure = 719, InvalidHandle = 400, InvalidClusterSize = 912,
                   NotPermitted = 800, CaptureUnsupported = 900, CaptureInvalidated = 901, CaptureUnjoined = 904, CaptureImplicit = 906, CapturedEvent = 907 };

enum class Copy : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

// The GPU that is emulated: small on purpose, so that grids sized by the number of multiprocessors stay cheap.
constexpr int multiprocessors = 16;
constexpr int compute_major = 9, compute_minor = 0;
constexpr std::size_t shared_per_block = 48 * 1024;
constexpr std::size_t shared_per_block_optin = 227 * 1024;
constexpr std::size_t shared_per_multiprocessor = 228 * 1024;
constexpr int threads_per_block = 1024;
constexpr int threads_per_multiprocessor = 2048;
constexpr int blocks_per_multiprocessor = 32;
constexpr unsigned most_cluster_blocks = 8, most_cluster_blocks_optin = 16;   // the second is not portable, says CUDA
constexpr unsigned cluster_axis = 32;   // the blocks of a cluster as one number: x + 32 y + 32 * 32 z
constexpr int registers_per_multiprocessor = 65536;
constexpr std::size_t global_memory = std::size_t{4} << 30;

// What the coordinates are like that a texture's fetches ask for, bit by bit.
struct FetchedAt {
    static constexpr unsigned Beyond = 1;    // outside of [-1, 1], or of an array that has few
    static constexpr unsigned Between = 2;   // neither a whole number nor in the middle of two
    static constexpr unsigned Low = 4, High = 8, Far = 16;   // along x: below 0.3, above 0.7, from 2 on
    static constexpr unsigned Last = 32;     // the last element of as many as linear memory has bytes
};

}  // namespace ladder

extern "C" {

// ---- launches (host code) ----
void ladder_launch(const ladder::Launch* launch);
int ladder_launch_fails(const ladder::Launch* launch);   // one that a graph would keep; files why
// Calls argument(of) for a launch's argument that is only evaluated when the kernel is called for the first time.
void ladder_evaluate(void (*argument)(void*), void* of);
// Allows `bytes` of dynamic shared memory for a kernel (cudaFuncSetAttribute); `kernel` is its address.
int ladder_allow_shared(const void* kernel, std::size_t bytes);
void ladder_allow_clusters(const void* kernel, int more);   // of more than 8 blocks
int ladder_clusters_of(const void* kernel, int axis);   // that it says itself, in blocks; axis 3: whether they may have more than 8
// Of a kernel, by address: its static shared memory in bytes, how many of dynamic a launch may have, and the threads of a block.
std::size_t ladder_static_shared(const void* kernel);
std::size_t ladder_allowed_shared(const void* kernel);
std::size_t ladder_possible_shared(const void* kernel);   // or all that there is, once host code has asked for more
int ladder_most_threads(const void* kernel);
int ladder_last_error(int clear);   // cudaGetLastError (clear = 1), cudaPeekAtLastError (clear = 0)
int ladder_fault(int at_once);      // of a kernel that died, or 0; at_once: though the host has not waited for it. It is the last error
void ladder_set_error(int error);   // a host API call failed: sets what cudaGetLastError returns

// ---- device memory (host code); `line` is the caller's ----
int ladder_malloc(void** pointer, std::size_t bytes, int line);
int ladder_free(void* pointer, int line);
int ladder_device_reset(int line);   // waits for all work, and gives all memory back
// The same as work on a stream; captured: a graph keeps that.
int ladder_malloc_async(void** pointer, std::size_t bytes, void* stream, int captured, int line);
int ladder_free_async(void* pointer, void* stream, int captured, int line);
// Memory that both sides may touch: of cudaMallocManaged, cudaMallocHost, or host memory that is registered. In a graded
// file the first is refused, and page-locked memory is host memory.
int ladder_malloc_managed(void** pointer, std::size_t bytes, int line);
int ladder_malloc_host(void** pointer, std::size_t bytes, int line);
int ladder_free_host(void* pointer, int line);
int ladder_host_register(void* pointer, std::size_t bytes, int line);
int ladder_host_unregister(void* pointer);
int ladder_memory_range(const void* pointer, void** begin, std::size_t* bytes);   // of the allocation around it; whether there is one
int ladder_memory_kind(const void* pointer);   // cudaMemoryType: 0 unknown to CUDA, 1 host, 2 device, 3 managed
int ladder_memcpy(void* to, const void* from, std::size_t bytes, ladder::Copy kind, int line);
// Of one side of a copy, where `left` bytes are up to the end of a host array: a CUDA error if those are too few.
int ladder_check_host_side(const void* p, std::size_t bytes, std::size_t left, int writes, int line);
int ladder_memset(void* to, int value, std::size_t bytes, int line);
void ladder_rows(int begin);   // one copy or memset of many rows begins, or has ended
// Host code asks for the address of a variable of the GPU, or else the copy that comes next names it; a CUDA error.
int ladder_symbol(const void* variable, int asks_for_address, int line);
int ladder_check_direction(ladder::Copy kind, int to_symbol, int line);   // of a copy to or from such a variable; a CUDA error
std::size_t ladder_memory_in_use(void);
std::size_t ladder_heap(void);   // bytes that kernels may get by malloc and new
void ladder_set_heap(std::size_t bytes);
void ladder_set_stack(std::size_t bytes);   // of a thread, on a GPU
// The stream that the grader passed to the entry point is there already; others are created and destroyed.
// blocking: it waits for the default stream's work, and that for its; urgency: from 0 to 5, minus CUDA's priority
void* ladder_stream_create(int line, int blocking, int urgency);
int ladder_stream_destroy(void* stream);
// What comes before what among streams, events and the host.
void ladder_default_stream(int line);             // of a graded file: work that is not on the given stream
int ladder_stream_work(void* stream, int line);   // an asynchronous copy; launches are known. A CUDA error: it may not be done
void ladder_host_function(int begins);   // CUDA calls a function of host code, which may not call CUDA, or that is over
int ladder_check_pitch(std::size_t width, std::size_t pitch, int line);   // of rows that are copied; a CUDA error
int ladder_check_texture_pitch(std::size_t width, std::size_t pitch, int line);
int ladder_wrong_call(int error, const char* why, int line);   // of a texture, which says why in a sentence; gives the error
int ladder_temporary(const void* memory, std::size_t bytes, std::size_t wanted);   // cub's: an error if it is too small
void ladder_reads_argument(const void* from, int number, int line);   // of a kernel, by a pointer to it: on the host
void ladder_refused_call(const char* why, int line);            // of a library, which gives an error that the program may look at
unsigned* ladder_watch_texture(int normalized, int line);       // whose fetches note what they ask for, as ladder::FetchedAt
void ladder_wrong_texel(int gives_floats, int holds_floats);    // a fetch takes whole numbers for floats, or floats for these
void ladder_host_asks(void* stream, const void* event);   // whether all is done, and hears that it is
int ladder_is_under_way(void* stream, const void* event); // the same, but it hears so only when it asks again
int ladder_asks_too_early(const void* event, int line);   // when it was: a GPU may not have come to it yet, or from now on it has
void ladder_between_events(const void* start, const void* stop, int line);   // whose time is asked for
int ladder_has_no_time(int line);   // an event that was never recorded, or that takes none: the CUDA error of asking for it
void ladder_stream_wait(void* stream, const void* event);
void ladder_graph_launch(int begins);
void ladder_event_create(const void* event, int line);
void ladder_event_destroy(const void* event);
void ladder_event_record(const void* event, void* stream);
void ladder_host_waits(void* stream);
void ladder_host_waits_for_event(const void* event);
void ladder_host_waits_for_all(void);
// A stream is captured into a graph, in one of CUDA's modes, or no longer: a CUDA error if a call in between has spoilt that.
void ladder_capture(void* stream, int mode);
int ladder_wait_for_captured_event(void);
int ladder_capture_ends(void* stream, int is_joined, int line);
int ladder_wait_while_captured(void* stream, int is_captured);   // a CUDA error: host code may not wait for this stream
double ladder_host_seconds(void);   // monotonic, for events
int ladder_multiprocessors(void);   // of the GPU that host code sees: the emulated one, or a card that is modelled
// Devices: a graded file has one. They share one memory.
int ladder_is_program(void);   // what runs is a whole program, and no graded file
int ladder_devices(void);
int ladder_current_device(int change_to);              // of this host thread; -1 only asks
int ladder_peer_access(int peer, int on);              // 0: it was so already
const char* ladder_kernel_name(const void* kernel);    // of a kernel's address

// ---- device code ----
LADDER_CALL int ladder_in_kernel(void);   // 1 while device code runs
// A kernel's copy or memset, which is done when the kernel has ended: `later` gets a copy of `work` and the stream.
void ladder_work_later(void* stream, void (*later)(void* work, void* stream), const void* work, std::size_t bytes);
LADDER_CALL int ladder_barrier(ladder::Barrier kind, int predicate, int line);   // __syncthreads and its kin
LADDER_CALL unsigned long ladder_warp(ladder::Warp op, unsigned mask, unsigned long value, int argument, int width,
                                      int line);
LADDER_CALL unsigned ladder_active_mask(int line);   // __activemask: lanes converged here
LADDER_SAME int ladder_lane(void);   // 0..31
// A barrier of the tile of `threads` (64, 128 ... 1024) that the thread lies in.
LADDER_CALL void ladder_tile_sync(unsigned threads, int line);
// Waits for the threads that are due at a cuda::barrier in shared memory, whose words are how many are expected, how many
// have arrived, and `phase`: until that is no longer `old`. The caller looks again, by an atomic that acquires.
LADDER_CALL void ladder_await_phase(const unsigned* phase, unsigned old, int line);
// Atomics return the old value's bits, zero-extended. CompareSwap: `value` is stored if the old one equals `compare`.
LADDER_CALL unsigned long ladder_atomic(ladder::Atomic op, ladder::Type type, ladder::Scope scope, void* address,
                                        unsigned long value, unsigned long compare, int line);
// The same beside a fence for its order: it acquires nothing by itself. `moves`: it is an atomic load or, of an exchange, a
// store, which a GPU does as that, and it counts as that.
LADDER_CALL unsigned long ladder_ordered_atomic(ladder::Atomic op, ladder::Type type, ladder::Scope scope, void* address,
                                                unsigned long value, unsigned long compare, bool moves);
// Of 16 bytes: an exchange, with or without a comparison.
LADDER_CALL ladder::Quad ladder_wide_atomic(ladder::Atomic op, ladder::Scope scope, void* address, ladder::Quad value, ladder::Quad compare);
// An arrival at a cuda::barrier: how many have come before. It hands on what the thread has done, and acquires nothing.
LADDER_CALL unsigned ladder_arrival(ladder::Scope scope, unsigned* arrived, unsigned count);
LADDER_CALL void ladder_await_dependency(void);   // by a programmatic launch: the kernel in front of it is over
LADDER_CALL void ladder_fence(ladder::Scope scope, int line);
// Asynchronous copies: what was stored at `to` counts as under way until its thread has waited for the group of copies in
// which it was committed; all but the `newer` last groups, that is.
// The copy's load: what lies at `from`, but for the last `zeros` of its bytes, which are not read.
LADDER_CALL ladder::Quad ladder_copy_load(const void* from, std::size_t bytes, std::size_t zeros);
// Nor may anything write to `from` before that; null: nothing is read.
LADDER_CALL void ladder_copy_issued(const void* to, const void* from, std::size_t bytes, ladder::Waited by);
LADDER_CALL void ladder_copies_committed(void);
LADDER_CALL void ladder_copies_awaited(std::size_t newer);
// In the checking build: whether elements of a fragment have another order than a GPU's.
LADDER_CALL bool ladder_elements_turned(void);
// Matrix instructions, for which all 32 lanes must come. fragments.h says which elements lie in a lane's registers.
LADDER_CALL ladder::Words ladder_matrix_product(ladder::Product product, ladder::Tiles tiles, ladder::Words left, ladder::Words right,
                                                ladder::Words sums, int line);
LADDER_CALL ladder::Words ladder_load_fragment(ladder::FragmentShape shape, const void* from, unsigned leading, int line);
LADDER_CALL void ladder_store_fragment(ladder::FragmentShape shape, void* to, unsigned leading, ladder::Words words, int line);
LADDER_CALL void ladder_grid_sync(int line);
LADDER_CALL void ladder_cluster_sync(int line);
LADDER_CALL void ladder_cluster_arrive(int line);   // the same barrier in two parts
LADDER_CALL void ladder_cluster_wait(int line);
LADDER_SAME unsigned ladder_cluster_size(int axis);   // in blocks
LADDER_SAME unsigned ladder_cluster_is_named(void);   // by the launch or its kernel
// The same element of the shared array of another block of the cluster; and which block's array an address is in.
LADDER_CALL void* ladder_map_shared(const void* pointer, unsigned rank, int line);
LADDER_CALL unsigned ladder_shared_rank(const void* pointer);
LADDER_SAME int ladder_grid_is_cooperative(void);
LADDER_SAME void* ladder_dynamic_shared(void);   // start of the block's dynamic shared memory, 1024-byte aligned
LADDER_SAME std::size_t ladder_dynamic_shared_bytes(void);
// memcpy, memmove and memset, from kernels and from host code.
LADDER_CALL void* ladder_copy_bytes(void* to, const void* from, std::size_t bytes);
LADDER_CALL void* ladder_set_bytes(void* to, int value, std::size_t bytes);
void* ladder_new(std::size_t bytes);   // new and delete, from kernels and from host code, where new may throw
LADDER_CALL void ladder_delete(void* pointer);
LADDER_CALL ladder::Space ladder_space(const void* pointer);
LADDER_CALL void ladder_yield(int line);   // __nanosleep
LADDER_CALL void ladder_rest(const unsigned* phase, int line);   // the same, until a cuda::barrier in global memory has another phase
// __trap, or an unsupported feature reached in device code.
[[noreturn]] LADDER_CALL void ladder_trap(const char* why, int line);
LADDER_CALL void ladder_margins(const volatile void* array, std::size_t bytes, std::size_t element, std::size_t width, const char* name);
LADDER_CALL void ladder_no_margins(const volatile void* array);
LADDER_CALL long long ladder_clock(void);   // a counter of events, the same on every run (clock64)
// Inline PTX (ptx.h): runs the text, whose operands' constraints and bits follow. The first output's bits; then the others'.
LADDER_CALL unsigned long ladder_ptx(int line, const char* text, const unsigned* constraints, ...);
LADDER_CALL unsigned long ladder_ptx_result(int number);
// Addresses of shared memory as PTX has them, and back.
LADDER_CALL std::size_t ladder_shared_address(const void* pointer);
LADDER_CALL void* ladder_shared_pointer(std::size_t address);
}

namespace ladder {

// A graded file is called once more on a GPU that looks otherwise (second_calls.py), and is modelled on one: as large as an H200.
inline bool is_another_gpu() { return !ladder_is_program() && ladder_multiprocessors() > multiprocessors; }
constexpr std::size_t another_memory = std::size_t{140} << 30;

}  // namespace ladder
