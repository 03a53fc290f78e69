"""How a command ends: its exit codes, and the sentence for a fault of our own."""

from __future__ import annotations

import tempfile
import traceback

from grader.devices.build.own_faults import lacking

PASSED, NOT_PASSED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
AFTER_CTRL_C = "interrupted; nothing is left running, and you can simply start again"


def fault(error: Exception) -> str:
    """One sentence for an exception of our own; its traceback goes to a file, which the sentence names.

    What this machine lacks is no fault: space, or torch, which what is installed as a package leaves to be set up.
    """
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        from grader.faces.torch_build import how_to_get

        return f"torch is not installed: type {how_to_get()}, which sets it up"
    if lack := lacking(error):
        return f"{lack}, and type it again"
    text = str(error).strip()
    said = f"{type(error).__name__}: {text.splitlines()[0][:200]}" if text else type(error).__name__
    try:
        with tempfile.NamedTemporaryFile("w", prefix="ladder-", suffix=".log", delete=False) as file:
            traceback.print_exception(error, file=file)
    except OSError as no_log:
        return f"{said}; this is a fault in Kernel Ladder, and no log of it can be written ({no_log.strerror})"
    return f"{said}; this is a fault in Kernel Ladder, see {file.name}"
