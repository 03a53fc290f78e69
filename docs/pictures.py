"""Whether two pictures of a notebook show the same: nbval compares text alone, notebooks/conftest.py asks here."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from PIL import Image

WIDTH = 80  # pixels that both are reduced to: letters that are drawn a little differently look alike there
STEP = 24  # of 256 levels of grey: a pixel that differs by more is another one
SHARE = 0.01  # of a picture's pixels may be others


def difference(old: bytes, new: bytes) -> str:
    """What is different about two PNGs, in a sentence; "" if they look alike."""
    before, after = (Image.open(io.BytesIO(data)).convert("L") for data in (old, new))
    if before.size != after.size:
        return f"the picture is {size_text(after)} pixels now, and was {size_text(before)}"
    small = (WIDTH, max(WIDTH * before.height // before.width, 1))
    levels = [np.asarray(each.resize(small, Image.Resampling.BOX), dtype=float) for each in (before, after)]
    share = float((np.abs(levels[0] - levels[1]) > STEP).mean())
    return f"{share:.0%} of the picture is different" if share > SHARE else ""


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
