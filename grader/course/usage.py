"""What a person did wrong."""

from __future__ import annotations


class UsageError(Exception):
    """Something a person has to type or mend; the message is the one sentence that a face prints before it exits 2."""
