"""One grading at a time on a card: two would share its clock and its memory, and no time would be true."""

from __future__ import annotations

import fcntl
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from grader.course.catalog import UsageError
from grader.devices.cache import cache_root
from grader.devices.cuda.card import Card
from grader.devices.worker.job import Cancel, Cancelled

_LOOK_AGAIN = 0.005  # seconds
WAITING = "waiting for the GPU, which another grading uses"


class Turn:
    """A grading's turn on a card, among those of all processes that share this user's cache.

    Several threads of the grading may ask for it: it comes once, when no other grading has the card. `turn_on` ends it.
    """

    def __init__(self, card: Card, on_wait: Callable[[str], None], cancel: Cancel | None = None):
        """Raises UsageError where its file cannot be written."""
        self._on_wait, self._cancel = on_wait, cancel
        self._lock, self._given_up, self._taken = threading.Lock(), threading.Event(), False
        folder = cache_root() / "cards"
        try:
            folder.mkdir(exist_ok=True)
            self._file = (folder / f"{card.uuid}.turn").open("w")
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written ({error.strerror}): free some space, or mend its rights"
            ) from None

    def take_if_free(self) -> bool:
        """Takes the turn if no other grading has the card; whether this grading has it now."""
        with self._lock, suppress(BlockingIOError):
            if not self._taken:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._taken = True
        return self._taken

    def take(self) -> bool:
        """Waits until the card is this grading's. False if `give_up` was called before. Raises Cancelled."""
        if self.take_if_free():
            return True
        self._on_wait(WAITING)
        while not self.take_if_free():
            if self._given_up.wait(_LOOK_AGAIN):
                return False
            if self._cancel and select.select([self._cancel.fd], [], [], 0)[0]:
                raise Cancelled
        return True

    def give_up(self) -> None:
        """Lets the threads that wait in `take` return: the grading is over, and will not use the card."""
        self._given_up.set()

    def end(self) -> None:
        """Lets the next grading have the card."""
        self.give_up()
        self._file.close()


@contextmanager
def turn_on(card: Card, on_wait: Callable[[str], None], cancel: Cancel | None = None) -> Iterator[Turn]:
    """A turn, which ends with the block."""
    turn = Turn(card, on_wait, cancel)
    try:
        yield turn
    finally:
        turn.end()
