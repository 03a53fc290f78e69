"""What a few blocks have left in outputs of real size, of which they touch a few pages: some elements, at random."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Mapping

import numpy as np

from grader.course.prototype import Parameter
from grader.devices.emulator.entry import View

MOST_PAGES, MOST_ELEMENTS = 256, 48  # that are looked at; of an output that are told
Written = dict[str, list[tuple[int, str]]]  # by output: the number of an element, and its bytes in hexadecimal


def written(outputs: Mapping[str, tuple[Parameter, View]]) -> Written:
    """Elements that are no longer zero, as all are before; if there is none, some of the pages that were touched. A
    kernel cannot know which are looked at.
    """
    dice = np.random.default_rng(int.from_bytes(os.urandom(8), "little"))
    return {name: _of_one(parameter.type.bytes, view, dice) for name, (parameter, view) in outputs.items()}


def _of_one(size: int, view: View, dice: np.random.Generator) -> list[tuple[int, str]]:
    pages = _touched_pages(view)
    if len(pages) > MOST_PAGES:
        pages = np.sort(dice.choice(pages, MOST_PAGES, replace=False))
    found, zeros = [], []
    for page in pages.tolist():
        start = page * mmap.PAGESIZE
        count = min(mmap.PAGESIZE, view.bytes - start) // size
        held = np.frombuffer(ctypes.string_at(view.address + start, count * size), np.uint8).reshape(count, size)
        found += [(start // size + int(at), held[at].tobytes().hex()) for at in np.flatnonzero(held.any(axis=1))]
        zeros.append((start // size + int(dice.integers(count)), bytes(size).hex()))
    found = found or zeros
    if len(found) > MOST_ELEMENTS:
        found = [found[at] for at in sorted(dice.choice(len(found), MOST_ELEMENTS, replace=False).tolist())]
    return found


def _touched_pages(view: View) -> np.ndarray:
    """The numbers of those that take memory; none where the system does not say. A buffer begins a page."""
    count = -(-view.bytes // mmap.PAGESIZE)
    held = np.zeros(count, np.uint8)
    libc = ctypes.CDLL(None, use_errno=True)
    refused = libc.mincore(
        ctypes.c_void_p(view.address), ctypes.c_size_t(count * mmap.PAGESIZE), held.ctypes.data_as(ctypes.c_void_p)
    )
    return np.flatnonzero(held & 1) if not refused else np.empty(0, np.int64)
