"""Notices that a file was saved, however its editor does that: in place, by a new file's name, in several steps."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SETTLED_SECONDS = 0.03  # without a change, for a file to be written to its end
MISSING_SECONDS = 0.4  # likewise for one that is empty or gone: most editors are not done then
LOOK_SECONDS = 0.015  # between two looks, while there is something to wait for
# File systems whose files may change on another machine, or outside this virtual one, which no event tells of.
REMOTE = {"9p", "afs", "ceph", "cifs", "drvfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "vboxsf", "virtiofs"}

Signature = tuple[int, int, int] | None  # when it was written, its size, which file it is; None: not there


@dataclass
class Saves:
    """Answers whether there is a save to look at. `taken` is the state that was answered for last."""

    file: Path
    taken: Signature | str = "nothing yet"
    seen: Signature | str = "nothing yet"
    since: float = 0.0

    def ready(self, now: float) -> bool:
        """Whether the file has changed, or gone, and come to rest. `now` is a clock's seconds."""
        found = signature(self.file)
        if found != self.seen:
            self.seen, self.since = found, now
        rest = SETTLED_SECONDS if found and found[1] else MISSING_SECONDS
        if not self.pending or now - self.since < rest:
            return False
        self.taken = found
        return True

    @property
    def pending(self) -> bool:
        """Whether something has changed that `ready` has not told of yet."""
        return self.seen != self.taken

    @property
    def missing(self) -> bool:
        """Whether there was no file, when `ready` told last."""
        return self.taken is None


def signature(file: Path) -> Signature:
    """What changes when the file is saved; None while there is none."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


class Changes(threading.Thread):
    """Calls `tell` soon after a file's name or content changes in its folder, until `stop`.

    It may call without need. A folder that is not there yet, or is made anew, is waited for.
    """

    def __init__(self, file: Path, tell: Callable[[], None]):
        super().__init__(daemon=True)
        self.file = file
        self.tell = tell
        self.polling = True if needs_polling(file.parent) else None  # None: as $WATCHFILES_FORCE_POLLING says
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                self._follow()
            except (OSError, RuntimeError):  # no folder; or no more events to be had on this machine
                self.polling = self.polling or (self.file.parent.is_dir() or None)
            self.tell()
            self.stopped.wait(0.2)

    def _follow(self) -> None:
        """Until the folder is another one."""
        from watchfiles import watch

        target = self.file.resolve()  # of a symbolic link, whose own folder keeps still
        names, folders = {self.file.name, target.name}, {self.file.parent, target.parent}
        before = folder_number(self.file.parent)
        for _ in watch(
            *folders,
            watch_filter=lambda _, path: Path(path).name in names,
            debounce=200,
            step=10,
            stop_event=self.stopped,
            rust_timeout=1000,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=self.polling,
            poll_delay_ms=100,
            recursive=False,
        ):
            self.tell()
            if folder_number(self.file.parent) != before:
                return

    def stop(self) -> None:
        """Ends it, a second later at most."""
        self.stopped.set()


def folder_number(folder: Path) -> int:
    """Raises OSError if it is not there."""
    return folder.stat().st_ino


def needs_polling(folder: Path, mounts: str | None = None) -> bool:
    """Whether the folder's file system sends no events, as /mnt of WSL. `mounts` is the text of mountinfo(5)."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(errors="replace")
        except OSError:
            return False
    real, kinds = os.path.realpath(folder), {}
    for line in mounts.splitlines():
        mount, _, rest = line.partition(" - ")
        kinds[Path(mount.split()[4].replace("\\040", " "))] = rest.split()[0]  # the last one mounted there counts
    above = [place for place in (Path(real), *Path(real).parents) if place in kinds]
    kind = kinds[above[0]] if above else ""
    return kind in REMOTE or kind.startswith("fuse.")
