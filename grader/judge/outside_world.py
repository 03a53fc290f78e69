"""What a launch may hang on that no case can vary: files, the environment, the machine that it runs on."""

from __future__ import annotations

from collections.abc import Sequence

from grader.devices.build.lexer import lex

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


def asked_outside(source: str) -> str:
    """The first such function or class that the file uses; "" if none. A kernel's own `access(x, i)` is another one."""
    code = [*lex(source).code]
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
