"""clang's words in CUDA's: one sentence that says what is wrong, and what to type."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from grader.devices.build import missing
from grader.devices.build.diagnostics import gone
from grader.devices.build.kernel_rules import NO_BLOCK
from grader.devices.build.names import HEADERS, NEWER, OF_STD, of_cuda
from grader.devices.build.not_emulated import NO_EXPERIMENTAL, missing_header, unknown_name
from grader.devices.build.said import Said
from grader.devices.build.slips import SLIPS

Words = Callable[[re.Match[str], Said], str]

_DEVICE_SIDES = r"(?:__global__|__device__)"
_OTHER_SIDE = re.compile(r"call to __(?:host|device)__ function from")
_HOST_FROM_DEVICE = re.compile(rf"call to __host__ function from (?:{_DEVICE_SIDES}|__host__ __device__)")
_REASON = re.compile(
    r"requires (?:at least |at most )?(\d+) arguments?, but (\d+) (?:was|were) provided"
    r"|(?:no known conversion from|cannot convert argument of incomplete type) '(.*?)' to '(.*?)' for (\d+)\w\w arg"
    r"|couldn't infer template argument '(\w+)'"
)
_INCLUDE = Path(__file__).parents[1] / "emulator" / "include"
_LIKELY = 0.7  # as much of two names must agree for one to be a slip for the other
_ON_DEVICE = ({"kernel"}, {"device"}, {"kernel", "template"}, {"device", "template"})
_OF_THE_HOST = ("vector", "string", "map", "unordered_map", "function", "cout", "cerr", "unique_ptr", "shared_ptr")
_OF_PYTHON = {
    "print": '`print` is Python\'s: call `printf("%f\\n", x)`, after #include <cstdio>',
    "cuda": "'cuda' was not declared in this scope: `cuda::` needs its header, as <cuda/atomic>; "
    "numba's `cuda.grid(1)` is `blockIdx.x * blockDim.x + threadIdx.x`",
    "math": "'math' was not declared in this scope: `math.cos(x)` is Python's, and here it is `cosf(x)`",
}
_IMPORT = "this is Python: a kernel is C++ here, with `#include <...>` for `import`"
# What a kernel may use in the place of a function of the host.
_INSTEAD = {
    "swap": "write `auto t = a; a = b; b = t;`",
    "rand": "draw the numbers before the launch, or compute them in the kernel",
    "push_back": "write to an element of an array",
    "exit": "return from the kernel, or call `__trap()`",
    "abort": "call `__trap()`",
    "cudaMemcpy": "assign element by element, and copy before or after the launch",
    "cudaDeviceSynchronize": "`__syncthreads()` waits for a block; all blocks are waited for at the end of the launch",
    "time": "call `clock64()`",
    "cout": 'call `printf("%f\\n", x)`, after #include <cstdio>',
}


def sentence(said: Said) -> str:
    """What is wrong, of an error."""
    if said.level == "broken":
        return said.text
    text = _plain(said.text)
    for pattern, words in _ERRORS:
        if (match := re.match(pattern, text)) and (found := words(match, said)):
            return found
    return text


def _plain(text: str) -> str:
    """Without our own namespace, and without what else a type is called."""
    return re.sub(r"; did you mean '(?:\w+::)*ladder_\w+'\?|\bladder::(?=\w)| \(aka '[^']*'\)", "", text)


# ---- errors ----


def _host_function(match: re.Match[str], said: Said) -> str:
    if match["name"].startswith("std::"):
        return _of_host_library(match["name"])
    name = "operator()" if "to object of type" in match[0] else match["name"]
    instead = _INSTEAD.get(name)
    declared = [(line, text) for line, text in said.notes if "declared here" in text or "candidate" in text]
    declared.sort(key=lambda note: not _OTHER_SIDE.search(note[1]))  # of several candidates, that of the host
    line = next((line for line, _ in declared if line), None)
    start = f"`{name}` is a function of the host, which a kernel cannot call"
    if line:
        return (
            f"{start}: write `__device__` before it in line {line}, or `__host__ __device__` if the host calls it, too"
        )
    return f"{start}: {instead or 'use one of CUDA, or write it with `__device__` before it'}"


def _of_host_library(name: str) -> str:
    what = _INSTEAD.get(name.removeprefix("std::"), "write an array, `float a[8]`, or a pointer")
    what = "make the kernel a template, and hand it a functor" if name.startswith("std::function") else what
    return f"`{name}` belongs to the host, and a kernel cannot use it: {what}"


def _device_function(match: re.Match[str], said: Said) -> str:
    name = match["name"]
    return f"`{name}` is a function of the GPU, which host code cannot call or point to: call it in a kernel"


def _no_matching(match: re.Match[str], said: Said) -> str:
    """The candidates say why: the wrong side, the wrong number of arguments, or a wrong one."""
    notes = [(line, text) for line, text in said.notes if "candidate" in text]
    # The C library has functions of the host under CUDA's names: where CUDA's own does not fit, that is the reason.
    fitting = [_plain(text) for line, text in notes if line or not _OTHER_SIDE.search(text)]
    if unfit := _unfit(match["name"], fitting):
        return unfit
    reasons = _plain(" ".join(text for _, text in notes))
    if _HOST_FROM_DEVICE.search(reasons):
        return _host_function(match, said)
    if "call to __global__ function from" in reasons:
        return _called_kernel(match, said)
    if "call to __device__ function from" in reasons:
        return _device_function(match, said)
    return ""


def _unfit(name: str, reasons: Sequence[str]) -> str:
    """What the candidates say of a call's arguments; "" where they disagree."""
    if name.startswith("atomic") and len(reasons) > 1:
        return f"`{name}` is not there for these types: it takes an element's address, `&x[i]`, and a value of its type"
    if name.startswith("cudaMalloc") and any("could not match 'T *'" in reason for reason in reasons):
        return f"`{name}` sets a pointer, so it takes the pointer's address: write & before it"
    if reasons and all("invalid explicitly-specified argument for template" in reason for reason in reasons):
        return f"a template argument of `{name}` is no constant of its type: write a number, or a `constexpr` one"
    if any("would lose const" in reason for reason in reasons):
        return f"`{name}` could write to what can only be read here: write `const` in its parameter, if it does not"
    said = dict.fromkeys(match.groups() for match in map(_REASON.search, reasons) if match)
    if len(said) != 1 or not all(map(_REASON.search, reasons)):
        return ""
    takes, given, one, two, number, kind = next(iter(said))
    if kind:
        return f"`{name}` is a template, and no argument tells its `{kind}`: write it out, `{name}<...>`"
    if takes and name.startswith("__shfl") and given == "2":
        return f"`{name}` takes the mask of the lanes first: `{name}(0xffffffff, value, ...)`"
    if takes:
        return f"`{name}` takes {takes} argument{'' if takes == '1' else 's'}, and is given {given}"
    mend = ": write & before it" if "take the address" in reasons[0] else ""
    return f"argument {number} of `{name}` is `{one}`, and must be `{two}`{mend}"


def _other_number(match: re.Match[str], said: Said) -> str:
    name = next((found[1] for _, text in said.notes if (found := re.match(r"'(.*)' declared here", text))), "")
    takes = "1" if "single" in match["takes"] else match["takes"]
    return (
        f"`{name}` takes {takes} argument{'' if takes == '1' else 's'}, and is given {match['given']}" if name else ""
    )


def _undeclared(match: re.Match[str], said: Said) -> str:
    name, close = match["name"], match["close"]
    if instead := gone(name) or unknown_name(name) or _OF_PYTHON.get(name):
        return instead
    return _needs_header(name) or f"'{name}' was not declared in this scope{_meant(name, close)}"


def _unknown_type(match: re.Match[str], said: Said) -> str:
    name, close = match["name"], match["close"]
    instead = _IMPORT if name in ("import", "from") else unknown_name(name)
    if name in NEWER:
        return f"`{name}` is C++20's, and a kernel file is C++17, as nvcc reads it here: do without"
    return instead or _needs_header(name) or f"'{name}' does not name a type{_meant(name, close)}"


def _needs_header(name: str) -> str:
    return f"'{name}' needs `#include <{HEADERS[name]}>` at the top" if name in HEADERS else ""


def _no_header(match: re.Match[str], said: Said) -> str:
    name = match["name"]
    if (_INCLUDE / f"{name}.h").exists():
        return f"there is no <{name}>: write `#include <{name}.h>`"
    if name.startswith("hip/"):
        return f"<{name}> is HIP's: CUDA needs no header for its kernels, and has `cuda` for `hip` in its names"
    return missing_header(name) or f"{name}: No such file or directory"


def _not_in_std(match: re.Match[str], said: Said) -> str:
    name = match["name"]
    if set(said.sides) in _ON_DEVICE and name in _OF_THE_HOST:
        return _of_host_library(f"std::{name}")
    if newer := missing.newer_of_std(name):
        return newer
    header = HEADERS.get(name) or OF_STD.get(name)
    return f"'std::{name}' needs `#include <{header}>` at the top" if header else ""


def _meant(name: str, close: str | None) -> str:
    """With CUDA's own word, or clang's guess, unless that is another word: it takes `value` for `false`."""
    if word := of_cuda(name):
        return f"; did you mean '{word}'?"
    likely = close and SequenceMatcher(None, name, close).ratio() >= _LIKELY
    return f"; did you mean '{close}'?" if likely else ""


def _called_kernel(match: re.Match[str], said: Said) -> str:
    name = match["name"]
    if set(said.sides) in _ON_DEVICE:
        line = next((line for line, _ in said.notes if line), None)
        where = f" in line {line}" if line else ""
        return f"`{name}` is a kernel: write `__device__` instead of `__global__`{where}"
    return f"`{name}` is a kernel: launch it, `{name}<<<blocks, threads, 0, stream>>>(...)`"


def _no_kernel(match: re.Match[str], said: Said) -> str:
    line = next((line for line, _ in said.notes if line), None)
    where = f" in line {line}" if line else ""
    return f"`{match['name']}` is launched, but is no kernel: write `__global__` before it{where}"


def _host_variable(match: re.Match[str], said: Said) -> str:
    name = match["name"]
    if name in _INSTEAD:
        return _of_host_library(f"std::{name}")
    line = next((line for line, _ in said.notes if line), None)
    where = f" in line {line}" if line else ""
    return (
        f"`{name}` is a variable of the host, which a kernel cannot read: hand its value to the kernel as an argument, "
        f"or write `constexpr` or `__device__` before it{where}"
    )


def _array_size(match: re.Match[str], said: Said) -> str:
    return (
        "the size of an array in a kernel must be a constant: write a constexpr number, "
        "or `extern __shared__` and the bytes as the launch's third number"
    )


def _no_constant(match: re.Match[str], said: Said) -> str:
    """CUDA's functions are not constexpr."""
    name = next((found[1] for _, text in said.notes if (found := _NOT_CONSTEXPR.match(text))), "")
    if not name:
        return ""
    mend = f": call `std::{name}`, after #include <algorithm>" if name in ("min", "max") else ""
    return f"`{name}` is no constexpr function, and so `{match['name']}` is no constant{mend}"


def _says(text: str) -> Words:
    def words(match: re.Match[str], said: Said) -> str:
        return text.format(**match.groupdict())

    return words


def _missing_sign(match: re.Match[str], said: Said) -> str:
    return f"a `{match['sign']}` is missing {match['where']}" if match["sign"] in ";)" else ""


def _operator_of_host(said: Said) -> str:
    """What to do where the operator is there, and is the host's; "" where that is not the reason."""
    line = next((line for line, text in said.notes if line and _HOST_FROM_DEVICE.search(text)), None)
    on_device = set(said.sides) in _ON_DEVICE
    return (
        f"the operator in line {line} is a function of the host, which a kernel cannot call: "
        "write `__host__ __device__` before it"
        if line and on_device
        else ""
    )


def _no_operator(match: re.Match[str], said: Said) -> str:
    if of_host := _operator_of_host(said):
        return of_host
    one, two = (match[name].replace("const ", "").rpartition(" &")[0] or match[name] for name in ("one", "two"))
    if short := next((each for each in ("bfloat16", "half") if each in one + two), ""):
        return f"`{one}` and `{two}` are not mixed: convert one, as with `__float2{short}(x)` or `__{short}2float(h)`"
    if re.match(r"void \(", one) and two in ("int", "unsigned int", "dim3"):
        return "a kernel is launched with three signs on each side: `kernel<<<blocks, threads, 0, stream>>>(...)`"
    if {one, two} & {"float", "double"} and {one, two} <= {"float", "double", "int", "unsigned int"}:
        whole = f"%, &, |, ^ and shifts are for whole numbers, not `{one}` and `{two}`"
        return f"{whole}: a remainder is `fmodf(a, b)`, a power `powf(a, b)`"
    if _VECTOR.search(one + " " + two):
        return f"CUDA has no such operator for `{one}` and `{two}`: write it for each member, .x, .y, ..."
    if pointer := next((each for each in (one, two) if re.fullmatch(r"[\w ]+ \*", each)), ""):
        return f"there is no such operator for `{one}` and `{two}`: `{pointer}` is a pointer, and its element is `p[i]`"
    return f"there is no such operator for `{one}` and `{two}`"


def _ambiguous(match: re.Match[str], said: Said) -> str:
    return gone(match[1]) or f"`{match[1]}` has no version for this mixture of types: cast the arguments to one type"


def _initial(match: re.Match[str], said: Said) -> str:
    return f"`{match['one']}` is needed here, and this is `{match['two']}`{_elements_of(match['one'], said.text)}"


def _elements_of(needed: str, text: str) -> str:
    """Where a pointer is needed, and there stands what has its elements: how to write where they begin."""
    if not needed.endswith("*"):
        return ""
    if re.search(r"\b(?:device|universal)_(?:vector|ptr|reference)<|\bthrust::", text):
        return ": write `thrust::raw_pointer_cast(v.data())`"
    return ": its elements begin at `v.data()`" if re.search(r"(?:type|from) '(?:const )?std::vector<", text) else ""


_NOT_CONSTEXPR = re.compile(r"non-constexpr (?:function|constructor) '(\w+)' cannot be used")
_VECTOR = re.compile(r"\b(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]\b|\bdim3\b")
_NAME = r"'(?P<name>[^']*)'"
_CLOSE = r"(?:; did you mean '(?P<close>[^']*)'\?)?"
_FOR_BOTH = (
    "`{name}` is a function of the GPU, and the function around it is for the host, too: "
    "write `__device__` alone before that one"
)
_NO_ASSIGNMENT = "there is no `=` for these two types: cast the right side, as to float"
_NO_EXCEPTIONS = "a kernel cannot {name}: device code has no exceptions; write the error to memory, or call `__trap()`"
_NO_RESULT = "a __global__ function returns void, not {name}: it stores its results in memory"
_NO_VALUE = "a __shared__ variable takes no initial value: let a thread assign it, and write `__syncthreads()` behind"
_NO_CONSTANT = "a variable of the GPU must start with a constant: let a kernel, or cudaMemcpyToSymbol, set it"
_CONST_CAST = "the pointer is `const`, and so must be what it is cast to: `reinterpret_cast<const {name}>`"
_NO_OVERRIDE = (
    "this `override` overrides nothing: parameters, const and `__device__` must be those of the base's function"
)
_OLD_VOTE = (
    "`{name}(bool)` is a function of CUDA's own headers, which GPUs have no more: give yours another name, "
    "or a namespace"
)
_OF_CUDA_ITSELF = "CUDA has a function `{name}` of these very parameters: call that one, or give yours another name"
_NO_BULK = (
    "`cuda::device` (bulk copies, a barrier's native handle) is not emulated: "
    "use `cuda::memcpy_async`, and the barrier by its own methods"
)
_NO_CLUSTER = "the numbers of __cluster_dims__ must be positive constants"
_HALF_A_LAUNCH = "a launch needs blocks and threads: `kernel<<<blocks, threads, 0, stream>>>(...)`"
_LONG_LAUNCH = "a launch has four parameters at most: `kernel<<<blocks, threads, shared bytes, stream>>>(...)`"
_NO_BYTES = "the launch's third number is bytes of shared memory: `kernel<<<blocks, threads, 0, stream>>>(...)`"
_ERRORS: tuple[tuple[str, Words], ...] = (
    (rf"reference to __host__ function {_NAME} in", _host_function),
    (rf"reference to __device__ function {_NAME} in __host__ function", _device_function),
    (rf"reference to __device__ function {_NAME} in __host__ __device__", _says(_FOR_BOTH)),
    (rf"reference to __global__ function {_NAME} in (?:__global__|__device__|__host__ __device__)", _called_kernel),
    (
        r"no (?:matching (?:(?:member )?function for call to|constructor for initialization of)"
        rf"|viable overloaded operator\S+ for)(?: object of type| type)? {_NAME}",
        _no_matching,
    ),
    (rf"call to global function {_NAME} not configured", _called_kernel),
    (rf"kernel call to non-global function {_NAME}", _no_kernel),
    (rf"reference to __host__ variable {_NAME} in", _host_variable),
    *((pattern, _says(text)) for pattern, text in SLIPS),
    (rf"use of undeclared identifier {_NAME}{_CLOSE}", _undeclared),
    (rf"unknown type name {_NAME}{_CLOSE}", _unknown_type),
    (rf"no (?:type|member|template) named {_NAME} in namespace 'std'", _not_in_std),
    (rf"no (?:type|member|template) named {_NAME} in namespace 'cuda::std'", missing.not_in_cuda_std),
    (r"implicit instantiation of undefined template 'std::(?P<name>\w+)<", missing.only_declared),
    (rf"no (?:type|member|template) named {_NAME} in namespace 'cooperative_groups'", missing.not_in_groups),
    (rf"no member named {_NAME} in 'cudaDeviceProp'", missing.no_property),
    (r"no viable overloaded '='", missing.no_assignment),
    (rf"redeclaration of {_NAME} with a different type: '(?P<here>.*)' vs '(?P<there>.*)'", missing.other_type),
    (r"static assertion failed(?: due to requirement '.*?')?: (?P<name>.*)", _says("static_assert fails: {name}")),
    (r"read-only variable is not assignable", _says("this is `const`, so it can only be read")),
    (rf"cannot assign to variable {_NAME} with const", _says("`{name}` is `const`, so it can only be read")),
    (r"reinterpret_cast from 'const .*' to '(?P<name>.*)' casts away", _says(_CONST_CAST)),
    (r"expression is not assignable", _says("= assigns, and this is no variable: == compares")),
    (r"cannot use '(?P<name>throw|try)' in", _says(_NO_EXCEPTIONS)),
    (r"(?:cannot use )?variable.length array", _array_size),
    (r"kernel function type '(?P<name>.*?) ?\(.*' must have void return type", _says(_NO_RESULT)),
    (r"too (?:few|many) arguments to function call, expected (?P<takes>.*?), have (?P<given>\d+)", _other_number),
    (r"initialization is not supported for __shared__ variables", _says(_NO_VALUE)),
    (r"__shared__ local variables not allowed in __host__", _says(NO_BLOCK)),
    (r"dynamic initialization is not supported for __device__", _says(_NO_CONSTANT)),
    (rf"constexpr variable {_NAME} must be initialized by a constant", _no_constant),
    (r".*member function.* marked 'override'", _says(_NO_OVERRIDE)),
    (r"explicit capture of 'this' with", _says("[=] has `this` already, and names it once in C++17: write [=] alone")),
    (
        r"using enum declaration is a",
        _says("C++17 has no `using enum`: write the whole name, `Enum::name`"),
    ),
    (r"defaulted comparison operators are", _says("C++17 compares nothing by `= default`: write the comparison out")),
    (r"ISO C\+\+ requires field designators", _says("the members' names must come in the order of the struct")),
    (r"initializer overrides prior initialization", _says("a member is given a value twice here")),
    (r"redefinition of '(?P<name>any|all|ballot)' as different kind", _says(_OLD_VOTE)),
    (rf"{_NAME} is unavailable", _says(_OLD_VOTE)),
    (rf"__\w+__ (?:__device__ )?function {_NAME} cannot overload", _says(_OF_CUDA_ITSELF)),
    (r"no member named 'device' in namespace 'cuda'", _says(_NO_BULK)),
    (r"no member named 'experimental' in namespace 'nvcuda::wmma'", _says(NO_EXPERIMENTAL)),
    (r"'annotate' attribute requires", _says(_NO_CLUSTER)),
    (r"too few execution configuration arguments", _says(_HALF_A_LAUNCH)),
    (r"too many execution configuration arguments", _says(_LONG_LAUNCH)),
    (r"cannot initialize a parameter of type 'std::size_t'.* of type 'cudaStream_t'", _says(_NO_BYTES)),
    (
        r"cannot initialize a (?:parameter|variable).* of type '(?P<one>.*?)'.*[lr]value of type '(?P<two>.*?)'",
        _initial,
    ),
    (r"no viable conversion from '(?P<two>.*?)'.* to '(?P<one>.*?)'", _initial),
    (rf"call to {_NAME} is ambiguous", _ambiguous),
    (r"overload resolution selected deleted operator '='", _says(_NO_ASSIGNMENT)),
    (r"invalid operands to binary expression \('(?P<one>.*?)'.* and '(?P<two>.*?)'", _no_operator),
    (r"use of overloaded operator .* types '(?P<one>.*?)'.* and '(?P<two>.*?)'", _no_operator),
    (r"expected '(?P<sign>.)' (?P<where>.*)", _missing_sign),
    (r"unterminated /\* comment", _says("unterminated comment: a */ is missing")),
    (r"'(?P<name>.*)' file not found", _no_header),
)
