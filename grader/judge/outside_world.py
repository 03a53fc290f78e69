"""What a launch may hang on that no case can vary: files, the environment, the machine, and what its compiler has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.devices.build.lexer import Token, Tokens, lex

_WORLD = """
fopen fopen64 freopen open open64 openat openat64 creat ifstream ofstream fstream filesystem opendir readdir scandir
glob stat stat64 lstat fstatat statfs access faccessat readlink realpath getcwd popen
getenv secure_getenv environ __environ _environ
getpid getppid gettid getuid geteuid getgid uname gethostname sysconf get_nprocs sched_getcpu sched_getaffinity
hardware_concurrency getrusage getrlimit getpriority getrandom getentropy
"""
_NAMES = frozenset(_WORLD.split())
_OBJECTS = frozenset({"ifstream", "ofstream", "fstream", "filesystem", "environ", "__environ", "_environ"})
_SIDES = ("__device__", "__global__")
_ENDS = (";", "{", "}")

_CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"})
_HAS = re.compile(r"__has_\w+")  # also behind a #define
_RESERVED = re.compile("_[A-Z_].*")  # for compilers and their headers: [lex.name]
# In a condition each of these comes to the same here and with nvcc, or names a compiler or a system that neither is.
_AGREED = re.compile(
    r"__CUDA_ARCH_\w*|__CUDACC\w*|__CUDA__|__CUDA_NO_\w+|__NVCC__|__CUDA_RUNTIME(?:_API)?_H__|__CUDART_API_VERSION"
    r"|__(?:DRIVER|VECTOR|TEXTURE|SURFACE|LIBRARY)_TYPES_H__|__VECTOR_FUNCTIONS_H__|__DEVICE_LAUNCH_PARAMETERS_H__"
    r"|__cplusplus|__cpp_(?!lib_)\w+|__STDC\w*|_OPENMP|_GNU_SOURCE|_?_?DEBUG(?:__)?|_USE_MATH_DEFINES"
    r"|__GNUC__|__GNUG__|__GNUC_PREREQ|__clang\w*|__linux(?:__)?|__unix(?:__)?|__APPLE__|__MACH__|_WIN\d\d|_MSC_\w+|__MINGW\w+|__CYGWIN__"
    r"|__x86_64(?:__)?|__aarch64__|__arm\w*|__i386\w*|__ICC|__INTEL\w+|__PGI\w*|__NVCOMPILER\w*|__HIP\w*|__SYCL\w*"
    r"|__SIZEOF_\w+|__BYTE_ORDER__|__ORDER_\w+|__CHAR_BIT__|__\w+_MAX__|__CLION_IDE__|__JETBRAINS_IDE__"
)
# Macros that one of the two has and the other has not: of CUDA's headers, and of the C library's that they include
# (tests/judge/test_macros_of_compilers.py asks both compilers).
_IN_ONE_ALONE = re.compile(
    r"cuda(?:Array[A-Z]\w+|CpuDeviceId|InvalidDeviceId|InitDevice\w+|Event(?:Record|Wait)External"
    r"|Device(?:BlockingSync|Lmem|MapHost|Mask|Schedule|Sync)\w*|External(?:Memory|Semaphore)\w+|GraphKernelNode\w+"
    r"|Host(?:Alloc|Register)[A-Z]\w+|IpcMem\w+|KernelNodeAttr\w+|MemAttach\w+|MemPoolCreate\w+|NvSciSync\w+"
    r"|PeerAccess\w+|Stream(?:Attr|FireAnd|Graph|Tail)\w+|(?:Surface|Texture)Type\w+|Launch(?:Cooperative)?Kernel\w*)"
    r"|CUDART_?(?:API|DEVICE|CB)\w*|CUDA_IPC_\w+|CUDA_DOUBLE_MATH_FUNCTIONS|CU_UUID_\w+|BUFSIZ|EOF|FILENAME_MAX|FOPEN_MAX"
    r"|TMP_MAX|SEEK_\w+|RENAME_\w+|P_tmpdir|L_tmpnam|std(?:in|out|err)|assert(?:_perror)?|(?:is|to)[a-z]+_l|(?:is|to)ascii"
    r"|FE_[A-Z_]+|L_c\w+|typeof|__GNUC_VA_LIST|_to(?:low|upp)er"
    r"|_(?:STDIO|ASSERT|CTYPE|BITS_STDIO_LIM)_H|_ASSERT_H_DECLS|_IO[A-Z_]+|_ISbit|_VA_LIST_DEFINED"
    r"|_GLIBCXX_\w+|_?_?\w+_defined|__(?:SM_\d+_\w+|DEVICE_(?:ATOMIC_|DOUBLE_)?FUNCTIONS|DEVICE_TYPES|MATH_FUNCTIONS"
    r"|COMMON_FUNCTIONS|CHANNEL_DESCRIPTOR|CUDA_DEVICE_RUNTIME_API|DRIVER_FUNCTIONS|HOST_CONFIG|HOST_DEFINES"
    r"|(?:SURFACE|TEXTURE)_INDIRECT_FUNCTIONS"
    r"|VECTOR_FUNCTIONS)(?:_H|_HPP)__|__(?:cuda|nv_|NV_|CUDART_API_PT)\w+|__(?:device|cudart|tile)_builtin\w*"
    r"|__CUDACC_(?:VER|EXTENDED_LAMBDA)__|__STDCPP_MATH_SPEC_FUNCS__|__CUDA_(?:MATH_CRTIMP|AND_AT_LEAST\w+|HAS_ARCH\w+)"
)
_OF_THE_BUILD = frozenset(
    (
        "__VERSION__",
        "__GNUC_MINOR__",
        "__GNUC_PATCHLEVEL__",
        "__DATE__",
        "__TIME__",
        "__TIMESTAMP__",
        "__BASE_FILE__",
        "__INCLUDE_LEVEL__",
        "__OPTIMIZE__",
    )
)


# The file's own name has another length elsewhere. To print it, or to hand it to a function that does, is no question.
_MEASURES = re.compile(
    r"\b(?:sizeof \(?|(?:strlen|length|size) \() ?__FILE__\b|\b__FILE__ \[|[=(!&|<>*?:] \* ?__FILE__\b"
)


def asked_outside(source: str) -> str:
    """The first such function, class or macro that a file uses; "" if none. A kernel's own `access(x, i)` is another
    function. A macro counts in a condition, if it is the compiler's or its headers' and not known to be the same
    everywhere, and so does `__has_include`. One that the file defines besides does not, unless CUDA's headers do, too.
    """
    tokens = lex(source)
    return _asked_of_the_compiler(tokens) or _asked_of_the_machine(tokens.code)


def _asked_of_the_compiler(tokens: Tokens) -> str:
    own = {each.tokens[2].text for each in tokens.directives if each.name == "define" and len(each.tokens) > 2}
    for directive in tokens.directives:
        asked = directive.tokens[2:] if directive.name in _CONDITIONS else ()
        for word in (token.text for token in asked if token.kind == "word"):
            is_known = word in own or _AGREED.fullmatch(word)
            if _IN_ONE_ALONE.fullmatch(word) or (_RESERVED.fullmatch(word) and not is_known):
                return word
    every = [*tokens.code, *(token for directive in tokens.directives for token in directive.tokens)]
    if told := next((each.text for each in every if each.text in _OF_THE_BUILD or _HAS.fullmatch(each.text)), ""):
        return told
    return "__FILE__" if _MEASURES.search(" ".join(each.text for each in every)) else ""


def _asked_of_the_machine(code: Sequence[Token]) -> str:
    own = _own_functions([token.text for token in code])
    for at, token in enumerate(code):
        before = code[at - 1].text if at else ""
        after = code[at + 1].text if at + 1 < len(code) else ""
        is_used = (after == "(" or token.text in _OBJECTS) and before not in (".", "->")
        if token.kind == "word" and token.text in _NAMES - own and is_used:
            return token.text
    return ""


def _own_functions(code: Sequence[str]) -> set[str]:
    """The functions of kernels that the file defines by one of these names."""
    found = set()
    for at, text in enumerate(code):
        if text in _NAMES and code[at + 1 : at + 2] == ["("]:
            begin = next((i for i in range(at, -1, -1) if code[i] in _ENDS), -1) + 1
            if any(side in code[begin:at] for side in _SIDES):
                found.add(text)
    return found
