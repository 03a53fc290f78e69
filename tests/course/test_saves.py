"""When a file counts as saved, by a clock that the test sets, and where no event tells of it."""

import os
import threading
from pathlib import Path

import pytest

from grader.course.saves import MISSING_SECONDS, SETTLED_SECONDS, Changes, Saves, needs_polling

SOON, LATER = SETTLED_SECONDS / 2, SETTLED_SECONDS * 1.5
MOUNTS = r"""
22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /mnt/c rw - 9p C: rw
31 30 0:31 / /mnt/c/linux rw - ext4 /dev/sdb1 rw
32 22 0:32 / /mnt/far\040away rw - fuse.sshfs me@there rw
33 22 0:33 / /mnt/over rw - nfs4 there:/ rw
34 22 0:34 / /mnt/over rw - tmpfs tmpfs rw
""".lstrip()


def test_a_save_is_told_once_and_when_it_has_come_to_rest(tmp_path):
    file, saves = tmp_path / "a.cu", Saves(tmp_path / "a.cu")
    file.write_text("half")
    assert not saves.ready(0.0) and saves.pending
    file.write_text("half of it, and now all")
    assert not saves.ready(LATER)  # it has changed since
    assert not saves.ready(LATER + SOON)
    assert saves.ready(LATER + LATER) and not saves.missing
    assert not saves.ready(99.0) and not saves.pending
    os.utime(file, ns=(1, 1))  # saved as it is
    assert not saves.ready(100.0) and saves.ready(100.0 + LATER)


@pytest.mark.parametrize("emptied", [True, False])
def test_a_file_that_is_empty_or_gone_may_still_be_written(tmp_path, emptied):
    file, saves = tmp_path / "a.cu", Saves(tmp_path / "a.cu")
    if emptied:
        file.touch()
    assert not saves.ready(0.0) and not saves.ready(LATER)
    assert saves.ready(MISSING_SECONDS + SOON) and saves.missing is not emptied


@pytest.mark.parametrize(
    ("folder", "polls"),
    [
        ("/home/me", False),
        ("/mnt/c/Users/me", True),
        ("/mnt/c/linux/me", False),
        ("/mnt/far away/me", True),
        ("/mnt/over/me", False),  # the last that was mounted there
    ],
)
def test_file_systems_without_events_are_looked_at(folder, polls):
    assert needs_polling(Path(folder), MOUNTS) is polls


def test_a_folder_that_is_made_later_is_followed(tmp_path):
    told, folder = threading.Event(), tmp_path / "work"
    changes = Changes(folder / "a.cu", told.set)
    changes.start()
    try:
        folder.mkdir()
        for text in ("first", "second"):
            told.clear()
            (folder / "a.cu").write_text(text)
            assert told.wait(60)
    finally:
        changes.stop()
        changes.join(60)
    assert not changes.is_alive()
