"""What nvcc compiles and the emulator does not know: one form of sentence, and so one status, `not_emulated`."""

from __future__ import annotations

import functools
import re
from pathlib import Path

NOT_EMULATED = "not_emulated"
_SAYS = re.compile(r"\b(?:is|are) not emulated\b")
# Behind these stands the file's own text, which may say anything.
_QUOTES = re.compile(r"static_assert fails|static assertion failed|#|assert")

# Of programs and graded files: families of CUDA's names that stand nowhere in our headers, and what to type.
_ON_A_GPU = "check this on a GPU"
_TENSOR_MAP = "copy with `cuda::memcpy_async`, or " + _ON_A_GPU
_FAMILIES = (
    (r"CUtensorMap\w*|cuTensorMap\w+|CU_TENSOR_MAP_\w+|PFN_cuTensorMap\w+", _TENSOR_MAP),
    (r"cuda(?:Graph|Library|Kernel|Graphics|GL|Egl|EGL|VDPAU|Ipc|Jit|Logs?|UserObject|Mipmapped|ResView)", _ON_A_GPU),
    (r"cuda(?:Import|Signal|Wait)?External|cuda(?:Get)?DriverEntryPoint|cudaGetKernel", _ON_A_GPU),
    (r"cudaLaunchAttribute(?:Mem|Preferred|Launch|Device|Nvlink|Programmatic)|cudaMem\w+(?:Fabric|Batch)", _ON_A_GPU),
    (r"__nv_fp[46]x?\d?_|__nv_cvt_\w*fp[46]|__isCtaShared$|__isClusterShared$|__isGridConstant$", _ON_A_GPU),
    (r"(?:tex|surf)Cubemap\w*$|tex[123]D(?:Layered)?Grad$|tex[123]DLayeredLod$", _ON_A_GPU),
)  # fmt: skip
_PROGRAMS = Path(__file__).parents[1] / "emulator" / "libraries" / "ladder_more"
_OF_TEXTURES = re.compile(
    r"(tex|surf)[123]D\w*|cuda\w*(Texture|Surface)\w*|cuda(Resource|Channel|MemcpyTo|MemcpyFrom)\w*|cuda\w*Array(_t)?$"
)
_HEADERS = re.compile(
    r"(?:cub|thrust|nv|crt|nvtx3|cooperative_groups/details|cuda/experimental)/"
    r"|cu(?:rand|blas|fft|sparse|solver|dnn|pti)\w*\.h|nv(?:rtc|ml|jpeg|JitLink|PTXCompiler|vm|perf\w*|_decode)\.h"
    r"|cuda(?:EGL|GL|VDPAU|Profiler)?(?:Typedefs)?\.h|cudaProfiler\.h|cuda_(?:egl|gl|vdpau)_interop\.h"
    r"|cuda_(?:awbarrier(?:_helpers)?|fp[46]|occupancy|profiler_api|stdint)\.h|(?:surface|texture)_types\.h"
    r"|(?:driver|surface_indirect|texture_indirect)_functions\.h|fatbinary_section\.h|cudart_platform\.h"
    r"|cuda/(?:bit|discard_memory|mdspan|memory_resource|numeric|ptx|stream_ref|type_traits|warp|work_stealing)$"
    r"|cuda/std/(?:bitset|ccomplex|concepts|ctime|inplace_vector|linalg|memory|ranges|source_location)$"
)  # fmt: skip
_INSTEAD = (
    (r"cooperative_groups/details/", "include <cooperative_groups.h>"),
    (r"crt/", "include <cuda_runtime.h>"),
    (r"cuda_awbarrier", "include <cuda/barrier>"),
)


def is_not_emulated(message: str) -> bool:
    """Whether this sentence of ours says so, and not a text that the file itself has."""
    return bool(_SAYS.search(message)) and not _QUOTES.match(message)


def unknown_name(name: str, graded: bool = True) -> str:
    """What to say of a name that no header of ours has, though CUDA does; "" of any other one."""
    if graded and _OF_TEXTURES.match(name):
        return f"`{name}`, of CUDA's textures and arrays, is not emulated in a graded file: read the array itself"
    if graded and name.startswith("cudaGraph"):
        return f"`{name}`, of CUDA's graphs, is not emulated in a graded file: launch on the given stream"
    if instead := next((instead for family, instead in _FAMILIES if re.match(family, name)), ""):
        return f"`{name}` is not emulated: {instead}"
    if graded and name in _of_programs():
        return f"`{name}` is not emulated in a graded file: `ladder run` has it in whole programs, or {_ON_A_GPU}"
    return ""


@functools.cache
def _of_programs() -> frozenset[str]:
    """The names of CUDA's that the headers for whole programs have."""
    headers = _PROGRAMS.glob("*.h")
    return frozenset(name for header in headers for name in re.findall(r"\bcuda[A-Z]\w+", header.read_text()))


def of_whole_program(said: str) -> str:
    """The same sentence of a program, which has more of CUDA than a graded file."""
    name = re.match(r"`(\w+)`(?:, of CUDA's .*)? is not emulated in a graded file", said)
    return unknown_name(name[1], graded=False) or f"`{name[1]}` is not emulated: {_ON_A_GPU}" if name else said


def missing_header(name: str) -> str:
    """What to say of a header of CUDA's own that is not here; "" of any other one."""
    if not _HEADERS.match(name):
        return ""
    instead = next((instead for family, instead in _INSTEAD if re.match(family, name)), _ON_A_GPU)
    return f"<{name}>, a header of CUDA's own, is not emulated: {instead}"


def of_program(text: str) -> str:
    """A message of g++'s about a whole program, in these words where it misses what is not here."""
    if missing := re.fullmatch(r"(\S+): No such file or directory", text):
        return missing_header(missing[1]) or text
    unknown = re.match(r"'(?:\w+::)*(\w+)' (?:was not declared|does not name a type|has not been declared)", text)
    if unknown and (said := unknown_name(unknown[1], graded=False)):
        return said
    return NO_EXPERIMENTAL if text.startswith("'experimental' is not a member of 'nvcuda::wmma'") else text


NO_EXPERIMENTAL = (
    "`nvcuda::wmma::experimental` (numbers of 4 bits and of one) is not emulated: "
    "use bytes, `signed char`, or " + _ON_A_GPU
)
