"""Where a command may go on in another process: `check` asks before it needs torch, `standby` may have one."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

# Waits for the server that this process has started; None if there will be none. Set while there is one to wait for.
waiting: ContextVar[Callable[[], Any] | None] = ContextVar("waiting", default=None)


def pass_on() -> None:
    """To be called where a command begins to need torch: raises Elsewhere if a server can do the rest.

    Without one, the command goes on as if nothing had been called.
    """
    wait = waiting.get()
    if wait and (server := wait()):
        raise Elsewhere(server)


class Elsewhere(BaseException):
    """The command is to be done by this server, from the beginning; nothing has been printed yet."""

    def __init__(self, server: Any):
        super().__init__()
        self.server = server
