"""Whether two pictures of a notebook show the same: nbval compares text alone, notebooks/conftest.py asks here."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
from PIL import Image

WIDTH = 80  # pixels that both are reduced to: letters that are drawn a little differently look alike there
STEP = 24  # of 256 levels of grey: a pixel that differs by more is another one
SIZE = 0.02  # of its width or height may be more or less: a picture is cut around its letters
MOVED = 3  # pixels by which one may be moved against the other, for the same reason
SHARE = 0.01  # of a picture's pixels may be others


def difference(old: bytes, new: bytes) -> str:
    """What is different about two PNGs, in a sentence; "" if they look alike."""
    before, after = (Image.open(io.BytesIO(data)).convert("L") for data in (old, new))
    if any(abs(new - old) > SIZE * old for old, new in zip(before.size, after.size, strict=True)):
        return f"the picture is {size_text(after)} pixels now, and was {size_text(before)}"
    old_levels = _levels(before, (0, 0), before.size)
    share = min(
        float((np.abs(old_levels - _levels(after, (right, down), before.size)) > STEP).mean())
        for right, down in product(range(-MOVED, MOVED + 1), repeat=2)
    )
    return f"{share:.0%} of the picture is different" if share > SHARE else ""


def _levels(picture: Image.Image, moved: tuple[int, int], size: tuple[int, int]) -> np.ndarray:
    """Levels of grey of a picture that is moved by so many pixels, in a frame of `size`, much smaller."""
    frame = Image.new("L", size, picture.getpixel((0, 0)))
    frame.paste(picture, moved)
    small = (WIDTH, max(WIDTH * size[1] // size[0], 1))
    return np.asarray(frame.resize(small, Image.Resampling.BOX), dtype=float)


def size_text(picture: Image.Image) -> str:
    """`750 × 190`"""
    return f"{picture.width} × {picture.height}"


def differences(old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is different about the pictures of a cell: its outputs as committed, and as they are now."""
    before, after = (_pictures(outputs) for outputs in (old, new))
    if len(before) != len(after):
        return [f"there are {len(after)} pictures now, and were {len(before)}"]
    return [said for pair in zip(before, after, strict=True) if (said := difference(*pair))]


def _pictures(outputs: Iterable[Mapping[str, Any]]) -> list[bytes]:
    found = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [base64.b64decode("".join(each)) for each in found]
