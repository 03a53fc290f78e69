"""Memory that a thread reaches by a pointer and no GPU would let it have: constants, and other threads' variables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.shared import long_tail

PROTOTYPE = "void f(const float* x, float* z, int n, cudaStream_t stream)"
HEAD = "__constant__ float c[4];\n__device__ float* slot;\n"
LAUNCH = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) { k<<<1, 32, 0, stream>>>(x, z, n); }
"""


def errors(run_kernel, body: str, head: str = HEAD) -> list[tuple[str, str]]:
    kernel = (
        f"__global__ void k(const float* x, float* z, int n) {{\n    int i = threadIdx.x;\n{body}\n    z[i] = x[i];\n}}"
    )
    x = np.arange(32, dtype=np.float32)
    outputs, case = run_kernel(head + kernel + LAUNCH, PROTOTYPE, x=x, z=np.zeros_like(x), n=32)
    found = [(finding.kind, finding.message) for finding in case.findings if finding.severity == "error"]
    assert found or np.array_equal(outputs["z"], x)
    return found


@pytest.mark.parametrize(
    "body", ["float* p = (float*)c; if (i == 3) p[i] = 1;", "if (i == 3) atomicAdd((float*)&c[1], 1.0f);"]
)
def test_a_kernel_does_not_write_constants(run_kernel, body):
    ((kind, message),) = errors(run_kernel, body)
    assert kind == "out_of_bounds" and "thread (3, 0, 0)" in message and "which is __constant__" in message


def test_a_kernel_reads_constants(run_kernel):
    assert errors(run_kernel, "const float* p = c; if (p[i % 4] == 7) return;") == []


def test_a_local_variable_is_its_threads_own(run_kernel):
    body = """
    float mine[2] = {x[i], 1};
    if (i == 0) slot = mine;
    __syncthreads();
    if (i == 5) slot[0] = 1;
    __syncthreads();
    if (mine[0] == 77) return;
    """
    ((kind, message),) = errors(run_kernel, body)
    assert kind == "out_of_bounds" and "thread (5, 0, 0)" in message and "local variable of another thread" in message


def test_a_thread_passes_its_own_on_to_a_function(run_kernel):
    head = HEAD + "__device__ void add(float* p, int count) { for (int j = 0; j < count; ++j) p[j] += 1; }\n"
    assert errors(run_kernel, "float mine[8] = {}; add(mine, 1 + i % 8); if (mine[7] == 9) return;", head) == []


# ---- variables of the host ----

HOST_HEAD = """
#define ON_GPU __device__
static float plain[32] = {1, 2, 3};
ON_GPU float ours[4] = {1, 2}, more[4];
namespace a { __device__ int count; }
template <class T> struct Table { static __device__ T row[4]; };
template <class T> __device__ T Table<T>::row[4] = {1};
__device__ float* slot;
#define ON_BOTH __managed__
__managed__ int both = 2;
ON_BOTH __device__ int named = 2;
"""
HOST_LAUNCH = """
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    {before}
    k<<<1, 32, 0, stream>>>({x}, z, n);
    {after}
}}
"""


def host_errors(run_kernel, body: str, x: str = "x", before: str = "", after: str = "") -> list[tuple[str, str]]:
    kernel = f"__global__ void k(const float* x, float* z, int n) {{ int i = threadIdx.x; {body} z[i] = x[i]; }}"
    source = HOST_HEAD + kernel + HOST_LAUNCH.format(x=x, before=before, after=after)
    _, case = run_kernel(source, PROTOTYPE, x=np.ones(32, np.float32), z=np.zeros(32, np.float32), n=32)
    return [(finding.kind, finding.message) for finding in case.findings if finding.severity == "error"]


def test_a_variable_of_the_host_is_out_of_a_kernels_reach(run_kernel):
    ((kind, message),) = host_errors(run_kernel, "", x="plain")
    assert kind == "out_of_bounds" and "plain" in message and "a variable of the host" in message


@pytest.mark.parametrize(
    "body",
    [
        "if (ours[i % 4] + more[i % 4] + a::count + Table<float>::row[i % 4] == 77) return;",
        "static int calls; atomicAdd(&calls, 1);",
        "if (i == 0) more[1] = 3;",
    ],
)
def test_variables_of_the_gpu_are_not(run_kernel, body):
    assert host_errors(run_kernel, body) == []


def test_the_host_keeps_its_variables_to_itself(run_kernel):
    assert host_errors(run_kernel, "", before="plain[3] = 7; float v = plain[3]; plain[2] = v;") == []


def test_what_a_kernel_has_written_is_not_the_hosts(run_kernel):
    ((kind, message),) = host_errors(run_kernel, "more[i % 4] = 3;", after="ours[0] = more[1];")
    assert kind in ("host_access", "race"), message


def test_what_the_host_has_written_is_not_a_kernels(run_kernel):
    found = host_errors(run_kernel, "if (more[i % 4] == 77) return;", before="more[1] = 3;")
    assert [kind for kind, _ in found] == ["out_of_bounds"] and "a variable of the host" in found[0][1]


@pytest.mark.parametrize("name", ["both", "named"])
def test_both_have_what_is_managed(run_kernel, name):
    body = f"if (i == 0) {name} += 1;"
    after = f"cudaStreamSynchronize(stream); {name} = {name} + 1;"
    assert host_errors(run_kernel, body, before=f"{name} = 5;", after=after) == []


# ---- functions of the host ----

FUNCTIONS = """
#define FOR_BOTH __host__ __device__
struct Scale {
    float by;
    Scale() : by(1) {}
    FOR_BOTH explicit Scale(float b) : by(b) {}
    FOR_BOTH float apply(float v) const { return v * by; }
};
__device__ Scale scale_of(float v) { return Scale(v); }
template <typename T> T same(T v) { return v; }
__device__ float same(float v) { return v; }
typedef float (*Function)(float);
float of_host(float v) { return v; }
constexpr float of_both(float v) { return v; }
__device__ float of_device(float v) { return v; }
__device__ Function kept = of_device;
__global__ void k(const float* x, float* z, Function function) {
    const Scale scale = scale_of(1);
    z[threadIdx.x] = scale.apply(same(function(of_both(x[threadIdx.x]))));
}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    Function function = of_host;
    if (n > 0) cudaMemcpyFromSymbol(&function, kept, sizeof function);
    k<<<1, 32, 0, stream>>>(x, z, function);
}
"""


@pytest.mark.parametrize("linkage", ["", 'extern "C" '])
def test_a_kernel_runs_no_function_of_the_host(run_kernel, linkage):
    x = np.arange(32, dtype=np.float32)
    functions = FUNCTIONS.replace("float of_host(", f"{linkage}float of_host(")
    _, case = run_kernel(functions, PROTOTYPE, x=x, z=np.zeros_like(x), n=0)
    (found,) = [each for each in case.findings if each.severity == "error"]
    name = "of_host" if linkage else "of_host(float)"
    assert found.kind == "trap" and f"`{name}`, a function of the host" in found.message
    assert FUNCTIONS.split("\n")[(found.line or 0) - 1].startswith("    z[threadIdx.x] = ")


def test_a_kernel_runs_what_is_for_it(run_kernel):
    x = np.arange(32, dtype=np.float32)
    outputs, case = run_kernel(FUNCTIONS, PROTOTYPE, x=x, z=np.zeros_like(x), n=32)
    assert np.array_equal(outputs["z"], x) and case.findings == []


NAMESAKES = """
#define HALF(name) __global__ void name(const float* x, float* z, double by)
#define ADDING(name) __global__ void name(const float* x, float* z, long by) { z[threadIdx.x] += by; }
template <class T> __global__ void scaled(const T* x, T* z, T by) { z[threadIdx.x] = x[threadIdx.x] * by; }
__global__ void __launch_bounds__(32) shifted(const float* x, float* z, int by) { z[threadIdx.x] += by; }
HALF(halved) { z[threadIdx.x] *= by; }
ADDING(added)
void scaled(const float* x, float* z) { scaled<<<1, 32>>>(x, z, 2.0f); }
void shifted(const float* x, float* z) { shifted<<<1, 32>>>(x, z, 2); }
extern "C" void halved(const float* x, float* z) { halved<<<1, 32>>>(x, z, 0.5); }
void added(const float* x, float* z) { added<<<1, 32>>>(x, z, -1L); }
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {
    scaled(x, z), shifted(x, z), halved(x, z), added(x, z);
}
"""


def test_a_function_of_the_host_may_have_a_kernels_name(run_kernel):
    x = np.arange(32, dtype=np.float32)
    outputs, case = run_kernel(NAMESAKES, PROTOTYPE, x=x, z=np.zeros_like(x), n=32)
    assert np.array_equal(outputs["z"], x) and {each.severity for each in case.findings} <= {"note"}  # no stream


# ---- variables of the GPU in host code ----

VARIABLES = """
__device__ int scale(int count, int width) {{ return count * width; }}
__device__ float added[32];
__device__ float* where = added;
namespace inner {{ __constant__ float factors[2]; }}
__constant__ int shift;
static int count;
int width = 32;
struct Shape {{ int added, shift; }};
template <class T> void put(const T& symbol, const void* from) {{ cudaMemcpyToSymbol(symbol, from, sizeof symbol); }}
__global__ void k(const float* x, float* z, float* given) {{
    const int i = scale(threadIdx.x, 1) + shift;
    z[i] = x[i] + added[i] + 0 * inner::factors[0] + (given == nullptr ? 0 : given[i]) + (where == nullptr);
}}
extern "C" void f(const float* x, float* z, int n, cudaStream_t stream) {{
    float* given = nullptr;
    float numbers[32] = {{}};
    Shape shape = {{1, 2}};
    count += shape.added + width;
    {body}
    k<<<1, 32, 0, stream>>>(x, z, given);
}}
"""
NAMES_ALONE = {
    "if (added[3] == 1) return;": "host code reads added, a variable of the GPU",
    "where = nullptr;": "host code writes where, a variable of the GPU",
    "inner::factors[1] = 2;": "cudaMemcpyToSymbol(factors, &value, sizeof value)",
    "given = added;": "a launch is given the address that added, a variable of the GPU, has in host code",
    "given = &added[4];": "name it in the kernel itself, or ask cudaGetSymbolAddress(&pointer, added)",
    "cudaMemcpy(added, numbers, sizeof numbers, cudaMemcpyHostToDevice);": "a copy is given the address that added",
    "cudaMemcpyToSymbol(added, numbers, 128); cudaMemcpy(numbers, added, 128, cudaMemcpyDeviceToHost);": "a copy",
    "cudaMemcpyToSymbol(added, numbers, 0); cudaMemcpy(added, numbers, 128, cudaMemcpyHostToDevice);": "a copy",
    "cudaMemcpyToSymbol(shift, added, 4, 0, cudaMemcpyDeviceToDevice);": "a copy is given the address that added",
    "cudaMemsetAsync(&shift, 0, 4, stream);": "use cudaMemcpyToSymbol or cudaMemcpyFromSymbol",
}
BY_NAME = [
    "",
    "cudaMemcpyToSymbol(added, numbers, sizeof numbers);",
    "cudaMemcpyFromSymbolAsync(numbers, added, sizeof numbers, 0, cudaMemcpyDeviceToHost, stream);",
    "put(inner::factors, numbers);",
    "for (int i = 0; i < 3; ++i) cudaMemcpyToSymbol(added, numbers, 4, 4 * i);",
    "const void* symbol = &added; cudaMemcpyToSymbol(symbol, numbers, sizeof numbers);",
    "cudaGetSymbolAddress((void**)&given, added);",
    "cudaGetSymbolAddress((void**)&given, added); cudaMemsetAsync(given, 0, sizeof numbers, stream);",
    "cudaMemcpyFromSymbol(&given, where, sizeof given);",
]


def told_of_variables(run_kernel, body: str):
    x = np.arange(32, dtype=np.float32)
    outputs, case = run_kernel(VARIABLES.format(body=body), PROTOTYPE, x=x, z=np.zeros_like(x), n=32)
    return np.array_equal(outputs["z"], x), [(found.kind, found.message) for found in case.findings]


@pytest.mark.parametrize("body", long_tail(list(NAMES_ALONE), every=6))
def test_host_code_knows_a_variable_of_the_gpu_by_its_name_alone(run_kernel, body):
    _, found = told_of_variables(run_kernel, body)
    assert found[0][0] == "host_access" and NAMES_ALONE[body] in found[0][1]


@pytest.mark.parametrize("body", long_tail(list(BY_NAME), every=6))
def test_host_code_uses_a_variable_of_the_gpu_by_its_name(run_kernel, body):
    assert told_of_variables(run_kernel, body) == (True, [])
