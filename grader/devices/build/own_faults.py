"""What keeps a compiler from its work and says nothing about the kernel: this machine's fault, or the grader's."""

from __future__ import annotations

import errno
import os
import re
import subprocess

from grader.devices.build.own_namespace import as_written

SPACE = "there is no space left to build in: free some on the disk"
MEMORY = "the compiler was killed, most likely for want of memory: close other programs"
DOLLAR = "ninja cannot build in a folder with a `$` in its name: set XDG_CACHE_HOME to another one"
# What g++, nvcc, ninja and their shell print, and what to do.
SIGNS = (
    (r"No space left on device|Disk quota exceeded", SPACE),
    (r"Killed signal terminated program|\bKilled\b|died due to signal 9|^g\+\+ was ended by signal", MEMORY),
    (r"bad \$-escape|missing and no known rule to make it", DOLLAR),
    (r"File size limit exceeded", "a file grew beyond what `ulimit -f` allows: raise the limit"),
    (r"Too many open files", "more files are open than `ulimit -n` allows: raise the limit"),
    (r"Resource temporarily unavailable|Cannot fork", "no more processes may be started (`ulimit -u`): close some"),
    (r"Read-only file system", "the folder to build in can only be read: set XDG_CACHE_HOME to another one"),
    (r"cannot open shared object file", "a library of the grader's own has gone meanwhile: try it again"),
)
# What a compiler says that has used up the memory it may have, which is far more than others need.
_USED_UP = r"out of memory allocating \d+ bytes|virtual memory exhausted|std::bad_alloc"
# What the system lacks, by errno, and what to do.
LACKS = {
    errno.ENOSPC: "free some on the disk",
    errno.EDQUOT: "free some on the disk",
    errno.EROFS: "set XDG_CACHE_HOME to a folder that you can write",
    errno.EFBIG: "raise the limit, `ulimit -f`",
    errno.EMFILE: "raise the limit, `ulimit -n`",
    errno.ENFILE: "close other programs",
    errno.ENOMEM: "close other programs",
    errno.EAGAIN: "close other programs, or raise the limit of processes, `ulimit -u`",
}


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What g++ said that failed, and how it ended if it could not say that itself; "" if it did not fail."""
    if done.returncode < 0:
        return f"{done.stderr}\ng++ was ended by signal {-done.returncode}"
    return as_written(done.stderr or f"g++ ended with {done.returncode}") if done.returncode else ""


def own_fault(output: str, filename: str) -> str | None:
    """One sentence, if a build with this output failed for want of something that no kernel can give; else None.

    What stands behind the learner's file name is the learner's: an `#error` may say anything.
    """
    others = _of_others(output, filename)
    return next((sentence for sign, sentence in SIGNS if re.search(sign, others, re.MULTILINE)), None)


def used_up_memory(output: str, filename: str) -> bool:
    """Whether the compiler ended for want of memory that it may not have: the file asks for too much."""
    return bool(re.search(_USED_UP, _of_others(output, filename)))


def _of_others(output: str, filename: str) -> str:
    theirs = re.compile(rf"\s*{re.escape(filename)}[:(]")
    return "\n".join(line for line in output.splitlines() if not theirs.match(line))


def in_words(error: OSError) -> str:
    """One sentence for an error of the system that a build met."""
    if lack := lacking(error):
        return lack
    named = f" ({error.filename})" if error.filename else ""
    return f"the system says: {error.strerror or error}{named}"


def lacking(error: Exception) -> str | None:
    """What this machine has too little of, and what to do; None if the error is of another kind."""
    if isinstance(error, OSError) and error.errno in LACKS:
        return f"{os.strerror(error.errno)}: {LACKS[error.errno]}"
    no_room = isinstance(error, ImportError) and re.search("failed to map segment|annot allocate memory", str(error))
    if no_room or isinstance(error, MemoryError):
        return "there is too little memory: close other programs, or raise the limit, `ulimit -v`"
    return None
