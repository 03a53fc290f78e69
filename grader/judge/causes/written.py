"""What of a buffer a launch wrote, and a rule for what an index reaches of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
MOST_REACHED = 1 << 22  # elements, of a launch


@dataclass(frozen=True, eq=False)
class Written:
    """What of a buffer a case wrote, a bool for each element; `names` are those of its sizes."""

    written: Tensor
    grid: Sequence[int]
    block: Sequence[int]
    names: Sequence[str]
    launches: int = 1  # grid and block are the first one's

    @property
    def is_whole(self) -> bool:
        return bool(self.written.all())


@dataclass(frozen=True)
class Index:
    """A rule for what is reached, and what is said of it in a case."""

    name: str
    reaches: Callable[[Written], Tensor | None]
    said: Callable[[Written], str]
