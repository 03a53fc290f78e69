"""What a launch may hang on that no case can vary: files, the environment, the machine that it runs on."""

from __future__ import annotations

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


def asked_outside(source: str) -> str:
    """The first such function or class that the file uses; "" if it uses none."""
    code = [*lex(source).code]
    for at, token in enumerate(code):
        before = code[at - 1].text if at else ""
        after = code[at + 1].text if at + 1 < len(code) else ""
        is_used = (after == "(" or token.text in _OBJECTS) and before not in (".", "->")
        if token.kind == "word" and token.text in _NAMES and is_used:
            return token.text
    return ""
